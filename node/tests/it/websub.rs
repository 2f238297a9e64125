//! WebSub as its text describes it: a reader that subscribes at the node's hub, and a hub that tells the
//! node of a source.

mod hub;
mod reader;
mod site;
mod subscriber;
mod together;

use pergola_config::Config;
use pergola_newsroom::serve::Headline;
use pergola_outside::clock::Clock;
use tempfile::TempDir;
use tokio::net::TcpListener;
use url::Url;

use crate::house::{House, Press, eventually, quick_config};
pub(crate) use subscriber::a_hub_leaves_something_out;
pub(crate) use together::{a_hub_pushes, a_reader_subscribes};

/// A node that is known to the world by the address it listens at.
async fn node(change: impl FnOnce(&mut Config)) -> House {
    node_by(Clock::real(), change).await
}

async fn node_by(clock: Clock, change: impl FnOnce(&mut Config)) -> House {
    let folder = TempDir::new().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut config = quick_config(&folder);
    config.node.public_url =
        Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
    change(&mut config);
    House::open_with(folder, config, clock, listener).await
}

/// Stops a node and starts it again at the same address, with the same configuration.
async fn restarted(house: House) -> House {
    let address = house.running.address();
    let config = Config::clone(&house.node().config());
    let House { running, folder, .. } = house;
    running.stop(std::time::Duration::from_secs(10)).await;
    let listener = TcpListener::bind(address).await.unwrap();
    House::open_with(folder, config, Clock::real(), listener).await
}

/// A node with the feed `News` of a source that says what it is told to.
async fn newsstand(change: impl FnOnce(&mut Config)) -> (Press, House) {
    let press = Press::start(&["news"]).await;
    let house = node(change).await;
    let query = format!(r#"CREATE FEED News AS RETURN "{}";"#, press.url("news"));
    house.node().run_script(&query, "test").await.unwrap();
    (press, house)
}

/// Publishes an item, and waits until the node's feed has it.
async fn publish(press: &Press, house: &House, title: &str) {
    press.newsroom.publish_headline("news", Headline::new(title, &["news"])).unwrap();
    shows(house, "News", title).await;
}

async fn shows(house: &House, feed: &str, title: &str) {
    eventually(title, async || {
        let seen = house.titles(feed).await;
        if seen.iter().any(|other| other == title) { Ok(()) } else { Err(format!("{seen:?}")) }
    })
    .await;
}

/// The value of a metric, 0 if it is not there.
async fn metric(house: &House, name: &str) -> f64 {
    let text = house.client.get(house.url("/metrics")).send().await.unwrap().text().await.unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.map_or(0.0, |value| value.parse().unwrap())
}

async fn eventually_counts(house: &House, name: &str, value: f64) {
    eventually(name, async || {
        let seen = metric(house, name).await;
        if seen == value { Ok(()) } else { Err(seen.to_string()) }
    })
    .await;
}
