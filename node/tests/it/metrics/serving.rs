//! What happens to a node that others read, and to one that reads others.

use std::sync::Arc;

use pergola_config::{Config, Secret};
use pergola_manners::Cooperation;
use pergola_newsroom::serve::Headline;
use pergola_node::node::Node;
use pergola_outside::clock::Clock;
use pergola_outside::surroundings::Surroundings;
use pergola_proto::v1;
use pergola_proto::v1::syndication_client::SyndicationClient;
use pergola_store::testing::FaultyStore;
use tempfile::TempDir;
use tokio::net::TcpListener;

use crate::house::{House, Press, Scene, eventually, plain_client, quick_config};

const CREATE: &str = "CREATE FEED News AS RETURN \"http://127.0.0.1:1/\";";

/// A node over a store that can be made to fail.
async fn over_faults() -> (House, Arc<FaultyStore>) {
    let folder = TempDir::new().unwrap();
    let config = quick_config(&folder);
    let mut surroundings = Surroundings::real(&config, Clock::real()).unwrap();
    let store = Arc::new(FaultyStore::over(surroundings.store.store));
    surroundings.store.store = store.clone();
    let node = Node::open(config, surroundings).await.unwrap();
    let running = node.start(TcpListener::bind("127.0.0.1:0").await.unwrap()).unwrap();
    (House { running, folder, client: plain_client().build().unwrap() }, store)
}

pub(super) async fn a_commit_is_refused() -> Scene {
    let (house, store) = over_faults().await;
    store.refuse_commits(true);
    assert!(house.node().run_script(CREATE, "test").await.is_err());
    (house, Box::new(store))
}

pub(super) async fn a_feed_cannot_be_rendered() -> Scene {
    let (house, store) = over_faults().await;
    house.node().run_script(CREATE, "test").await.unwrap();
    store.fail_scans(true);
    let answer = house.client.get(house.url("/feeds/News.atom")).send().await.unwrap();
    assert_eq!(answer.status(), 503);
    (house, Box::new(store))
}

async fn house_with(change: impl FnOnce(&mut Config)) -> House {
    let folder = TempDir::new().unwrap();
    let mut config = quick_config(&folder);
    change(&mut config);
    House::open(folder, config).await
}

pub(super) async fn a_node_asks_for_too_much() -> Scene {
    let house = house_with(|config| {
        config.peers.limits.streams = 1;
        config.api.token = Some(Secret::new("the operator's token"));
    })
    .await;
    house.node().run_script(CREATE, "test").await.unwrap();
    let mut caller = SyndicationClient::connect(house.url("")).await.unwrap();
    let request = || v1::WatchRequest { feed: "News".into(), cursor: String::new() };
    let stream = caller.watch(request()).await.unwrap();
    caller.watch(request()).await.unwrap_err();
    (house, Box::new((caller, stream)))
}

/// A node that publishes what it reads, and one that reads its feed and is told of news.
async fn two() -> (House, House, Press) {
    let press = Press::start(&["news"]).await;
    let publish = |title: &str| {
        press.newsroom.publish_headline("news", Headline::new(title, &["news"])).unwrap();
    };
    publish("First");
    let ours = House::start().await;
    let query = format!("CREATE FEED News AS RETURN \"{}\";", press.url("news"));
    ours.node().run_script(&query, "test").await.unwrap();
    let theirs = house_with(|config| {
        config.peers.cooperate = Cooperation { hints: true, watch: true, archive: true };
    })
    .await;
    let query = format!("CREATE FEED Copy AS RETURN \"{}\";", ours.url("/feeds/News"));
    theirs.node().run_script(&query, "test").await.unwrap();
    eventually("the stream", async || {
        let streams = theirs.metric("peer_streams");
        if streams > 0.0 { Ok(()) } else { Err(streams.to_string()) }
    })
    .await;
    publish("Second");
    (ours, theirs, press)
}

pub(super) async fn a_node_reads_us() -> Scene {
    let (ours, theirs, press) = two().await;
    (ours, Box::new((theirs, press)))
}

pub(super) async fn we_read_a_node() -> Scene {
    let (ours, theirs, press) = two().await;
    (theirs, Box::new((ours, press)))
}
