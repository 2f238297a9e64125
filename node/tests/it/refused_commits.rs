//! Feeds over a store that refuses commits or holds damaged rows.

use std::ops::ControlFlow;
use std::sync::Arc;

use pergola_config::Config;
use pergola_node::node::{FeedError, Node, close};
use pergola_outside::clock::Clock;
use pergola_outside::surroundings::Surroundings;
use pergola_store::testing::FaultyStore;
use pergola_store::{Batch, Opened, Order, Table};
use tempfile::TempDir;

use crate::house::quick_config;

const CREATE: &str =
    "CREATE FEED News AS RETURN \"http://127.0.0.1:1/a\" | OPML \"http://127.0.0.1:1/b\";";

fn open_store(config: &Config) -> Opened {
    pergola_store::open(&config.node.data, config.store.backend, config.store.cache).unwrap()
}

/// Whether a commit changes a row of this table.
fn touches(batch: &Batch, table: Table) -> bool {
    batch.iter().any(|(changed, ..)| changed == table)
}

/// A node that is opened and does not run, and its store.
async fn opened(folder: &TempDir) -> (Arc<Node>, Arc<FaultyStore>) {
    let config = quick_config(folder);
    let mut surroundings = Surroundings::real(&config, Clock::real()).unwrap();
    let store = Arc::new(FaultyStore::over(surroundings.store.store));
    surroundings.store.store = store.clone();
    (Node::open(config, surroundings).await.unwrap(), store)
}

fn urls(node: &Node) -> Vec<String> {
    node.source_list().unwrap().into_iter().map(|source| source.url).collect()
}

async fn run(node: &Node, script: &str) -> Result<(), FeedError> {
    node.run_script(script, "test").await.map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_that_cannot_be_stored_leaves_no_sources_behind() {
    let folder = TempDir::new().unwrap();
    let (node, store) = opened(&folder).await;
    store.refuse_commits_where(|batch| touches(batch, Table::Feed));
    assert!(matches!(run(&node, CREATE).await, Err(FeedError::NotCommitted(_))));
    assert_eq!(urls(&node), Vec::<String>::new());
    store.refuse_commits_where(|_| false);
    run(&node, CREATE).await.unwrap();
    assert_eq!(urls(&node), ["http://127.0.0.1:1/a", "http://127.0.0.1:1/b"]);

    // What a feed reads and names already stays when its change fails.
    store.refuse_commits_where(|batch| touches(batch, Table::Feed));
    let alter = CREATE.replace("CREATE", "ALTER").replace("1/a", "1/c");
    assert!(matches!(run(&node, &alter).await, Err(FeedError::NotCommitted(_))), "{alter}");
    assert_eq!(urls(&node), ["http://127.0.0.1:1/a", "http://127.0.0.1:1/b"]);
    drop(store);
    close(node).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sources_that_a_crash_left_behind_go_at_the_next_start() {
    let folder = TempDir::new().unwrap();
    let (node, store) = opened(&folder).await;
    let mut dead = false;
    store.refuse_commits_where(move |batch: &Batch| {
        dead |= touches(batch, Table::Feed);
        dead
    });
    assert!(run(&node, CREATE).await.is_err());
    assert_eq!(urls(&node).len(), 2, "they could not be removed");
    drop(store);
    close(node).await;
    let (node, store) = opened(&folder).await;
    assert_eq!(urls(&node), Vec::<String>::new());
    drop(store);
    close(node).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_whose_numbers_are_damaged_is_served_and_mended() {
    let folder = TempDir::new().unwrap();
    let (node, store) = opened(&folder).await;
    run(&node, CREATE).await.unwrap();
    drop(store);
    close(node).await;
    let config = quick_config(&folder);
    let Opened { store, .. } = open_store(&config);
    // The record of the feed is the only row of its table; its numbers have the key after it.
    let mut key = Vec::new();
    let mut visit = |row: &[u8], _: &[u8]| {
        key = row.to_vec();
        ControlFlow::Break(())
    };
    store.scan(Table::Feed, &[], None, Order::Ascending, &mut visit).unwrap();
    key[0] = 1;
    let mut batch = Batch::default();
    batch.put(Table::Feed, key, vec![0xff; 40]);
    store.commit(&batch).unwrap();
    drop(store);
    // It starts, and the numbers are made again from the entries.
    let node = Node::open_here(config, Clock::real()).await.unwrap();
    assert_eq!(node.listings().len(), 1);
    assert!(node.degraded()[0].contains("1 Feed"), "{:?}", node.degraded());
    node.scrub_and_mend().await.unwrap();
    assert_eq!(node.degraded(), Vec::<String>::new());
    close(node).await;
}
