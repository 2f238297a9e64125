//! A feed of another node is recognised by itself and read over gRPC, and over HTTP where that fails.

use super::stranger::{Manner, Stranger, WINDOW};
use super::*;
use crate::origin::{Origin, Reply};

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_with_the_header_is_read_over_grpc_after_one_get_and_nothing_comes_twice() {
    let stranger = Stranger::start().await;
    stranger.publish(5);
    let reader = Reader::of(&stranger, ARCHIVE).await;
    let source = reader.reads_via("peer").await;
    assert_eq!(source["peer"]["name"], "Stranger");
    assert_eq!(source["peer"]["feed"], "F");
    assert_eq!(source["peer"]["cooperate"], serde_json::json!(["archive"]));
    reader.holds(0..5).await;
    stranger.publish(3);
    reader.holds(0..8).await;
    assert_eq!(stranger.gets(), 1);
    let log = reader.source().await;
    assert_eq!(log["standing"], "well", "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_cursor_survives_a_restart_and_whatever_was_published_meanwhile_comes_in_pages() {
    let stranger = Stranger::start().await;
    stranger.publish(5);
    let reader = Reader::of(&stranger, ARCHIVE).await;
    reader.reads_via("peer").await;
    let stopped = reader.stop().await;
    stranger.publish(8 * WINDOW);
    let mut config = quick_config(&stopped.0);
    config.peers.cooperate = ARCHIVE;
    let asked = stranger.fetches().len();
    let reader = Reader::open(stopped.0, config, &stopped.1, Clock::real()).await;
    reader.holds(0..5 + 8 * WINDOW).await;
    assert_eq!(stranger.gets(), 1, "no document was needed again");
    assert_eq!(stranger.fetches()[asked].cursor, "c5");
    let lost = reader.json("/api/v1/status").await["lost"].as_f64().unwrap();
    assert_eq!(lost, 0.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_published_between_the_document_and_the_first_page_is_fetched_too() {
    let stranger = Stranger::start().await;
    stranger.publish(5);
    stranger.behave(Manner::Unimplemented);
    let folder = TempDir::new().unwrap();
    let mut config = quick_config(&folder);
    config.peers.cooperate = ARCHIVE;
    // A setback of an hour takes a second.
    let clock = Clock::accelerated(3_600.0);
    let reader = Reader::open(folder, config.clone(), &stranger.url(), clock).await;
    reader.holds(0..5).await;
    eventually("a refusal", async || match stranger.fetches().len() {
        0 => Err("not asked yet".to_owned()),
        _ => Ok(()),
    })
    .await;
    let (folder, url) = reader.stop().await;
    stranger.publish(4 * WINDOW);
    stranger.behave(Manner::Honest);
    stranger.answer_http(503);
    let reader = Reader::open(folder, config, &url, Clock::accelerated(3_600.0)).await;
    // Nothing but the newest window would come without a cursor; the rest is asked for.
    reader.holds(0..5 + 4 * WINDOW).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn switched_off_it_stays_with_http() {
    let stranger = Stranger::start().await;
    stranger.publish(5);
    let reader = Reader::with(&stranger.url(), |config| config.peers.enabled = false).await;
    reader.holds(0..5).await;
    stranger.publish(1);
    reader.holds(0..6).await;
    let source = reader.source().await;
    assert_eq!(
        (source["via"].as_str(), source["peer"].is_null()),
        (Some("http"), true),
        "{source}"
    );
    assert_eq!(stranger.fetches(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_of_another_major_version_is_read_over_http() {
    let stranger = Stranger::start().await;
    stranger.speak("v2");
    stranger.publish(5);
    let reader = Reader::of(&stranger, ARCHIVE).await;
    reader.holds(0..5).await;
    stranger.publish(1);
    reader.holds(0..6).await;
    assert_eq!(stranger.fetches(), [], "it speaks nothing that we understand");
}

#[tokio::test(flavor = "multi_thread")]
async fn behind_a_proxy_without_http_2_it_is_read_over_http_and_says_why() {
    let body = |count: usize| {
        let entry =
            |n: usize| format!("<entry><id>{}</id><title>{n}</title></entry>", stranger::id(n));
        let entries: String = (0..count).map(entry).collect();
        format!("<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>S</title>{entries}</feed>")
    };
    let reply = |count| Reply::ok(body(count)).header("pergola-feed", "v1 F");
    let origin = Origin::builder().page("/feeds/F", reply(2)).start().await;
    let url = origin.url("/feeds/F").to_string();
    let reader = Reader::with(&url, |config| config.peers.cooperate = ARCHIVE).await;
    reader.holds(0..2).await;
    let source = eventually("the fall-back", async || {
        let source = reader.source().await;
        if source["peer"]["http_because"].is_string() {
            Ok(source)
        } else {
            Err(source.to_string())
        }
    })
    .await;
    assert_eq!(source["via"], "http");
    origin.set("/feeds/F", reply(3));
    reader.holds(0..3).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_peer_that_is_away_is_a_failure_like_any_and_tried_again_soon() {
    let stranger = Stranger::start().await;
    stranger.publish(5);
    let reader = Reader::of(&stranger, ARCHIVE).await;
    reader.reads_via("peer").await;
    reader.holds(0..5).await;
    let url = stranger.url();
    drop(stranger);
    let source = reader.fails_for_less_than_a_minute().await;
    assert_eq!(source["via"], "peer", "{url} is still a peer: {source}");
}

/// A peer that is read over HTTP, because over gRPC it could not be.
async fn read_over_http() -> (Stranger, Reader) {
    let stranger = Stranger::start().await;
    stranger.publish(5);
    let reader = Reader::of(&stranger, ARCHIVE).await;
    reader.reads_via("peer").await;
    stranger.behave(Manner::Unimplemented);
    reader.reads_via("http").await;
    (stranger, reader)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_peer_that_goes_away_while_it_is_read_over_http_is_tried_again_soon() {
    let (stranger, reader) = read_over_http().await;
    drop(stranger);
    reader.fails_for_less_than_a_minute().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_peer_whose_proxy_answers_for_it_is_tried_again_soon() {
    let (stranger, reader) = read_over_http().await;
    stranger.answer_http(502);
    reader.fails_for_less_than_a_minute().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_peer_that_wants_quiet_gets_it() {
    let stranger = Stranger::start().await;
    stranger.publish(5);
    let reader = Reader::of(&stranger, ARCHIVE).await;
    reader.reads_via("peer").await;
    stranger.behave(Manner::Tired(40));
    let source = eventually("the pause", async || {
        let source = reader.source().await;
        // What is durable is told a moment before the scheduler knows of it.
        let settled = instant(&source["next_refresh"]).is_some_and(|at| at > Clock::real().now());
        let paused = source["standing"] == "paused" && settled;
        if paused { Ok(source) } else { Err(source.to_string()) }
    })
    .await;
    let asked = stranger.fetches().len();
    let wait = instant(&source["next_refresh"]).unwrap() - Clock::real().now();
    assert!((35.0..60.0).contains(&wait), "{wait} s");
    assert_eq!((source["via"].as_str(), stranger.gets()), (Some("peer"), 1));
    // The scheduler refreshes another source again and again, and leaves this one alone.
    let feed = "<rss version='2.0'><channel><title>Other</title></channel></rss>";
    let other = Origin::builder().page("/feed", Reply::ok(feed)).start().await;
    let source = NewSource::feed(other.url("/feed").as_str()).unwrap();
    reader.house.node().add_sources(vec![source]).await.unwrap();
    eventually("refreshes of another source", async || match other.hits("/feed") {
        0..5 => Err(format!("{} so far", other.hits("/feed"))),
        _ => Ok(()),
    })
    .await;
    assert_eq!(stranger.fetches().len(), asked);
}
