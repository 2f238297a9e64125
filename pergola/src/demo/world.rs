//! The world of the demonstration: a newsroom on loopback, and five nodes that read it and each other.

use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use anyhow::Context;
use pergola_config::{Budget, BudgetRule, Config, HostCredentials, HostRule};
use pergola_manners::Cooperation;
use pergola_newsroom::serve::{Newsroom, World};
use pergola_node::node::{NewSource, Node, Running, SourceError};
use pergola_outside::clock::Clock;
use pergola_site::Link;
use pergola_store::Backend;
use pergola_wiring::graph::Vertex;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::Args;
use super::picture::{self, Board};
use super::wiring::{FIRST, Wiring};

/// Refreshes per minute of the demonstration's time for each source: once in 40 minutes, which is too
/// seldom for the busy ones, so that choosing well matters …
const PER_SOURCE: f64 = 1.0 / 40.0;
/// … and for each feed of another node, which says by itself when it has news.
const PER_FEED: f64 = 1.0 / 10.0;
const GRACE: Duration = Duration::from_secs(5);

/// A newsroom and the nodes that read it. Everything is gone after [`Stage::clear`].
pub(super) struct Stage {
    pub(super) clock: Clock,
    pub(super) newsroom: Newsroom,
    pub(super) wiring: Wiring,
    /// One for each feed of the wiring, in that order.
    pub(super) nodes: Vec<Running>,
    pub(super) newsroom_address: String,
    pub(super) picture_address: SocketAddr,
    pub(super) board: Board,
    folder: TempDir,
    closing: CancellationToken,
    serving: Vec<JoinHandle<std::io::Result<()>>>,
}

impl Stage {
    /// Opens everything: the newsroom, the picture, and nodes with their feeds.
    pub(super) async fn set(args: &Args) -> anyhow::Result<Self> {
        let clock = Clock::accelerated(args.speed);
        let ticking = clock.clone();
        let world = World::demo(args.seed);
        let wiring = Wiring::new(&world)?;
        let newsroom = world.newsroom(Arc::new(move || ticking.now())).build()?;
        let folder = tempfile::Builder::new()
            .prefix("pergola-demo-")
            .tempdir()
            .context("no temporary folder could be made")?;
        // The port that was asked for first: nobody else may get it by chance.
        let mut first = Some(Node::listen((Ipv4Addr::LOCALHOST, args.port).into()).await?);
        let picture = Node::listen((Ipv4Addr::LOCALHOST, 0).into()).await?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let newsroom_address = format!("http://{}", listener.local_addr()?);
        let mut ports = Vec::new();
        for feed in 0..wiring.mesh.feeds.len() {
            ports.push(match first.take_if(|_| feed == FIRST) {
                Some(port) => port,
                None => Node::listen((Ipv4Addr::LOCALHOST, 0).into()).await?,
            });
        }
        let (closing, board) = (CancellationToken::new(), Board::default());
        let picture_address = picture.local_addr()?;
        let mut stage = Self {
            clock,
            newsroom: newsroom.clone(),
            wiring,
            nodes: Vec::new(),
            newsroom_address,
            picture_address,
            board: board.clone(),
            folder,
            closing: closing.clone(),
            serving: Vec::new(),
        };
        let stop = closing.clone().cancelled_owned();
        stage.serving.push(tokio::spawn(async move { newsroom.serve(listener, stop).await }));
        let stop = closing.cancelled_owned();
        stage.serving.push(tokio::spawn(async move {
            axum::serve(picture, picture::router(board)).with_graceful_shutdown(stop).await
        }));
        if let Err(error) = stage.open_nodes(ports).await {
            stage.clear().await?;
            return Err(error);
        }
        Ok(stage)
    }

    async fn open_nodes(&mut self, ports: Vec<TcpListener>) -> anyhow::Result<()> {
        let bases: Vec<String> = ports
            .iter()
            .map(|port| Ok(format!("http://{}", port.local_addr()?)))
            .collect::<std::io::Result<_>>()?;
        for (feed, port) in ports.into_iter().enumerate() {
            let node =
                Node::open_here(self.config(feed, &bases[feed])?, self.clock.clone()).await?;
            let address = |from: Vertex| self.address(from, &bases);
            let links = self.wiring.links.iter().filter(|link| link.to as usize == feed);
            let sources: Result<Vec<NewSource>, _> =
                links.map(|link| self.source(link.from, &address(link.from))).collect();
            node.add_sources(sources?).await?;
            let query = self.wiring.query(feed, address);
            node.run_script(&query, "the demonstration's feeds").await?;
            let picture = Link {
                text: "The whole mesh".to_owned(),
                address: format!("http://{}/", self.picture_address),
            };
            self.nodes.push(pergola_site::start_beside(node, port, picture)?);
        }
        Ok(())
    }

    fn source(&self, from: Vertex, address: &str) -> Result<NewSource, SourceError> {
        let folders = vec![self.wiring.folder(from).to_owned()];
        Ok(NewSource { folders, ..NewSource::feed(address)? })
    }

    /// Where something is that a feed reads.
    fn address(&self, from: Vertex, bases: &[String]) -> String {
        let name = self.wiring.mesh.name(from);
        match from {
            Vertex::Source(_) => format!("{}/sources/{name}", self.newsroom_address),
            Vertex::Feed(feed) => format!("{}/feeds/{name}", bases[feed as usize]),
        }
    }

    /// Where something is that a node reads, once all nodes are open.
    pub(super) fn address_of(&self, from: Vertex) -> String {
        self.address(from, &self.bases())
    }

    /// Where each node is.
    pub(super) fn bases(&self) -> Vec<String> {
        self.nodes.iter().map(|running| format!("http://{}", running.address())).collect()
    }

    fn config(&self, feed: usize, base: &str) -> anyhow::Result<Config> {
        let name = &self.wiring.mesh.feeds[feed].name;
        let mut config = Config::default();
        config.node.name = name.clone();
        config.node.public_url = Url::parse(&format!("{base}/"))?;
        config.node.contact = Url::parse(&format!("{base}/about"))?;
        config.node.data = self.folder.path().join(name);
        config.store.backend = Some(Backend::Redb);
        config.store.cache = 4 << 20;
        let (sources, feeds) = self.wiring.reads(feed);
        let per_minute = sources as f64 * PER_SOURCE + feeds as f64 * PER_FEED;
        config.budget = Budget { rule: BudgetRule::Refreshes { per_minute }, burst: None };
        config.schedule.cycle = Duration::from_secs(60);
        config.peers.cooperate = Cooperation { hints: true, watch: true, archive: true };
        let floor = Duration::from_secs(300);
        let rule = HostRule {
            spacing: Duration::ZERO,
            per_domain: NonZeroUsize::MIN.saturating_add(7),
            floor,
            floor_known: floor,
            private: true,
            group: None,
            peer: true,
            credentials: HostCredentials::default(),
        };
        config.hosts.named.insert(Ipv4Addr::LOCALHOST.to_string(), rule);
        Ok(config)
    }

    /// Waits until a node fails; says which, and how.
    pub(super) async fn failed(&mut self) -> String {
        let names = self.wiring.mesh.feeds.iter().map(|feed| &feed.name);
        let nodes = self.nodes.iter_mut().map(|node| Box::pin(node.failed()));
        let mut ends: Vec<(&String, Pin<Box<_>>)> = names.zip(nodes).collect();
        std::future::poll_fn(|context| {
            for (name, end) in &mut ends {
                if let Poll::Ready(how) = end.as_mut().poll(context) {
                    return Poll::Ready(format!("node {name}: {how}"));
                }
            }
            Poll::Pending
        })
        .await
    }

    /// Where everything is kept as long as it lasts.
    pub(super) fn folder(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    /// Stops everything and leaves nothing behind.
    pub(super) async fn clear(self) -> anyhow::Result<()> {
        // From the last node, so that none waits for one that has gone.
        for running in self.nodes.into_iter().rev() {
            running.stop(GRACE).await;
        }
        self.closing.cancel();
        for serving in self.serving {
            let aborting = serving.abort_handle();
            match tokio::time::timeout(GRACE, serving).await {
                Ok(Ok(Err(error))) => tracing::warn!(%error, "a server did not close properly"),
                Ok(_) => {}
                // Somebody keeps a connection open.
                Err(_) => aborting.abort(),
            }
        }
        let path = self.folder.path().to_owned();
        self.folder.close().with_context(|| format!("{} could not be removed", path.display()))
    }
}
