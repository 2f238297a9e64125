//! The node: a real one, configured for so many clients and so large a document.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use pergola_config::{BudgetRule, Config, HostRule, Secret};
use pergola_node::node::{NewSource, Node, Running};
use pergola_outside::clock::Clock;
use serde::{Deserialize, Serialize};
use url::Url;

use super::origin::Places;
use super::{ALL, Args, CYCLE, FEED, FLOOD};
use crate::bench::roles;
use crate::bench::usage::Usage;

/// Places beside those of the crowd: the storm's, the watchers', the reader's.
const BESIDE: usize = 1_024;
/// Fetches at the same time: there are three hosts, each with one.
const PARALLEL: usize = 4;
/// Between two requests to the host of the news.
const NEWS_SPACING: Duration = Duration::from_millis(100);

/// How the node stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// What the process has used.
    pub usage: Usage,
    /// Entries of the feed that is watched.
    pub news: u64,
    /// Entries of the feed with the many items.
    pub flood: u64,
    /// Entries of the feed of everything.
    pub all: u64,
    /// Refreshes that failed.
    pub failed: u64,
}

/// Opens at the first line, which says where the sources are; then does as it is told.
pub(super) fn run(args: &Args) -> Result<()> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let folder = tempfile::tempdir()?;
        let mut opened = None;
        roles::answer(async |line| match line {
            "crawl" => {
                let (running, places) = opened.as_ref().context("the places come first")?;
                crawl(args, running, places).await?;
                Ok(serde_json::Value::Null)
            }
            "state" => {
                let (running, _) = opened.as_ref().context("the places come first")?;
                Ok(serde_json::to_value(state(running)?)?)
            }
            line => {
                let places: Places = serde_json::from_str(line)?;
                let running = open(args, &places, folder.path()).await?;
                let address = running.address();
                opened = Some((running, places));
                Ok(serde_json::to_value(address)?)
            }
        })
        .await
    })
}

async fn open(args: &Args, places: &Places, folder: &std::path::Path) -> Result<Running> {
    let listener = Node::listen(([127, 0, 0, 1], 0).into()).await?;
    let mut config = config(args, places)?;
    config.node.data = folder.join("data");
    config.node.public_url = Url::parse(&format!("http://{}/", listener.local_addr()?))?;
    let node = Node::open_here(config, Clock::real()).await?;
    node.add_sources(vec![NewSource::feed(&places.news)?]).await?;
    let script = format!(
        "CREATE FEED {FEED} AS RETURN \"{}\" WINDOW 50;\n\
         CREATE FEED {FLOOD} AS RETURN \"{}\" WINDOW 50;\n\
         CREATE FEED {ALL} AS RETURN OPML \"all\" WINDOW 50;",
        places.news, places.flood
    );
    node.run_script(&script, "bench").await?;
    Ok(node.start(listener)?)
}

/// What the node is configured to be. Everything else is as usual.
fn config(args: &Args, places: &Places) -> Result<Config> {
    let mut config = Config::default();
    config.node.connections = args.connections + BESIDE;
    // Otherwise everybody on this machine would be the operator, for whom no limit holds.
    config.api.token = Some(Secret::new("the operator's token, which nobody else has"));
    config.schedule.cycle = Duration::try_from_secs_f64(CYCLE)?;
    config.budget.rule = BudgetRule::Refreshes { per_minute: args.budget };
    config.crawl.parallel = NonZeroUsize::new(PARALLEL).context("not zero")?;
    config.crawl.max_items = config.crawl.max_items.max(args.items);
    config.crawl.max_body = config.crawl.max_body.max(places.flood_bytes);
    config.crawl.allow_private = vec!["127.0.0.0/8".parse()?];
    let usual = HostRule::usual(&config.crawl);
    let spacing = Duration::try_from_secs_f64(args.spacing / 1e3)?;
    let many = HostRule { spacing, ..usual.clone() };
    let often = HostRule { spacing: NEWS_SPACING, ..usual };
    config.hosts.named.insert(Places::host(&places.crowd)?, many);
    config.hosts.named.insert(Places::host(&places.news)?, often);
    Ok(config)
}

/// Adds the host with many sources and the document with many items, and has the news refreshed all the time: by the
/// operator, because the scheduler first spends the budget on what was never seen.
async fn crawl(args: &Args, running: &Running, places: &Places) -> Result<()> {
    let node = Arc::clone(&running.node);
    let news = node.find_source(&places.news).context("the news are gone")?;
    let pause = Duration::try_from_secs_f64(args.news_every)?;
    tokio::spawn(async move {
        loop {
            // How it ended is seen in the feed.
            let _ = node.request_refresh(news).await;
            tokio::time::sleep(pause).await;
        }
    });
    let many = (0..args.sources).map(|number| NewSource::feed(&places.source(number)));
    let flood = std::iter::once(NewSource::feed(&places.flood));
    running.node.add_sources(flood.chain(many).collect::<Result<_, _>>()?).await?;
    Ok(())
}

fn state(running: &Running) -> Result<State> {
    let node = &running.node;
    let entries = |feed: &str| -> Result<u64> {
        let card = node.feed(feed).with_context(|| format!("the feed {feed} is gone"))?;
        Ok(node.published_so_far(card.id)?)
    };
    Ok(State {
        usage: Usage::now(),
        news: entries(FEED)?,
        flood: entries(FLOOD)?,
        all: entries(ALL)?,
        failed: node.refresh_counts().failed,
    })
}
