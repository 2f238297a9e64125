//! Search: at one node and its peers, by programs, other nodes and people.

mod bounds;
mod nodes;
mod people;

use pergola_config::Config;
use pergola_newsroom::serve::Headline;
use serde_json::Value;
use tempfile::TempDir;

use crate::house::{House, Press, eventually, quick_config};

/// What the sources of the first node publish; the second one has gardening.
const LAVA: [&str; 3] = ["A volcano erupts", "The volcano calms down", "Lava reaches the village"];
const CHESS: [&str; 2] = ["The chess final ends in a draw", "A chess opening explained"];
const GARDEN: [&str; 2] = ["Roses in the garden", "Pruning roses before winter"];

/// Two nodes: alpha publishes Lava and Chess, beta reads alpha's Lava, and publishes it beside its own Garden.
struct Two {
    press: Press,
    alpha: House,
    beta: House,
}

impl Two {
    async fn open() -> Self {
        let press = Press::start(&["lava", "chess", "garden"]).await;
        for (source, titles) in [("lava", &LAVA[..]), ("chess", &CHESS), ("garden", &GARDEN)] {
            publish(&press, source, titles);
        }
        let alpha = named("alpha", |_| ()).await;
        make(&alpha, "Lava", &press.url("lava")).await;
        make(&alpha, "Chess", &press.url("chess")).await;
        let beta = named("beta", |_| ()).await;
        make(&beta, "Copy", &alpha.url("/feeds/Lava.atom")).await;
        make(&beta, "Garden", &press.url("garden")).await;
        eventually("beta to read alpha as a peer", async || {
            let sources = json(&beta, "/api/v1/sources").await;
            let via = sources["sources"]
                .as_array()
                .unwrap()
                .iter()
                .any(|source| source["via"] == "peer" && source["peer"]["node"].is_string());
            if via { Ok(()) } else { Err(sources.to_string()) }
        })
        .await;
        until_found(&alpha, "chess", 2).await;
        until_found(&beta, "volcano", 2).await;
        until_found(&beta, "roses", 2).await;
        Self { press, alpha, beta }
    }
}

async fn named(name: &str, change: impl FnOnce(&mut Config)) -> House {
    let folder = TempDir::new().unwrap();
    let mut config = quick_config(&folder);
    config.node.name = name.to_owned();
    change(&mut config);
    House::open(folder, config).await
}

fn publish(press: &Press, source: &str, titles: &[&str]) {
    for title in titles {
        press.newsroom.publish_headline(source, Headline::new(*title, &["news"])).unwrap();
    }
}

/// A feed that publishes a source whole.
async fn make(house: &House, feed: &str, source: &str) {
    let query = format!("CREATE FEED {feed} AS RETURN \"{source}\";");
    house.node().run_script(&query, "test").await.unwrap();
}

async fn json(house: &House, path: &str) -> Value {
    let answer = house.client.get(house.url(path)).send().await.unwrap();
    let (status, text) = (answer.status(), answer.text().await.unwrap());
    assert!(status.is_success(), "{path}: {status}: {text}");
    serde_json::from_str(&text).unwrap()
}

async fn until_found(house: &House, word: &str, count: usize) {
    eventually("what was published to be found", async || {
        let answer = json(house, &format!("/api/v1/search?q={word}")).await;
        let found = answer["found"].as_array().unwrap().len();
        if found == count { Ok(()) } else { Err(answer.to_string()) }
    })
    .await;
}
