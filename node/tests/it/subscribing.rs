//! Reading the feeds of other nodes.

mod cooperating;
mod distrusting;
mod stranger;
mod upgrading;

use std::time::Duration;

use pergola_config::Config;
use pergola_manners::Cooperation;
use pergola_node::node::{NewSource, Node};
use pergola_outside::clock::Clock;
use serde_json::Value;
use tempfile::TempDir;
use tokio::net::TcpListener;

use crate::house::{House, eventually, instant, quick_config};
pub(crate) use cooperating::items_are_missed;
use stranger::Stranger;

/// What is asked of peers in most of these tests.
const ARCHIVE: Cooperation = Cooperation { hints: false, watch: false, archive: true };

/// A node that reads a stranger's feed, and republishes it as `Copy`.
struct Reader {
    house: House,
    url: String,
}

impl Reader {
    async fn of(stranger: &Stranger, cooperate: Cooperation) -> Self {
        Self::with(&stranger.url(), |config| config.peers.cooperate = cooperate).await
    }

    async fn with(url: &str, change: impl FnOnce(&mut Config)) -> Self {
        let folder = TempDir::new().unwrap();
        let mut config = quick_config(&folder);
        change(&mut config);
        Self::open(folder, config, url, Clock::real()).await
    }

    async fn open(folder: TempDir, config: Config, url: &str, clock: Clock) -> Self {
        let node = Node::open_here(config, clock).await.unwrap();
        node.add_sources(vec![NewSource::feed(url).unwrap()]).await.unwrap();
        let copy = format!("CREATE FEED Copy AS RETURN \"{url}\";");
        if node.feed("Copy").is_none() {
            node.run_script(&copy, "test").await.unwrap();
        }
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let running = node.start(listener).unwrap();
        let client = crate::house::plain_client().no_proxy().build().unwrap();
        Self { house: House { running, folder, client }, url: url.to_owned() }
    }

    /// Stops, and starts again on the same folder.
    async fn restart(self, cooperate: Cooperation) -> Self {
        let folder = self.stop().await;
        let mut config = quick_config(&folder.0);
        config.peers.cooperate = cooperate;
        Self::open(folder.0, config, &folder.1, Clock::real()).await
    }

    async fn stop(self) -> (TempDir, String) {
        let House { running, folder, .. } = self.house;
        running.stop(Duration::from_secs(10)).await;
        (folder, self.url)
    }

    async fn json(&self, path: &str) -> Value {
        let url = self.house.url(path);
        let text = self.house.client.get(url).send().await.unwrap().text().await.unwrap();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}: {text}"))
    }

    /// How the source stands.
    async fn source(&self) -> Value {
        self.json("/api/v1/sources").await["sources"][0].clone()
    }

    /// The ids of everything that the copy holds, in order.
    async fn ids(&self) -> Vec<String> {
        let page = self.json("/api/v1/feeds/Copy/items?limit=1000").await;
        let id = |item: &Value| item["id"].as_str().unwrap().to_owned();
        page["items"].as_array().unwrap().iter().map(id).collect()
    }

    /// Waits until the copy holds exactly the items with these numbers, each once.
    async fn holds(&self, numbers: std::ops::Range<usize>) {
        let wanted: Vec<String> = numbers.map(stranger::id).collect();
        eventually("every item exactly once", async || {
            let mut ids = self.ids().await;
            ids.sort();
            let mut sorted = wanted.clone();
            sorted.sort();
            if ids == sorted {
                Ok(())
            } else {
                Err(format!("{} of {}: {ids:?}", ids.len(), wanted.len()))
            }
        })
        .await;
    }

    /// Waits until the source is read like this.
    async fn reads_via(&self, via: &str) -> Value {
        eventually(&format!("being read via {via}"), async || {
            let source = self.source().await;
            let answered = via == "http" || source["peer"]["node"].is_string();
            if source["via"] == via && answered { Ok(source) } else { Err(source.to_string()) }
        })
        .await
    }

    /// Waits until refreshes of the source fail, which must not keep it away for long.
    async fn fails_for_less_than_a_minute(&self) -> Value {
        let source = eventually("the failure", async || {
            let source = self.source().await;
            if source["standing"] == "failing" { Ok(source) } else { Err(source.to_string()) }
        })
        .await;
        let next = instant(&source["next_refresh"]).unwrap() - Clock::real().now();
        assert!(next < 60.0, "{next} s");
        source
    }
}
