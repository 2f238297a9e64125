//! All places are taken.

use super::*;

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
