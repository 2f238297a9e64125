//! A node whose store is damaged: it serves the rest, says so, and mends what it can.

use std::ops::ControlFlow;
use std::time::Duration;

use pergola_newsroom::serve::Headline;
use pergola_node::node::Node;
use pergola_outside::clock::Clock;
use pergola_outside::surroundings::Surroundings;
use pergola_store::testing::FaultyStore;
use pergola_store::{Batch, Order, Store, Table};
use tempfile::TempDir;
use tokio::net::TcpListener;

use crate::following::{self, document, expect, titles};
use crate::house::{House, Press, Scene, eventually, quick_config};
use crate::origin::Origin;

/// A node with a feed of three items, each refreshed by itself.
async fn three_items() -> (Press, House) {
    let (press, house) = (Press::start(&["news"]).await, House::start().await);
    let url = press.url("news");
    let create = format!(r#"CREATE FEED News AS RETURN "{url}";"#);
    house.node().run_script(&create, "test").await.unwrap();
    for number in 1..=3 {
        press
            .newsroom
            .publish_headline("news", Headline::new(format!("Item {number}"), &["x"]))
            .unwrap();
        shows(&house, number).await;
    }
    (press, house)
}

async fn shows(house: &House, items: usize) {
    eventually("items", async || {
        let seen = house.titles("News").await;
        if seen.len() == items { Ok(()) } else { Err(format!("{seen:?}")) }
    })
    .await;
}

/// The keys of a table.
fn keys(store: &dyn Store, table: Table) -> Vec<Vec<u8>> {
    let mut keys = Vec::new();
    let mut visit = |key: &[u8], _: &[u8]| {
        keys.push(key.to_vec());
        ControlFlow::Continue(())
    };
    store.scan(table, &[], None, Order::Ascending, &mut visit).unwrap();
    keys
}

/// Stops the node, flips a bit of the rows with these numbers in each table, and starts it again.
async fn damaged(house: House, rows: &[(Table, usize)]) -> House {
    let House { running, folder, .. } = house;
    running.stop(Duration::from_secs(10)).await;
    let config = quick_config(&folder);
    let store = pergola_store::open(&config.node.data, None, 1 << 20).unwrap().store;
    let mut batch = Batch::default();
    for (table, number) in rows {
        let key = keys(&*store, *table)[*number].clone();
        let mut row = store.get(*table, &key).unwrap().unwrap();
        let middle = row.len() / 2;
        row[middle] ^= 2;
        batch.put(*table, key, row);
    }
    store.commit(&batch).unwrap();
    drop(store);
    House::open(folder, config).await
}

async fn readiness(house: &House) -> (u16, serde_json::Value) {
    let answer = house.client.get(house.url("/readyz")).send().await.unwrap();
    let status = answer.status().as_u16();
    (status, serde_json::from_str(&answer.text().await.unwrap()).unwrap())
}

/// An event for the metrics.
pub(crate) async fn rows_are_damaged() -> Scene {
    let (press, house) = three_items().await;
    let house = damaged(house, &[(Table::Chunk, 1)]).await;
    house.titles("News").await;
    (house, Box::new(press))
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_items_are_passed_told_and_stored_again_from_the_source() {
    let (_press, house) = three_items().await;
    let house = damaged(house, &[(Table::Chunk, 1)]).await;
    // The source does not answer until it was looked at.
    assert_eq!(house.titles("News").await, ["Item 3", "Item 1"], "the rest is served");
    let (status, body) = readiness(&house).await;
    assert_eq!((status, &body["ready"]), (200, &true.into()), "{body}");
    assert!(body["degraded"][0].as_str().unwrap().contains("1 Chunk"), "{body}");
    assert_eq!(house.metric("store_damaged_rows"), 1.0);
    assert_eq!(house.metric("degraded"), 1.0);
    assert!(house.metric("entries_unreadable_total") >= 1.0);
    let home = house.client.get(house.url("/")).send().await.unwrap().text().await.unwrap();
    assert!(home.contains("is damaged"), "{home}");
    assert!(house.node().status().notices[0].contains("damaged"));

    house.node().scrub_and_mend().await.unwrap();
    eventually("the item to come back", async || {
        let seen = house.titles("News").await;
        if seen == ["Item 3", "Item 2", "Item 1"] { Ok(()) } else { Err(format!("{seen:?}")) }
    })
    .await;
    let feed = house.node().feed("News").unwrap();
    assert_eq!(house.node().tally(feed.id).unwrap().next, 3, "nothing was published twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_items_that_the_window_no_longer_shows_come_from_the_archive_of_the_source() {
    let origin = Origin::builder().start().await;
    origin.set("/feed", document(&origin, 0..4, None));
    let house = following::house(&origin, |_| {}).await;
    expect(&house, &titles(0..4)).await;
    origin.set("/0", document(&origin, 0..4, None));
    origin.set("/feed", document(&origin, 3..8, Some("/0")));
    expect(&house, &titles(0..8)).await;
    // The window moves on; what was seen before is in the archive only.
    origin.set("/feed", document(&origin, 6..10, Some("/0")));
    expect(&house, &titles(0..10)).await;
    assert_eq!(origin.hits("/0"), 0, "nothing was missed so far");
    let house = damaged(house, &[(Table::Chunk, 0)]).await;
    assert_eq!(house.titles("All").await.len(), 6, "four are lost");
    house.node().scrub_and_mend().await.unwrap();
    // In any order: their dates were in the future when they came, and are not by now.
    eventually("all items", async || {
        let mut seen = house.titles("All").await;
        seen.sort_by(|one, other| other.cmp(one));
        if seen == titles(0..10) { Ok(()) } else { Err(format!("{seen:?}")) }
    })
    .await;
    let feed = house.node().feed("All").unwrap();
    assert_eq!(house.node().tally(feed.id).unwrap().next, 10, "nothing was published twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_items_come_from_the_peer_that_has_them() {
    let (_press, upstream) = three_items().await;
    let folder = TempDir::new().unwrap();
    let config = quick_config(&folder);
    let copy = House::open(folder, config).await;
    let url = upstream.url("/feeds/News");
    let create = format!("CREATE FEED News AS RETURN \"{url}\";");
    copy.node().run_script(&create, "test").await.unwrap();
    shows(&copy, 3).await;
    let copy = damaged(copy, &[(Table::Chunk, 0)]).await;
    assert!(copy.titles("News").await.len() < 3, "some are lost");
    copy.node().scrub_and_mend().await.unwrap();
    shows(&copy, 3).await;
    let feed = copy.node().feed("News").unwrap();
    assert_eq!(copy.node().tally(feed.id).unwrap().next, 3, "nothing was published twice");
    let sources = copy.client.get(copy.url("/api/v1/sources")).send().await.unwrap();
    let sources: serde_json::Value = serde_json::from_str(&sources.text().await.unwrap()).unwrap();
    assert_eq!(sources["sources"][0]["via"], "peer", "{sources}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_whose_state_and_memory_are_damaged_starts_anew_without_duplicates() {
    let (press, house) = three_items().await;
    let rows = [(Table::State, 0), (Table::Known, 0), (Table::Model, 0)];
    let house = damaged(house, &rows).await;
    press.newsroom.publish_headline("news", Headline::new("Item 4", &["x"])).unwrap();
    shows(&house, 4).await;
    assert_eq!(house.titles("News").await, ["Item 4", "Item 3", "Item 2", "Item 1"]);
    let feed = house.node().feed("News").unwrap();
    assert_eq!(house.node().tally(feed.id).unwrap().next, 4);
    house.node().scrub_and_mend().await.unwrap();
    assert_eq!(house.node().degraded(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_entry_and_member_stop_nobody_and_are_mended() {
    let (_press, house) = three_items().await;
    let house = damaged(house, &[(Table::Entry, 2), (Table::Member, 0)]).await;
    assert_eq!(house.titles("News").await, ["Item 2", "Item 1"]);
    house.node().scrub_and_mend().await.unwrap();
    assert_eq!(house.node().degraded(), Vec::<String>::new());
    let feed = house.node().feed("News").unwrap();
    let items = house.node().newest_items(feed.id, 9).unwrap();
    assert_eq!(items.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_takes_the_place_of_a_damaged_source_or_feed() {
    let (_press, house) = three_items().await;
    let house = damaged(house, &[(Table::Source, 0)]).await;
    assert_eq!(house.titles("News").await, ["Item 3", "Item 2", "Item 1"], "its items are served");
    house.node().scrub_and_mend().await.unwrap();
    assert!(house.node().degraded()[0].contains("1 Source"), "only a backup has it");
    house.node().clear_out().await.unwrap();
    assert_eq!(house.titles("News").await.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_on_a_full_disk_starts_serves_and_resumes_when_there_is_room() {
    let (_press, house) = three_items().await;
    let House { running, folder, client } = house;
    running.stop(Duration::from_secs(10)).await;
    let mut config = quick_config(&folder);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    config.node.public_url = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
    let mut surroundings = Surroundings::real(&config, Clock::real()).unwrap();
    let store = std::sync::Arc::new(FaultyStore::over(surroundings.store.store));
    store.refuse_commits(true);
    surroundings.store.store = store.clone();
    let node = Node::open(config, surroundings).await.unwrap();
    let house = House { running: node.start(listener).unwrap(), folder, client };
    assert_eq!(house.titles("News").await, ["Item 3", "Item 2", "Item 1"]);
    let (status, body) = readiness(&house).await;
    assert_eq!((status, &body["ready"]), (200, &true.into()), "{body}");
    assert!(body["degraded"][0].as_str().unwrap().contains("nearly full"), "{body}");
    store.refuse_commits(false);
    let record = house.node().run_script("CREATE FEED Other AS RETURN OPML \"all\";", "test").await;
    record.unwrap();
    assert_eq!(readiness(&house).await.1["degraded"], serde_json::json!([]));
    let House { running, folder: _folder, .. } = house;
    drop(store);
    running.stop(Duration::from_secs(10)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_feed_over_a_closed_one_is_warned_of() {
    let folder = TempDir::new().unwrap();
    let mut config = quick_config(&folder);
    let text = "[[reader]]\nname = \"anna\"\ntoken = \"a token that is long enough\"\n";
    std::fs::write(folder.path().join("readers.toml"), text).unwrap();
    let readers =
        pergola_config::Config::load(Some(&folder.path().join("readers.toml")), []).unwrap();
    config.readers = readers.readers;
    let house = House::open(folder, config).await;
    let node = house.node();
    let create = |text: &'static str| async move { node.run_script(text, "test").await.unwrap() };
    create("CREATE FEED Closed AS RETURN OPML \"all\";").await;
    node.set_readers("Closed", Some(vec!["anna".into()])).await.unwrap();
    create("CREATE FEED Open AS RETURN FEED Closed;").await;
    let notices = node.status().notices;
    let told = notices
        .iter()
        .any(|notice| notice.contains("feed Open is open to everybody and reads Closed"));
    assert!(told, "{notices:?}");
    node.set_readers("Open", Some(vec!["anna".into()])).await.unwrap();
    assert!(!node.status().notices.iter().any(|notice| notice.contains("Closed")));
}
