//! A node with much in it: the node itself makes sources, users and feeds, and items are stored as a crawl stores them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use pergola_accounts::{Following, Role, UserId, Wanted};
use pergola_config::Config;
use pergola_feed::Item;
use pergola_node::node::{Followed, NewSource, NewUser, Node, Running, Stream, close};
use pergola_outside::clock::Clock;
use pergola_outside::surroundings::Surroundings;
use pergola_store::archive::{
    Archive, Commit, FeedId, ItemNumber, Known, KnownItem, SourceId, item_key,
};
use tokio::net::TcpListener;

use super::Args;
use super::list::Contents;
use crate::bench::stock::texts::{Random, Texts};
use crate::bench::stock::{self, Spread};

/// Words that occur in texts.
const VOCABULARY: usize = 500_000;
/// Sources in a folder.
const TOGETHER: u32 = 100;
/// Sources added in one commit.
const AT_ONCE: usize = 5_000;
/// Seconds over which the items are spread.
const SPAN: f64 = 30.0 * DAY;
const DAY: f64 = 86_400.0;
/// One source in so many is not followed.
const SPARED: u32 = 10;
/// Items with a star.
const STARS: usize = 1_000;
/// Time that a node has to end.
const GRACE: Duration = Duration::from_secs(30);

/// The node, at work.
pub(super) struct Filled {
    running: Running,
    pub(super) user: UserId,
    pub(super) contents: Contents,
    pub(super) unread: u32,
    pub(super) seconds: f64,
}

/// The name of a folder.
pub(super) fn folder(number: u32) -> String {
    format!("Folder {number}")
}

/// The name of a feed.
pub(super) fn feed(number: u32) -> String {
    format!("Feed{number}")
}

/// The title of a source.
fn title(number: u32) -> String {
    format!("The Gazette of District {number}")
}

impl Filled {
    /// Fills a node and starts it.
    pub(super) async fn make(args: &Args, data: PathBuf) -> Result<Self> {
        let clock = Clock::real();
        let begun = clock.now();
        let mut config = Config::load(None, [])?;
        config.node.data = data;
        config.store.backend = Some(args.store);
        let (archive, node) = opened(&config).await?;
        add_sources(&node, args.sources).await?;
        let new = NewUser { name: "ada".into(), role: Role::Admin, password: None, subject: None };
        let user = node.add_user(new).await?;
        close(node).await;
        let sources: Vec<SourceId> = archive.sources()?.into_iter().map(|(id, _)| id).collect();
        refreshed(&archive, &sources, begun)?;
        let mut texts = Texts::new(VOCABULARY, args.seed);
        let spread = Spread { start: begun - SPAN, step: SPAN / args.items.max(1) as f64 };
        stock::fill(&archive, args.items, &sources, &mut texts, spread)?;
        remember(&archive, &sources)?;
        stock::index(&archive, args.items)?;
        drop(archive);
        let (archive, node) = opened(&config).await?;
        let folders = args.sources.div_ceil(TOGETHER);
        add_feeds(&node, &texts, args.feeds, folders).await?;
        // The built-in user follows every source, so that each has a feed of its own.
        node.operator_user().await?;
        close(node).await;
        follow(&archive, user, begun)?;
        drop(archive);
        let (_, node) = opened(&config).await?;
        let items = mark(&node, user, folders, begun).await?;
        let unread = node.unread_counts(user)?.all;
        let sources = followed(&node, user)?;
        let mut random = Random(args.seed);
        let words = [texts.word(&mut random, 20..100), texts.word(&mut random, 5_000..50_000)];
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let running = pergola_site::start(node, listener)?;
        let seconds = clock.now() - begun;
        let items = items.into_iter().map(|item| item.0).collect();
        let contents = Contents { sources, items, folders, words };
        Ok(Self { running, user, contents, unread, seconds })
    }

    pub(super) fn node(&self) -> &Node {
        &self.running.node
    }

    /// Where it listens.
    pub(super) fn port(&self) -> u16 {
        self.running.address().port()
    }

    pub(super) async fn stop(self) {
        self.running.stop(GRACE).await;
    }
}

/// Opens the node, with its store beside it.
async fn opened(config: &Config) -> Result<(Archive, Arc<Node>)> {
    let surroundings = Surroundings::real(config, Clock::real())?;
    let archive = Archive::new(Arc::clone(&surroundings.store.store));
    Ok((archive, Node::open(config.clone(), surroundings).await?))
}

async fn add_sources(node: &Node, count: u32) -> Result<()> {
    let all: Vec<u32> = (0..count).collect();
    for some in all.chunks(AT_ONCE) {
        let source = |&n: &u32| {
            let mut source = NewSource::feed(&format!("https://district-{n}.example/feed.xml"))?;
            source.title = Some(title(n));
            source.folders = vec![folder(n / TOGETHER)];
            anyhow::Ok(source)
        };
        node.add_sources(some.iter().map(source).collect::<Result<_>>()?).await?;
    }
    Ok(())
}

/// All sources have been refreshed, and none is due while pages are asked for.
fn refreshed(archive: &Archive, sources: &[SourceId], now: f64) -> Result<()> {
    let mut commit = Commit::new();
    for &source in sources {
        let mut state = archive.state(source)?.context("a source that was added has a state")?;
        state.title = Some(title(source.0));
        state.tally.requests = 100;
        state.tally.items = 100;
        state.next_at = now + DAY;
        commit.source(source).put_state(&state);
    }
    Ok(archive.commit(commit)?)
}

/// Each source knows its items, as if it had shown all of them; from what it knows the feeds are filled.
fn remember(archive: &Archive, sources: &[SourceId]) -> Result<()> {
    for some in sources.chunks(TOGETHER as usize) {
        let mut commit = Commit::new();
        for &source in some {
            let record = archive.source(source)?.context("a source that was added is there")?;
            let mut known = Known::default();
            loop {
                let items = archive.chunk(source, known.next_chunk)?;
                if items.is_empty() {
                    break;
                }
                let chunk = known.next_chunk;
                let seen = |(index, item): (usize, &Item)| {
                    let at = item.published.map_or(0.0, |published| published.unix() as f64);
                    let key = item_key(&item.id, item, record.origin);
                    KnownItem {
                        key,
                        digest: 0,
                        chunk,
                        index: index as u16,
                        first_seen: at,
                        seen_at: at,
                    }
                };
                known.items.extend(items.iter().enumerate().map(seen));
                known.next_chunk += 1;
            }
            commit.source(source).put_known(&known);
        }
        archive.commit(commit)?;
    }
    Ok(())
}

/// Each feed has what of a folder has a word.
async fn add_feeds(node: &Node, texts: &Texts, count: u32, folders: u32) -> Result<()> {
    let mut random = Random(u64::from(count));
    for number in 0..count {
        let folder = folder(number % folders.max(1));
        let (name, word) = (feed(number), texts.word(&mut random, 20..200));
        let query = format!(
            "CREATE FEED {name} AS RETURN FOLDER \"{folder}\" WHERE ITEM CONTAINS \"{word}\";"
        );
        node.run_script(&query, "bench").await?;
    }
    Ok(())
}

/// A user follows all sources and feeds but a few.
fn follow(archive: &Archive, user: UserId, now: f64) -> Result<()> {
    let mut commit = Commit::new();
    let following = Following { title: None, folders: None, since: now };
    for (feed, _) in archive.feeds()? {
        let FeedId(number) = feed;
        if number % SPARED != 0 {
            commit.user(user).set_following(feed, Some(&following));
        }
    }
    Ok(archive.commit(commit)?)
}

/// The sources that the user follows.
fn followed(node: &Node, user: UserId) -> Result<Vec<u32>> {
    let all = node.subscriptions(user)?.into_iter();
    let sources = all.filter_map(|one| match one.what {
        Followed::Source(source) => Some(source.0),
        Followed::Feed(_) => None,
    });
    Ok(sources.collect())
}

/// The user has read the items of every second folder, and starred some. Returns the newest ones.
async fn mark(node: &Node, user: UserId, folders: u32, now: f64) -> Result<Vec<ItemNumber>> {
    for number in (0..folders).step_by(2) {
        node.mark_all_read(user, &Stream::Folder(folder(number)), now).await?;
    }
    let newest = node.stream(user, &Stream::All, &Wanted::newest(10 * STARS))?;
    let newest: Vec<ItemNumber> =
        newest.items.into_iter().map(|item| ItemNumber(item.number)).collect();
    let starred: Vec<_> = newest.iter().copied().step_by(10).collect();
    node.mark_starred(user, &starred, true).await?;
    Ok(newest)
}
