//! The newsroom that answers, and the node that asks.

use std::num::NonZeroUsize;
use std::sync::Arc;

use anyhow::{Context, Result};
use pergola_config::{BudgetRule, Config};
use pergola_newsroom::serve::{TOPICS, World};
use pergola_node::node::{NewSource, Node};
use pergola_outside::clock::Clock;
use pergola_store::archive::SourceId;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::{Args, Counted, timed};
use crate::bench::roles;
use crate::bench::usage::Usage;

/// Items a day; with the window of twenty all of them are there from the start.
const ITEMS_PER_DAY: f64 = 1_000.0;

/// The address of a source.
pub(super) fn address(base: &str, number: usize) -> String {
    format!("{base}/sources/source-{number:06}")
}

/// Serves the sources; time stands still, and what is new is published by hand.
pub(super) fn newsroom(args: &Args) -> Result<()> {
    let (count, text) = (args.sources, args.text);
    tokio::runtime::Runtime::new()?.block_on(async {
        let now = Clock::real().now();
        let newsroom = World::uniform(1, count, ITEMS_PER_DAY)
            .each(|source| source.text_bytes(text))
            .newsroom(Arc::new(move || now))
            .opening(now - 86_400.0)
            .document_bytes(1 << 30)
            .build()?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let base = format!("http://{}", listener.local_addr()?);
        let serving = newsroom.clone();
        let mut tasks = JoinSet::new();
        tasks.spawn(async move { serving.serve(listener, std::future::pending()).await });
        roles::answer(async |line| match line {
            "where" => Ok(serde_json::to_value(&base)?),
            "publish" => {
                for number in (0..count).step_by(10) {
                    newsroom.publish_now(&format!("source-{number:06}"), 1)?;
                }
                Ok(serde_json::Value::Null)
            }
            _ => {
                let total = newsroom.total_counters();
                Ok(serde_json::to_value(Counted {
                    requests: total.requests,
                    not_modified: total.not_modified,
                    bytes: total.bytes,
                })?)
            }
        })
        .await
    })
}

/// A node that refreshes every source when told to.
pub(super) fn node(args: &Args) -> Result<()> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let folder = tempfile::tempdir()?;
        let mut bench = None;
        roles::answer(async |line| match line {
            "pass" => {
                let bench: &Bench = bench.as_ref().context("the address comes first")?;
                Ok(serde_json::to_value(timed(bench.pass()).await?)?)
            }
            "entries" => {
                let bench = bench.as_ref().context("the address comes first")?;
                Ok(serde_json::to_value(bench.entries()?)?)
            }
            "usage" => Ok(serde_json::to_value(Usage::now())?),
            base => {
                let started = bench.insert(Bench::start(args, base, folder.path()).await?);
                Ok(serde_json::to_value(&started.served)?)
            }
        })
        .await
    })
}

/// Fetches every feed of the node at an address once.
pub(super) fn reader(args: &Args) -> Result<()> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let client = crate::bench::client::plain()?;
        roles::answer(async |served| {
            for number in 0..args.queries {
                let url = format!("{served}/feeds/query{number}.atom");
                let response = client.get(url).send().await?.error_for_status()?;
                response.bytes().await?;
            }
            Ok(serde_json::Value::Null)
        })
        .await
    })
}

struct Bench {
    node: Arc<Node>,
    /// Where it publishes.
    served: String,
    sources: Vec<SourceId>,
    /// Kept, or the node would stop.
    _running: pergola_node::node::Running,
}

impl Bench {
    async fn start(args: &Args, base: &str, folder: &std::path::Path) -> Result<Self> {
        let file = folder.join("pergola.toml");
        std::fs::write(
            &file,
            "[hosts.\"127.0.0.1\"]\nspacing = 0\nper_domain = 64\nfloor = 0\nprivate = true\n",
        )?;
        let mut config = Config::load(Some(&file), [])?;
        config.node.data = folder.join("data");
        config.store.backend = Some(args.store);
        config.crawl.parallel = NonZeroUsize::new(64).context("not zero")?;
        // Refreshes are asked for by hand; the scheduler has nothing to spend.
        config.budget.rule = BudgetRule::Refreshes { per_minute: 1e-6 };
        let node = Node::open_here(config, Clock::real()).await?;
        let new = (0..args.sources).map(|number| NewSource::feed(&address(base, number)));
        let sources = node.add_sources(new.collect::<Result<_, _>>()?).await?.new;
        for query in 0..args.queries {
            node.run_script(&statement(query), "benchmark").await?;
        }
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let served = format!("http://{}", listener.local_addr()?);
        let running = Arc::clone(&node).start(listener)?;
        Ok(Self { node, served, sources, _running: running })
    }

    /// Refreshes every source and waits until all of it is committed.
    async fn pass(&self) -> Result<u64> {
        let waiting: Vec<_> =
            self.sources.iter().map(|source| self.node.request_refresh(*source)).collect();
        let mut items = 0;
        for report in waiting {
            items += u64::from(report.await?.new_items);
        }
        Ok(items)
    }

    fn entries(&self) -> Result<u64> {
        let mut entries = 0;
        for card in self.node.feeds() {
            entries += self.node.published_so_far(card.id)?;
        }
        Ok(entries)
    }
}

/// Every query reads every source and wants items about two topics at once.
fn statement(number: usize) -> String {
    let first = TOPICS[number % TOPICS.len()];
    let second = TOPICS[(number / TOPICS.len() + 1 + number) % TOPICS.len()];
    format!(
        "CREATE FEED query{number} AS RETURN OPML \"all\" \
         WHERE ITEM CONTAINS \"{first}\" AND ITEM CONTAINS \"{second}\";"
    )
}
