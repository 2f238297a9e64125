//! What is asked of peers, and what it changes.

use pergola_refresh::Model;

use super::stranger::{Manner, Stranger, WINDOW};
use super::*;
use crate::house::Scene;

const PLAIN: Cooperation = Cooperation { hints: false, watch: false, archive: false };
const WATCH: Cooperation = Cooperation { hints: false, watch: true, archive: true };

/// A node that was away while its peer published more than a window, and the peer.
async fn back_again() -> (Reader, Stranger) {
    let stranger = Stranger::start().await;
    stranger.publish(5);
    let reader = Reader::of(&stranger, PLAIN).await;
    reader.reads_via("peer").await;
    reader.holds(0..5).await;
    let (folder, url) = reader.stop().await;
    stranger.publish(3 * WINDOW + 7);
    let mut config = quick_config(&folder);
    config.peers.cooperate = PLAIN;
    (Reader::open(folder, config, &url, Clock::real()).await, stranger)
}

pub(crate) async fn items_are_missed() -> Scene {
    let (reader, stranger) = back_again().await;
    (reader.house, Box::new(stranger))
}

#[tokio::test(flavor = "multi_thread")]
async fn without_archive_only_the_newest_window_comes_and_the_loss_is_counted_exactly() {
    let (reader, _stranger) = back_again().await;
    let all = 5 + 3 * WINDOW + 7;
    let mut wanted: Vec<String> = (0..5).chain(all - WINDOW..all).map(stranger::id).collect();
    wanted.sort();
    eventually("the newest window", async || {
        let mut ids = reader.ids().await;
        ids.sort();
        if ids == wanted { Ok(()) } else { Err(format!("{ids:?}")) }
    })
    .await;
    // Items are there with the commit, and counted just after it.
    eventually("the loss", async || {
        let lost = reader.json("/api/v1/status").await["lost"].as_f64().unwrap();
        if lost == (2 * WINDOW + 7) as f64 { Ok(()) } else { Err(format!("{lost} lost")) }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_may_ask_for_something_else_than_the_node_and_keeps_it() {
    let stranger = Stranger::start().await;
    stranger.publish(1);
    let reader = Reader::of(&stranger, PLAIN).await;
    reader.reads_via("peer").await;
    let url = &reader.url;
    let body = serde_json::json!({ "url": url, "cooperate": ["archive", "hints"] });
    let client = &reader.house.client;
    let ask = async |body: serde_json::Value| {
        let request = client.post(reader.house.url("/api/v1/sources")).body(body.to_string());
        let answer = request.header("content-type", "application/json").send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    };
    let (status, text) = ask(body).await;
    assert_eq!(status, 200, "{text}");
    let asked = serde_json::json!(["hints", "archive"]);
    assert_eq!(reader.source().await["peer"]["cooperate"], asked);
    let (status, text) = ask(serde_json::json!({ "url": url, "cooperate": ["push"] })).await;
    assert!(status == 400 && text.contains("push") && text.contains("watch"), "{status}: {text}");
    let reader = reader.restart(PLAIN).await;
    assert_eq!(reader.source().await["peer"]["cooperate"], asked);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watched_peer_is_refreshed_when_it_says_so_and_hardly_otherwise() {
    let stranger = Stranger::start().await;
    stranger.publish(1);
    let reader = Reader::of(&stranger, WATCH).await;
    let source = eventually("the stream", async || {
        let source = reader.source().await;
        if source["peer"]["watched"] == true { Ok(source) } else { Err(source.to_string()) }
    })
    .await;
    assert!(instant(&source["next_refresh"]).unwrap() > Clock::real().now() + 3_000.0, "{source}");
    let before = stranger.fetches().len();
    for count in 2..12 {
        stranger.publish(1);
        reader.holds(0..count).await;
    }
    let refreshes = stranger.fetches().len() - before;
    // Some hundred cycles have passed: a poll in each would be far more.
    assert!((10..=20).contains(&refreshes), "{refreshes} refreshes for ten items");
    assert_eq!(stranger.streams(), 1);
    let metrics = reader.house.client.get(reader.house.url("/metrics")).send().await.unwrap();
    let metrics = metrics.text().await.unwrap();
    assert!(metrics.contains("pergola_peer_streams 1"), "{metrics}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_its_stream_a_watched_peer_is_polled_as_usual() {
    let stranger = Stranger::start().await;
    stranger.publish(1);
    stranger.behave(Manner::Taciturn);
    let reader = Reader::of(&stranger, WATCH).await;
    reader.reads_via("peer").await;
    stranger.publish(1);
    reader.holds(0..2).await;
    assert_eq!(stranger.streams(), 0, "it does not do that now");
    assert_eq!(reader.source().await["peer"]["watched"], false);
}

/// What the scheduler believes of the source.
fn model(reader: &Reader) -> Model {
    let node = reader.house.node();
    node.schedule_of(node.find_source(&reader.url).unwrap()).unwrap().model
}

#[tokio::test(flavor = "multi_thread")]
async fn a_peers_plan_is_believed_as_long_as_it_tells_one_whatever_its_clock_shows() {
    let stranger = Stranger::start().await;
    stranger.set_clock_ahead(7_200.0);
    stranger.publish(3);
    let reader = Reader::of(&stranger, Cooperation { hints: true, ..ARCHIVE }).await;
    reader.reads_via("peer").await;
    // It says that it will refresh in a minute, which will bring one item.
    let planned = eventually("the peer's plan", async || match model(&reader) {
        Model::Relayed(relayed) => {
            let next = relayed.refreshes_after(f64::NEG_INFINITY).first().copied();
            next.ok_or_else(|| format!("{relayed:?}"))
        }
        plain => Err(format!("{plain:?}")),
    })
    .await;
    let ahead = planned.at - Clock::real().now();
    assert!((20.0..=60.5).contains(&ahead) && planned.items == 1.0, "{ahead}: {planned:?}");
    let reader = reader.restart(ARCHIVE).await;
    stranger.publish(1);
    reader.holds(0..4).await;
    eventually("the model it had before", async || match model(&reader) {
        Model::Relayed(relayed) => Err(format!("{relayed:?}")),
        _ => Ok(()),
    })
    .await;
}
