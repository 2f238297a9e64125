//! Archives followed: what a refresh has missed comes from older documents that the source offers.

use std::sync::LazyLock;
use std::time::Duration;

use pergola_config::Config;
use pergola_feed::write::write_atom;
use pergola_feed::{Document, Format, Item, Link, Timestamp};
use pergola_newsroom::serve::Headline;
use pergola_outside::clock::Clock;
use pergola_store::archive::SourceState;
use tempfile::TempDir;

use crate::house::{House, Press, eventually, quick_config};
use crate::origin::{Origin, Reply};

/// When the numbered items begin: about now.
static START: LazyLock<i64> = LazyLock::new(|| Clock::real().now() as i64);

/// A document of numbered items, newest first, with a way back.
pub(crate) fn document(
    origin: &Origin,
    numbers: std::ops::Range<u32>,
    older: Option<&str>,
) -> Reply {
    dated(*START, origin, numbers, older)
}

fn dated(start: i64, origin: &Origin, numbers: std::ops::Range<u32>, older: Option<&str>) -> Reply {
    let mut document = Document::new(Format::Atom);
    document.title = Some("Origin".into());
    document.links.extend(older.map(|path| Link::new("prev-archive", origin.url(path).as_str())));
    document.items = numbers
        .rev()
        .map(|number| Item {
            title: Some(format!("Item {number:02}")),
            published: Some(Timestamp::from_unix(start + i64::from(number))),
            ..Item::new(format!("urn:item:{number}"))
        })
        .collect();
    Reply::ok(write_atom(&document)).header("content-type", "application/atom+xml")
}

pub(crate) async fn house(origin: &Origin, change: impl FnOnce(&mut Config)) -> House {
    let folder = TempDir::new().unwrap();
    let mut config = quick_config(&folder);
    change(&mut config);
    let house = House::open(folder, config).await;
    let query = format!(r#"CREATE FEED All AS RETURN "{}" WINDOW 100;"#, origin.url("/feed"));
    house.node().run_script(&query, "test").await.unwrap();
    house
}

fn state(house: &House, origin: &Origin) -> SourceState {
    let id = house.node().find_source(origin.url("/feed").as_str()).unwrap();
    house.node().source(id).unwrap().1
}

pub(crate) fn titles(numbers: impl DoubleEndedIterator<Item = u32>) -> Vec<String> {
    numbers.rev().map(|number| format!("Item {number:02}")).collect()
}

pub(crate) async fn expect(house: &House, expected: &[String]) {
    eventually("the items", async || {
        let seen = house.titles("All").await;
        if seen == expected { Ok(()) } else { Err(format!("{seen:?}")) }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_missed_comes_from_the_archives_in_order_and_counts_as_delivered() {
    let origin = Origin::builder().start().await;
    // The archives are there from the beginning, but nothing is missed at the first refresh.
    origin.set("/0", document(&origin, 0..10, None));
    origin.set("/feed", document(&origin, 8..12, Some("/0")));
    let house = house(&origin, |_| {}).await;
    expect(&house, &titles(8..12)).await;
    assert_eq!(origin.hits("/0"), 0);
    origin.set("/1", document(&origin, 5..20, Some("/0")));
    origin.set("/2", document(&origin, 20..30, Some("/1")));
    origin.set("/feed", document(&origin, 36..40, Some("/3")));
    origin.set("/3", document(&origin, 30..38, Some("/2")));
    expect(&house, &titles(8..40)).await;
    assert_eq!(["/3", "/2", "/1", "/0"].map(|path| origin.hits(path)), [1, 1, 1, 0]);
    let before = origin.hits("/feed") as u64;
    let state = state(&house, &origin);
    assert_eq!((state.tally.items, state.tally.overruns), (32, 0));
    let found = state.recent.iter().map(|refresh| refresh.new_items).max();
    assert_eq!(found, Some(28), "they came with one refresh");
    // Refreshes go on meanwhile, one at a time.
    let refreshes = state.tally.requests - 3;
    assert!(
        (before - 1..=origin.hits("/feed") as u64).contains(&refreshes),
        "{refreshes} of {before}"
    );
    let metrics = house.node().metrics_text();
    assert!(metrics.contains("pergola_items_lost_total 0"), "{metrics}");
    assert!(metrics.contains("pergola_archives_followed_total 3"), "{metrics}");
}

#[tokio::test(flavor = "multi_thread")]
async fn archives_are_not_followed_when_that_is_switched_off() {
    let origin = Origin::builder().start().await;
    origin.set("/feed", document(&origin, 8..12, Some("/0")));
    let house = house(&origin, |config| config.peers.cooperate.archive = false).await;
    expect(&house, &titles(8..12)).await;
    origin.set("/0", document(&origin, 0..20, None));
    origin.set("/feed", document(&origin, 20..24, Some("/0")));
    expect(&house, &titles((8..12).chain(20..24))).await;
    assert_eq!((origin.hits("/0"), state(&house, &origin).tally.overruns), (0, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn archives_that_lead_nowhere_bring_what_they_have_and_the_loss_is_told() {
    let origin = Origin::builder().start().await;
    origin.set("/feed", document(&origin, 8..12, None));
    let house = house(&origin, |_| {}).await;
    expect(&house, &titles(8..12)).await;
    // One leads to itself, one is years old: without overlap that cannot have been missed lately.
    origin.set("/1", document(&origin, 30..34, Some("/1")));
    origin.set("/feed", document(&origin, 36..40, Some("/1")));
    let some = (8..12).chain(30..34).chain(36..40);
    expect(&house, &titles(some.clone())).await;
    assert_eq!((origin.hits("/1"), state(&house, &origin).tally.overruns), (1, 1));
    origin.set("/2", dated(1_000_000_000, &origin, 40..44, Some("/3")));
    origin.set("/feed", document(&origin, 50..54, Some("/2")));
    expect(&house, &titles(some.chain(50..54))).await;
    assert_eq!((origin.hits("/2"), origin.hits("/3")), (1, 0));
    assert_eq!(state(&house, &origin).tally.overruns, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archive_that_asks_for_quiet_is_obeyed_and_what_came_is_kept() {
    let origin = Origin::builder().start().await;
    origin.set("/feed", document(&origin, 8..12, None));
    let house = house(&origin, |_| {}).await;
    expect(&house, &titles(8..12)).await;
    origin.set("/1", Reply::status(429).header("retry-after", "5000"));
    origin.set("/feed", document(&origin, 36..40, Some("/1")));
    expect(&house, &titles((8..12).chain(36..40))).await;
    let left = state(&house, &origin).next_at - house.node().clock.now();
    assert!(left > 4_900.0, "the next refresh is in {left} s");
    assert_eq!(origin.hits("/1"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_for_archives_keep_their_distance() {
    let origin = Origin::builder().start().await;
    origin.set("/feed", document(&origin, 8..12, None));
    let folder = TempDir::new().unwrap();
    quick_config(&folder);
    let hosts = "[hosts.\"127.0.0.1\"]\nspacing = \"400 ms\"\nfloor = 0\nprivate = true\n";
    let file = folder.path().join("pergola.toml");
    std::fs::write(&file, hosts).unwrap();
    let mut config = Config::load(Some(&file), []).unwrap();
    config.node.data = folder.path().join("data");
    config.schedule.cycle = Duration::from_millis(20);
    let house = House::open(folder, config).await;
    let query = format!(r#"CREATE FEED All AS RETURN "{}" WINDOW 100;"#, origin.url("/feed"));
    house.node().run_script(&query, "test").await.unwrap();
    expect(&house, &titles(8..12)).await;
    let clock = Clock::real();
    let started = clock.now();
    origin.set("/1", document(&origin, 12..20, Some("/0")));
    origin.set("/0", document(&origin, 4..12, None));
    origin.set("/feed", document(&origin, 20..24, Some("/1")));
    expect(&house, &titles(8..24)).await;
    let took = clock.now() - started;
    assert!(took >= 0.8, "three documents, 400 ms apart, came within {took} s");
}

/// A node that reads the feed of another one as any reader would.
async fn reader(upstream: &House, folder: TempDir) -> House {
    let mut config = quick_config(&folder);
    config.peers.enabled = false;
    let house = House::open(folder, config).await;
    if house.node().feeds().is_empty() {
        let url = upstream.url("/feeds/News.atom");
        let query = format!(r#"CREATE FEED All AS RETURN "{url}" WINDOW 100;"#);
        house.node().run_script(&query, "test").await.unwrap();
    }
    house
}

/// Stops a node and leaves its folder.
async fn stopped(house: House) -> TempDir {
    let House { running, folder, .. } = house;
    running.stop(Duration::from_secs(10)).await;
    folder
}

async fn publish(press: &Press, upstream: &House, numbers: std::ops::Range<u32>) {
    for number in numbers.clone() {
        let title = format!("Item {number:02}");
        press.newsroom.publish_headline("news", Headline::new(title, &["news"])).unwrap();
        let newest = format!("Item {number:02}");
        eventually("the upstream", async || {
            let seen = upstream.titles("News").await;
            if seen.first() == Some(&newest) { Ok(()) } else { Err(format!("{seen:?}")) }
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_was_away_for_more_than_a_window_misses_nothing_of_another_node() {
    let (press, upstream) = (Press::start(&["news"]).await, House::start().await);
    let query = format!(r#"CREATE FEED News AS RETURN "{}" WINDOW 3;"#, press.url("news"));
    upstream.node().run_script(&query, "test").await.unwrap();
    publish(&press, &upstream, 0..3).await;
    let downstream = reader(&upstream, TempDir::new().unwrap()).await;
    expect(&downstream, &titles(0..3)).await;
    let folder = stopped(downstream).await;
    publish(&press, &upstream, 3..20).await;
    // The upstream knows which edition it has, and sends the difference.
    let downstream = reader(&upstream, folder).await;
    expect(&downstream, &titles(0..20)).await;
    let before = upstream.node().served();
    assert!(before.differences > 0, "{before:?}");
    let folder = stopped(downstream).await;
    publish(&press, &upstream, 20..40).await;
    // Now the upstream forgets its editions: the archives have the rest.
    let address = upstream.running.address();
    let upstream_folder = stopped(upstream).await;
    let config = quick_config(&upstream_folder);
    let upstream = House::open_at(address, upstream_folder, config).await;
    let downstream = reader(&upstream, folder).await;
    expect(&downstream, &titles(0..40)).await;
    let metrics = downstream.node().metrics_text();
    assert!(!metrics.contains("pergola_archives_followed_total 0"), "{metrics}");
    assert!(metrics.contains("pergola_items_lost_total 0"), "{metrics}");
}
