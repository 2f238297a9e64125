//! What one caller may take.

use pergola_node::peer::Limits;
use pergola_proto::v1;
use prost::Message;
use tonic::Code;

use super::{Stand, connect};
use crate::house::plain_client;

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_may_watch_so_many_feeds_and_no_more() {
    let stand = Stand::open().await;
    let request = || v1::WatchRequest { feed: "Paper".into(), cursor: String::new() };
    let (mut clients, mut streams) = (Vec::new(), Vec::new());
    for number in 0..stand.house.node().config().peers.limits.streams {
        if number % 100 == 0 {
            clients.push(connect(&stand.house).await);
        }
        let client = clients.last_mut().unwrap();
        streams.push(client.watch(request()).await.unwrap().into_inner());
    }
    let mut client = connect(&stand.house).await;
    let refused = client.watch(request()).await.unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted);
    let wait: u64 =
        refused.metadata().get("retry-after").unwrap().to_str().unwrap().parse().unwrap();
    assert!(wait >= 1);
    assert!(stand.house.metric("peer_calls_refused_total") >= 1.0);
    // Other calls go on, and a place is free when a stream ends.
    client.list_feeds(v1::ListFeedsRequest::default()).await.unwrap();
    streams.pop();
    crate::house::eventually("a free place", async || {
        client.watch(request()).await.map(drop).map_err(|status| status.to_string())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_that_does_not_read_its_answers_gets_no_more_of_them() {
    let mut stand = Stand::open().await;
    stand.padding = 20_000;
    stand.publish(50).await;
    let client = plain_client()
        .http2_prior_knowledge()
        .http2_initial_stream_window_size(100)
        .no_proxy()
        .build()
        .unwrap();
    let question =
        v1::FetchRequest { feed: "Paper".into(), newest: u32::MAX, ..v1::FetchRequest::default() };
    let mut body = vec![0];
    body.extend(u32::try_from(question.encoded_len()).unwrap().to_be_bytes());
    body.extend(question.encode_to_vec());
    let ask = async || {
        let request = client
            .post(stand.house.url("/pergola.v1.Syndication/Fetch"))
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .body(body.clone());
        request.send().await.unwrap()
    };
    let mut unread = Vec::new();
    for _ in 0..Limits::default().answers_per_caller {
        let answer = ask().await;
        assert!(answer.headers().get("grpc-status").is_none(), "it is being answered");
        unread.push(answer);
    }
    let refused = ask().await;
    assert_eq!(refused.headers()["grpc-status"], "8");
    drop(unread);
    crate::house::eventually("an answer again", async || {
        match ask().await.headers().get("grpc-status") {
            None => Ok(()),
            Some(code) => Err(format!("{code:?}")),
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_of_megabytes_is_refused() {
    let mut stand = Stand::open().await;
    let request = v1::FetchRequest { cursor: "x".repeat(1 << 20), ..super::asked() };
    let refused = stand.client.fetch(request).await.unwrap_err();
    assert_eq!(refused.code(), Code::OutOfRange, "{refused}");
}
