//! A node that is killed again and again under load: what it has published stays, exactly once.
//!
//! Sixty sources publish fast, and six more send a `max-age`. A client reads while the node runs. Then comes `kill -9`
//! at a moment drawn from a seed, sometimes while the node is still starting. After every start the archive must hold
//! what the client has seen, under the same numbers.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::time::Duration;

use pergola_feed::Millis;
use pergola_newsroom::Process;
use pergola_newsroom::serve::Source;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::harness::{Archived, Home, Node, Press, eventually, now};

const KILLS: usize = 50;
const BUSY: usize = 60;
const CALM: usize = 6;
const FEEDS: [&str; 4] = ["Everything", "Volcanoes", "Few", "VolcanoesAgain"];
/// More items than are published during the test, so that items lost in a crash can be fetched again.
const WINDOW: usize = 100;
const ITEMS_PER_SECOND: f64 = 0.2;
/// Seconds; longer than a slow machine needs for a restart.
const MAX_AGE: u32 = 20;

#[tokio::test(flavor = "multi_thread")]
async fn a_node_on_sled_that_is_killed_anywhere_loses_nothing_and_publishes_nothing_twice() {
    killed_anywhere("sled", 11).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_on_redb_that_is_killed_anywhere_loses_nothing_and_publishes_nothing_twice() {
    killed_anywhere("redb", 12).await;
}

async fn killed_anywhere(backend: &str, seed: u64) {
    let press = Press::start(sources()).await;
    let home = Home::new(&configuration(&press, backend));
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut witness = Witness::default();
    for _ in 0..KILLS {
        if random.random_bool(0.2) {
            let starting = home.spawn();
            pause(random.random_range(0..400)).await;
            starting.kill();
        } else {
            let node = home.start().await;
            witness.compare(&node, &press).await;
            let reading = witness.read_on(&node);
            let time = Duration::from_millis(random.random_range(20..1_200));
            // The client is interrupted in the middle of a read.
            let _ = tokio::time::timeout(time, reading).await;
            node.kill();
        }
    }
    press.newsroom.set_all_rates(0.0).unwrap();
    let node = home.start().await;
    eventually("everything that was published", async || {
        witness.compare(&node, &press).await;
        let missing = witness.missing(&press);
        if missing.is_empty() { Ok(()) } else { Err(format!("still missing: {missing:?}")) }
    })
    .await;
    let notices = &node.json("/api/v1/status").await["notices"];
    assert_eq!(notices.as_array().unwrap().len(), 0, "{notices}");
    assert!(witness.kept_waiting > 0, "no source had an open max-age at a crash");
    assert!(FEEDS.iter().all(|feed| !witness.shown[feed].is_empty()), "no document was read");
    node.stop().await;
    assert!(!home.log().contains("panicked"), "{}", home.log());
}

fn sources() -> Vec<Source> {
    let busy = (0..BUSY).map(|number| {
        let process = Process::Constant { rate: ITEMS_PER_SECOND };
        Source::new(format!("busy-{number}"), process).topics(&["volcano"], 0.3).window(WINDOW)
    });
    let calm = (0..CALM).map(|number| {
        let process = Process::Constant { rate: ITEMS_PER_SECOND };
        Source::new(format!("calm-{number}"), process).window(WINDOW).max_age(MAX_AGE)
    });
    busy.chain(calm).collect()
}

fn configuration(press: &Press, backend: &str) -> String {
    let mut text = format!("[store]\nbackend = \"{backend}\"\n");
    for name in press.newsroom.names() {
        writeln!(text, "[[source]]\nurl = \"{}\"", press.url(name)).unwrap();
    }
    let (first, second) = (press.url("busy-0"), press.url("calm-0"));
    let queries = format!(
        r#"
        CREATE FEED Everything AS RETURN OPML "all";
        CREATE FEED Volcanoes AS RETURN OPML "all" WHERE ITEM CONTAINS "volcano";
        CREATE FEED Few AS RETURN "{first}" | "{second}";
        CREATE FEED VolcanoesAgain AS RETURN FEED Volcanoes;
        "#
    );
    write!(text, "[[feed]]\nquery = '''{queries}'''\n").unwrap();
    text
}

/// Lets the node work for a while.
async fn pause(milliseconds: u64) {
    tokio::time::sleep(Duration::from_millis(milliseconds)).await;
}

/// A client that reads everything and remembers it.
#[derive(Default)]
struct Witness {
    /// The items of each feed so far, by number.
    seen: BTreeMap<&'static str, Vec<Archived>>,
    /// The ids of the items that the documents of each feed have shown.
    shown: BTreeMap<&'static str, HashSet<String>>,
    /// A source, when this was read, and until when the node must not request it.
    promised: Vec<(String, f64, f64)>,
    /// Promises that were still open when a new node started.
    kept_waiting: usize,
}

impl Witness {
    /// Reads what is new, over and over.
    async fn read_on(&mut self, node: &Node) {
        loop {
            for feed in FEEDS {
                let seen = self.seen.entry(feed).or_default();
                let after = seen.last().map_or(0, |item| item.sequence);
                seen.extend(node.archive(feed, after).await.unwrap());
                let document = node.document(&format!("/feeds/{feed}.json")).await;
                let ids = document.items.into_iter().map(|item| item.id.0);
                self.shown.entry(feed).or_default().extend(ids);
            }
            self.note_promises(node).await;
            pause(20).await;
        }
    }

    /// Notes until when the node will not request its sources.
    async fn note_promises(&mut self, node: &Node) {
        let sources = node.json("/api/v1/sources?search=calm&limit=500").await;
        let read_at = now();
        for source in sources["sources"].as_array().unwrap() {
            let name = source["url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
            let next =
                source["next_refresh"].as_str().map(|at| Millis::parse(at).unwrap().seconds());
            if let Some(until) = next.filter(|until| *until > read_at) {
                self.promised.push((name, read_at, until));
            }
        }
    }

    /// Compares the whole archive with what was seen before, and remembers it.
    async fn compare(&mut self, node: &Node, press: &Press) {
        self.check_promises(press);
        for feed in FEEDS {
            let archive = node.archive(feed, 0).await.expect("the node runs");
            let numbers: Vec<u64> = archive.iter().map(|item| item.sequence).collect();
            let contiguous: Vec<u64> = (1..=archive.len() as u64).collect();
            assert_eq!(numbers, contiguous, "{feed} has a gap");
            let ids: HashSet<&str> = archive.iter().map(|item| item.id.as_str()).collect();
            assert_eq!(ids.len(), archive.len(), "{feed} has an item twice");
            let seen = self.seen.entry(feed).or_default();
            assert!(archive.len() >= seen.len(), "{feed} had {}: {}", seen.len(), archive.len());
            assert_eq!(&archive[..seen.len()], &seen[..], "{feed} has changed its past");
            let lost =
                self.shown.entry(feed).or_default().iter().find(|id| !ids.contains(id.as_str()));
            assert_eq!(lost, None, "{feed} has shown what its archive does not hold");
            *seen = archive;
        }
    }

    /// Checks that no source was requested earlier than the node had said.
    fn check_promises(&mut self, press: &Press) {
        let now = now();
        for (name, read_at, until) in &self.promised {
            let early = press.asked(name).into_iter().find(|at| at > read_at && at < until);
            assert_eq!(early, None, "{name} must not be requested from {read_at} until {until}");
        }
        self.promised.retain(|(_, _, until)| *until > now);
        self.kept_waiting += self.promised.len();
    }

    /// Items published since the opening that the feed `Everything` does not hold.
    fn missing(&self, press: &Press) -> Vec<String> {
        let archive = &self.seen["Everything"];
        let held: HashSet<&str> = archive.iter().map(|item| item.id.as_str()).collect();
        let truths = press.newsroom.names().map(|name| press.newsroom.truth(name).unwrap());
        // Older items may have left the window before the first refresh.
        let opening = press.newsroom.opening();
        let items = truths.flat_map(|truth| truth.items).filter(|item| item.at >= opening);
        items.map(|item| item.guid).filter(|guid| !held.contains(guid.as_str())).collect()
    }
}
