//! All places are taken.

use tokio::task::JoinSet;
use tonic::codegen::tokio_stream;

use super::*;
use crate::house::{eventually, plain_client};

/// Health checks and the operator are answered, and everybody else is told to come back.
async fn is_still_there(house: &House) {
    for path in ["/healthz", "/readyz", "/metrics", "/healthz"] {
        let answer = ask(house, path, "").await;
        assert!(answer.starts_with("http/1.1 200 "), "{path}: {answer}");
    }
    let answer = ask(house, "/api/v1/config", &as_operator()).await;
    assert!(answer.starts_with("http/1.1 200 "), "the operator: {answer}");
    let answer = ask(house, "/", "").await;
    assert!(answer.starts_with("http/1.1 503 "), "a stranger: {answer}");
    assert!(answer.contains("\r\nretry-after: "), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_never_come_do_not_silence_the_node() {
    let house = small_house(|_| {}).await;
    let _held = connect(&house, 200, HEAD_ONLY).await;
    is_still_there(&house).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_clients_and_half_heads_do_not_silence_the_node() {
    let house = small_house(|_| {}).await;
    let _silent = connect(&house, 100, b"").await;
    let _slow = connect(&house, 100, b"GET / HTTP/1.1\r\nHo").await;
    is_still_there(&house).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_nobody_reads_do_not_silence_the_node() {
    let house = small_house(|_| {}).await;
    let _unread = connect(&house, 64, &many_questions()).await;
    is_still_there(&house).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stalled_streams_do_not_silence_the_node() {
    let house = small_house(|_| {}).await;
    let url = house.url("/hub");
    let mut stalled = JoinSet::new();
    for _ in 0..64 {
        let client = plain_client().http2_prior_knowledge().no_proxy().build().unwrap();
        let never = tokio_stream::pending::<Result<bytes::Bytes, std::io::Error>>();
        let request = client.post(&url).body(reqwest::Body::wrap_stream(never));
        stalled.spawn(async move { request.send().await.map(|answer| answer.status()) });
    }
    let taken = || house.metric("connections") >= 32.0;
    eventually("all places taken", async || if taken() { Ok(()) } else { Err("not yet".into()) })
        .await;
    is_still_there(&house).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_that_keeps_coming_does_not_silence_the_node() {
    let house = small_house(|_| {}).await;
    let _seats = connect(&house, 32, HEAD_ONLY).await;
    // More than may stand, before, between and after the health checks.
    for _ in 0..5 {
        let _more = connect(&house, 40, HEAD_ONLY).await;
        let _silent = connect(&house, 40, b"").await;
        is_still_there(&house).await;
    }
    let unanswered = "connections_shed_total{reason=\"unanswered\"}";
    assert!(house.metric(unanswered) > 0.0, "those who say nothing make room");
    assert!(house.metric("connections_shed_total{reason=\"full\"}") > 0.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_place_that_is_free_again_is_given_to_the_next() {
    let house = small_house(|_| {}).await;
    let held = connect(&house, 32, HEAD_ONLY).await;
    assert!(ask(&house, "/", "").await.starts_with("http/1.1 503 "));
    drop(held);
    eventually("a free place", async || {
        let answer = ask(&house, "/", "").await;
        if answer.starts_with("http/1.1 200 ") { Ok(()) } else { Err(answer) }
    })
    .await;
}
