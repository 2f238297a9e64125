//! Streams: told at once, told once, ended in time.

use std::time::Duration;

use pergola_proto::v1;
use pergola_proto::v1::syndication_client::SyndicationClient;
use tonic::Code;
use tonic::transport::Endpoint;

use super::Stand;

#[tokio::test(flavor = "multi_thread")]
async fn a_watcher_is_told_how_far_the_feed_has_come_and_of_every_change() {
    let mut stand = Stand::open().await;
    stand.publish(3).await;
    let cursor = stand.fetch("").await.cursor;
    let mut stream = stand.watch(&cursor).await;
    let first = stream.message().await.unwrap().unwrap();
    assert_eq!((first.pending, &first.head), (0, &cursor), "there is nothing to fetch");
    stand.publish(2).await;
    let mut told = stream.message().await.unwrap().unwrap();
    while told.pending < 2 {
        told = stream.message().await.unwrap().unwrap();
    }
    assert_eq!(told.pending, 2);
    let fetched = stand.fetch(&cursor).await;
    assert_eq!((fetched.entries.len(), &fetched.cursor), (2, &told.head));
    // An edit is news, too, though no entry is pending.
    let mut stream = stand.watch(&fetched.cursor).await;
    assert_eq!(stream.message().await.unwrap().unwrap().head, fetched.cursor);
    stand.edit(0, "other").await;
    let told = stream.message().await.unwrap().unwrap();
    assert_eq!(told.pending, 0);
    assert_ne!(told.head, fetched.cursor);
    assert_eq!(stand.fetch(&fetched.cursor).await.cursor, told.head);
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_of_another_feed_wake_nobody() {
    let mut stand = Stand::open().await;
    stand.publish(1).await;
    let mut stream = stand.watch("").await;
    stream.message().await.unwrap().unwrap();
    for query in ["CREATE FEED Other AS RETURN FEED Paper;", "DROP FEED Other;"] {
        stand.house.node().run_script(query, "test").await.unwrap();
    }
    stand.publish(1).await;
    let next = stream.message().await.unwrap().unwrap();
    assert_eq!(next.pending, 1, "the next message is of this feed's own change");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happens_while_nobody_reads_is_told_once() {
    let mut stand = Stand::open().await;
    // A connection with room for less than one message.
    let endpoint = Endpoint::from_shared(stand.house.url("")).unwrap();
    let channel = endpoint.initial_stream_window_size(32).connect().await.unwrap();
    let mut slow = SyndicationClient::new(channel);
    let request = v1::WatchRequest { feed: "Paper".into(), cursor: String::new() };
    let mut stream = slow.watch(request).await.unwrap().into_inner();
    for _ in 0..20 {
        stand.publish(1).await;
    }
    let mut messages = 0;
    loop {
        messages += 1;
        if stream.message().await.unwrap().unwrap().pending == 20 {
            break;
        }
    }
    assert!(messages < 10, "{messages} messages for a reader that did not read");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_ends_when_the_feed_is_dropped() {
    let mut stand = Stand::open().await;
    stand.publish(1).await;
    let mut stream = stand.watch("").await;
    stream.message().await.unwrap().unwrap();
    stand.house.node().run_script("DROP FEED Paper;", "test").await.unwrap();
    assert_eq!(stream.message().await.unwrap_err().code(), Code::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_does_not_wait_for_open_streams() {
    let mut stand = Stand::open().await;
    stand.publish(1).await;
    let mut streams = Vec::new();
    for _ in 0..20 {
        let mut stream = stand.watch("").await;
        stream.message().await.unwrap().unwrap();
        streams.push(stream);
    }
    let Stand { house, client, .. } = stand;
    let stopped = house.running.stop(Duration::from_secs(60));
    tokio::time::timeout(Duration::from_secs(20), stopped).await.expect("it stops at once");
    for mut stream in streams {
        let ended = stream.message().await.unwrap_err();
        assert_eq!(ended.code(), Code::Unavailable, "{ended}");
    }
    drop(client);
}
