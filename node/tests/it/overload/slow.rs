//! Clients that make no progress lose their place, and those who wait for the node do not.

use pergola_proto::v1;
use pergola_proto::v1::syndication_client::SyndicationClient;

use super::*;
use crate::house::{eventually, plain_client};

/// A node that waits for nobody for long.
async fn impatient_house() -> House {
    small_house(|config| {
        let short = Duration::from_millis(300);
        let node = &mut config.node;
        (node.head_timeout, node.stall_timeout, node.idle_timeout) = (short, short, short);
    })
    .await
}

/// Waits until so many clients were cut off for a reason.
async fn cut(house: &House, reason: &str, count: f64) {
    let metric = format!("pergola_connections_cut_total{{reason=\"{reason}\"}} ");
    eventually(reason, async || {
        let text = house.node().metrics_text();
        let found = text.lines().find_map(|line| line.strip_prefix(&metric)?.parse::<f64>().ok());
        if found >= Some(count) { Ok(()) } else { Err(format!("{found:?}")) }
    })
    .await;
}

/// Waits until everybody has gone, and then a stranger is served.
async fn all_places_are_free(house: &House) {
    eventually("free places", async || match house.metric("connections") {
        0.0 => Ok(()),
        open => Err(open.to_string()),
    })
    .await;
    assert!(ask(house, "/", "").await.starts_with("http/1.1 200 "));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_does_not_come_is_answered_and_its_place_is_free() {
    let house = impatient_house().await;
    let held = connect(&house, 32, HEAD_ONLY).await;
    for mut stream in held {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
        assert!(answer.contains("\"code\":\"too-slow\""), "{answer}");
    }
    cut(&house, "body", 32.0).await;
    all_places_are_free(&house).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_and_half_heads_are_cut_off() {
    let house = impatient_house().await;
    let mut held = connect(&house, 10, b"").await;
    held.extend(connect(&house, 10, b"GET / HTTP/1.1\r\nHo").await);
    for stream in &mut held {
        assert_eq!(stream.read(&mut [0]).await.unwrap(), 0);
    }
    cut(&house, "head", 20.0).await;
    all_places_are_free(&house).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_connections_are_closed_and_that_is_no_fault() {
    let house = impatient_house().await;
    let asked = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for mut stream in connect(&house, 3, asked).await {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
    assert!(!house.node().metrics_text().contains("connections_cut_total{"));
    all_places_are_free(&house).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_read_its_answers_is_cut_off() {
    let house = impatient_house().await;
    let _unread = connect(&house, 5, &many_questions()).await;
    cut(&house, "reader", 5.0).await;
    all_places_are_free(&house).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_opens_no_window_for_its_answer_is_cut_off() {
    let house = impatient_house().await;
    let client = plain_client().http2_prior_knowledge().http2_initial_stream_window_size(100);
    let client = client.no_proxy().build().unwrap();
    let unread = client.get(house.url("/api/openapi.json")).send().await.unwrap();
    cut(&house, "reader", 1.0).await;
    assert!(unread.bytes().await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_without_news_outlasts_every_patience() {
    let house = impatient_house().await;
    let query = |name: &str| format!("CREATE FEED {name} AS RETURN \"http://127.0.0.1:9/a\";");
    house.node().run_script(&query("News"), "test").await.unwrap();
    let mut client = SyndicationClient::connect(house.url("")).await.unwrap();
    let request = v1::WatchRequest { feed: "News".into(), cursor: String::new() };
    let mut stream = client.watch(request).await.unwrap().into_inner();
    stream.message().await.unwrap().unwrap();
    // Each of these is given up after the time that the stream is given, one after the other.
    for count in 1..=4 {
        let _slow = connect(&house, 1, b"G").await;
        cut(&house, "head", f64::from(count)).await;
    }
    house.node().run_script("DROP FEED News;", "test").await.unwrap();
    let ended = stream.message().await.unwrap_err();
    assert_eq!(ended.code(), tonic::Code::NotFound, "it was told, not cut off: {ended}");
}
