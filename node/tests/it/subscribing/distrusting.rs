//! Peers that lie, stall or send too much: noticed, read over HTTP for a while, and nothing is lost.

use super::stranger::{Manner, Stranger, WINDOW};
use super::*;

/// A peer misbehaves, is read over HTTP meanwhile, and behaves again: every item is there once.
async fn survives(manner: Manner, because: &str) {
    let stranger = Stranger::start().await;
    stranger.publish(5);
    let folder = TempDir::new().unwrap();
    let mut config = quick_config(&folder);
    config.peers.cooperate = ARCHIVE;
    config.crawl.timeout = Duration::from_secs(1);
    // A setback of an hour takes some seconds.
    let clock = Clock::accelerated(600.0);
    let reader = Reader::open(folder, config, &stranger.url(), clock).await;
    reader.reads_via("peer").await;
    reader.holds(0..5).await;
    stranger.behave(manner);
    stranger.publish(3);
    reader.holds(0..8).await;
    let source = eventually("the reason", async || {
        let source = reader.source().await;
        let why = source["peer"]["http_because"].as_str().unwrap_or_default().to_owned();
        if why.contains(because) { Ok(source) } else { Err(source.to_string()) }
    })
    .await;
    assert_eq!(source["via"], "http", "{source}");
    // More than a window, of which HTTP shows only the end.
    stranger.publish(3 * WINDOW);
    stranger.behave(Manner::Honest);
    reader.holds(0..8 + 3 * WINDOW).await;
    reader.reads_via("peer").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cursor_that_does_not_move() {
    survives(Manner::Stuck, "does not move").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_that_go_backwards() {
    survives(Manner::Backwards, "go backwards").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_node_in_its_place() {
    survives(Manner::OtherNode, "another node answers").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_too_large() {
    survives(Manner::Oversized, "OutOfRange").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_without_an_item() {
    survives(Manner::Broken, "an entry cannot be read: `item` is missing").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_is_not_there_any_more() {
    survives(Manner::Unimplemented, "Unimplemented").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_peer_that_never_answers() {
    survives(Manner::Mute, "too slow").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_peer_that_forgets_its_cursors_is_read_from_its_oldest_entry() {
    let stranger = Stranger::start().await;
    stranger.publish(5);
    let reader = Reader::of(&stranger, ARCHIVE).await;
    reader.reads_via("peer").await;
    stranger.behave(Manner::Forgetful);
    stranger.publish(2 * WINDOW);
    reader.holds(0..5 + 2 * WINDOW).await;
    // It goes on like that, and is not read from its oldest entry again and again.
    let source = reader.reads_via("http").await;
    assert!(source["peer"]["http_because"].as_str().unwrap().contains("cursor"), "{source}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_is_hours_off_does_no_harm() {
    for ahead in [5.0 * 3_600.0, -5.0 * 3_600.0] {
        let stranger = Stranger::start().await;
        stranger.set_clock_ahead(ahead);
        stranger.publish(5);
        let hints = Cooperation { hints: true, ..ARCHIVE };
        let reader = Reader::of(&stranger, hints).await;
        reader.reads_via("peer").await;
        stranger.publish(2 * WINDOW);
        reader.holds(0..5 + 2 * WINDOW).await;
        let peer = reader.source().await["peer"].clone();
        assert_eq!(
            (peer["completeness"].as_f64(), peer["freshness"].as_f64()),
            (Some(0.5), Some(0.25))
        );
    }
}
