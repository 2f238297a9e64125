//! The world of the demonstration: a newsroom on loopback, a node beside it, and its feeds.

use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use pergola_newsroom::serve::{Newsroom, World};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use url::Url;

use super::Args;
use crate::clock::Clock;
use crate::config::{Budget, BudgetRule, Config, HostCredentials, HostRule};
use crate::node::{NewSource, Node, Running};
use crate::store::Backend;

/// Refreshes per minute of the demonstration's time: each of forty sources once in 80 minutes, which
/// is too seldom for the busy ones, so that choosing well matters.
const BUDGET: f64 = 0.5;
const GRACE: Duration = Duration::from_secs(5);

/// The feed that takes every item; what arrives is followed there.
pub(super) const EVERYTHING: &str = "Everything";

/// A newsroom and a node that reads it. Everything is gone after [`Stage::clear`].
pub(super) struct Stage {
    pub(super) clock: Clock,
    pub(super) newsroom: Newsroom,
    pub(super) running: Running,
    pub(super) newsroom_address: String,
    folder: TempDir,
    close_newsroom: oneshot::Sender<()>,
    newsroom_serves: JoinHandle<std::io::Result<()>>,
}

impl Stage {
    /// Opens both, adds the sources and creates the feeds.
    pub(super) async fn set(args: &Args) -> anyhow::Result<Self> {
        let clock = Clock::accelerated(args.speed);
        let ticking = clock.clone();
        let newsroom = World::demo(args.seed).newsroom(Arc::new(move || ticking.now())).build()?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let (close_newsroom, closing) = oneshot::channel::<()>();
        let serving = newsroom.clone();
        let newsroom_serves = tokio::spawn(async move {
            // Dropping the sender closes it, too.
            serving.serve(listener, async { drop(closing.await) }).await
        });
        let folder = tempfile::Builder::new()
            .prefix("pergola-demo-")
            .tempdir()
            .context("no temporary folder could be made")?;
        let listener = Node::listen((Ipv4Addr::LOCALHOST, args.port).into()).await?;
        let config = config(listener.local_addr()?, folder.path().join("data"))?;
        let node = Node::open(config, clock.clone()).await?;
        let source = |name: &str| format!("http://{address}/sources/{name}");
        let sources: Result<Vec<NewSource>, _> =
            newsroom.names().map(|name| NewSource::feed(&source(name))).collect();
        node.add_sources(sources?).await?;
        node.run_script(&feeds(source), "the demonstration's feeds").await?;
        let running = node.start(listener)?;
        let newsroom_address = format!("http://{address}");
        Ok(Self {
            clock,
            newsroom,
            running,
            newsroom_address,
            folder,
            close_newsroom,
            newsroom_serves,
        })
    }

    /// Where everything is kept as long as it lasts.
    pub(super) fn folder(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    /// Stops both and leaves nothing behind.
    pub(super) async fn clear(self) -> anyhow::Result<()> {
        self.running.stop(GRACE).await;
        drop(self.close_newsroom);
        let closed = tokio::time::timeout(GRACE, self.newsroom_serves).await;
        if let Ok(Ok(Err(error))) = closed {
            tracing::warn!(%error, "the newsroom did not close properly");
        }
        let path = self.folder.path().to_owned();
        self.folder.close().with_context(|| format!("{} could not be removed", path.display()))
    }
}

/// Real statements: a filter over everything, a union, a union with a filter for one source, a feed of
/// a feed, and everything.
fn feeds(source: impl Fn(&str) -> String) -> String {
    format!(
        r#"CREATE FEED {EVERYTHING} AS RETURN OPML "all";
        CREATE FEED Volcanoes AS RETURN OPML "all"
          WHERE ITEM CONTAINS "volcano" OR ITEM CONTAINS "iceland" WEIGHT 2.0;
        CREATE FEED Sport AS RETURN "{}" | "{}" | "{}";
        CREATE FEED Code AS RETURN "{}" AS $links | "{}" | "{}"
          WHERE $links[ITEM CONTAINS "rust" OR ITEM CONTAINS "linux"];
        CREATE FEED OnTheWater AS RETURN FEED Sport WHERE ITEM CONTAINS "sailing";"#,
        source("world-wire-sport"),
        source("goal-alerts"),
        source("two-wheels"),
        source("link-collector"),
        source("package-index"),
        source("crab-notes"),
    )
}

fn config(listen: SocketAddr, data: PathBuf) -> anyhow::Result<Config> {
    let mut config = Config::default();
    config.node.name = "Pergola's demonstration".to_owned();
    config.node.listen = listen;
    config.node.public_url = Url::parse(&format!("http://{listen}/"))?;
    config.node.contact = Url::parse(&format!("http://{listen}/about"))?;
    config.node.data = data;
    config.store.backend = Some(Backend::Redb);
    config.budget = Budget { rule: BudgetRule::Refreshes { per_minute: BUDGET }, burst: None };
    config.schedule.cycle = Duration::from_secs(60);
    let floor = Duration::from_secs(300);
    let rule = HostRule {
        spacing: Duration::ZERO,
        per_domain: NonZeroUsize::MIN.saturating_add(7),
        floor,
        floor_known: floor,
        private: true,
        group: None,
        peer: false,
        credentials: HostCredentials::default(),
    };
    config.hosts.named.insert(Ipv4Addr::LOCALHOST.to_string(), rule);
    Ok(config)
}
