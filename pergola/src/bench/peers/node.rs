//! The node: a real one with its store and its services, which crawls nothing.

use std::sync::Arc;

use anyhow::{Context, Result};
use pergola_config::Config;
use pergola_feed::address::origin_of;
use pergola_feed::{Item, Text, Timestamp};
use pergola_node::node::Node;
use pergola_node::peer::{self, Limits};
use pergola_outside::clock::Clock;
use pergola_outside::surroundings::Surroundings;
use pergola_port::serve::Port;
use pergola_store::Store;
use pergola_store::archive::{Archive, Commit, Entry, FeedId, FeedTally, SourceId, item_key};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::Args;
use crate::bench::roles;
use crate::bench::usage::Usage;

pub(super) const FEED: &str = "Bench";
const SOURCE_URL: &str = "https://example.org/feed";
/// Items of one refresh, kept together.
const TOGETHER: u32 = 20;
/// The time of the first item.
const START: f64 = 1_790_000_000.0;

/// Serves until the input ends.
pub(super) fn run(args: &Args) -> Result<()> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let folder = tempfile::tempdir()?;
        let mut config = Config::load(None, [])?;
        config.node.data = folder.path().join("data");
        config.peers.limits.requests_per_minute = usize::MAX;
        config.peers.limits.streams = 1 << 20;
        let surroundings = Surroundings::real(&config, Clock::real())?;
        let store = Arc::clone(&surroundings.store.store);
        let node = Node::open(config, surroundings).await?;
        let query = format!("CREATE FEED {FEED} AS RETURN \"{SOURCE_URL}\"");
        node.run_script(&query, "bench").await?;
        let mut press = Press::new(&node, store)?;
        let items: Vec<Item> = (0..args.items).map(item).collect();
        items.chunks(TOGETHER as usize).try_for_each(|some| press.publish(some))?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = format!("http://{}", listener.local_addr()?);
        let limits = Limits { streams: 1 << 20, ..Limits::default() };
        let router = peer::router(Arc::clone(&node), limits, CancellationToken::new());
        let mut tasks = tokio::task::JoinSet::new();
        let port = Port::plain(router);
        tasks.spawn(async move { port.serve(listener, CancellationToken::new()).await });
        let mut more = args.items;
        roles::answer(async |line| match line {
            "where" => Ok(serde_json::to_value(&address)?),
            "change" => {
                press.publish(&[item(more)])?;
                more += 1;
                Ok(serde_json::Value::Null)
            }
            _ => Ok(serde_json::to_value(Usage::now())?),
        })
        .await
    })
}

/// Publishes as the writer does, without a crawler before it.
struct Press<'a> {
    node: &'a Node,
    archive: Archive,
    feed: FeedId,
    tally: FeedTally,
    chunks: u32,
}

impl<'a> Press<'a> {
    fn new(node: &'a Node, store: Arc<dyn Store>) -> Result<Self> {
        let feed = node.listing(FEED).context("the feed was just created")?.id;
        Ok(Self {
            node,
            archive: Archive::new(store),
            feed,
            tally: FeedTally::default(),
            chunks: 0,
        })
    }

    fn publish(&mut self, items: &[Item]) -> Result<()> {
        let source = SourceId(1);
        let mut commit = Commit::new();
        commit.source(source).put_chunk(self.chunks, START, &items.iter().collect::<Vec<_>>());
        for (index, item) in (0..).zip(items) {
            let at = START + self.tally.next as f64;
            let key = item_key(&item.id, item, origin_of(SOURCE_URL));
            let (chunk, changed_at, dated) = (self.chunks, at, at);
            let entry = Entry { key, source, chunk, index, at, changed_at, dated };
            commit.feed(self.feed).put_entry(self.tally.next, &entry);
            self.tally.next += 1;
            self.tally.changed_at = at;
        }
        self.tally.edition += 1;
        self.chunks += 1;
        commit.feed(self.feed).put_tally(&self.tally);
        self.archive.commit(commit)?;
        self.node.announce(self.feed, self.tally);
        Ok(())
    }
}

/// An item of about a kilobyte.
fn item(number: u32) -> Item {
    let mut item = Item::new(format!("tag:example.org,2026:{number}"));
    item.guid = Some(item.id.0.clone());
    item.title = Some(format!("The title of item {number}"));
    item.link = Some(format!("https://example.org/items/{number}"));
    let text: Vec<String> = (0..80).map(|word| format!("word{}", number ^ word)).collect();
    item.content = Some(Text::html(format!("<p>{}</p>", text.join(" "))));
    item.authors = vec![pergola_feed::Person::named("Somebody")];
    item.categories = vec![pergola_feed::Category::new("news")];
    item.published = Some(Timestamp::from_unix(START as i64 + i64::from(number)));
    item
}
