//! What one caller may take.

use pergola_config::{Config, Secret};
use pergola_node::peer::Limits;
use pergola_proto::v1;
use prost::Message;
use tempfile::TempDir;
use tonic::Code;

use super::{Stand, connect};
use crate::house::{plain_client, quick_config};

/// A node to which callers without a token are strangers.
async fn among_strangers(change: impl FnOnce(&mut Config)) -> Stand {
    let folder = TempDir::new().unwrap();
    let mut config = quick_config(&folder);
    config.api.token = Some(Secret::new("the operator's token"));
    change(&mut config);
    Stand::open_with(folder, config).await
}

fn watch() -> v1::WatchRequest {
    v1::WatchRequest { feed: "Paper".into(), cursor: String::new() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_may_watch_so_many_feeds_and_no_more() {
    let stand = among_strangers(|_| {}).await;
    let mut client = connect(&stand.house).await;
    let mut streams = Vec::new();
    for _ in 0..stand.house.node().config().peers.limits.streams {
        streams.push(client.watch(watch()).await.unwrap().into_inner());
    }
    let refused = client.watch(watch()).await.unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted);
    let wait: u64 =
        refused.metadata().get("retry-after").unwrap().to_str().unwrap().parse().unwrap();
    assert!(wait >= 1);
    assert!(stand.house.metric("peer_calls_refused_total") >= 1.0);
    // Other calls go on, others at the same address are not concerned, and a place is free when a stream ends.
    client.list_feeds(v1::ListFeedsRequest::default()).await.unwrap();
    connect(&stand.house).await.watch(watch()).await.unwrap();
    streams.pop();
    crate::house::eventually("a free place", async || {
        client.watch(watch()).await.map(drop).map_err(|status| status.to_string())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_readers_behind_one_address_can_watch() {
    let mut stand = among_strangers(|_| {}).await;
    let mut streams = Vec::new();
    for _ in 0..1_000 {
        let mut client = connect(&stand.house).await;
        let mut stream = client.watch(watch()).await.unwrap().into_inner();
        stream.message().await.unwrap().unwrap();
        streams.push((client, stream));
    }
    stand.publish(1).await;
    for (_, stream) in &mut streams {
        while stream.message().await.unwrap().unwrap().pending < 1 {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_watches_as_much_as_it_likes() {
    let stand = among_strangers(|config| {
        config.peers.limits.streams = 1;
        config.peers.limits.requests_per_minute = 10;
    })
    .await;
    let mut client = connect(&stand.house).await;
    let mut streams = Vec::new();
    for _ in 0..40 {
        let mut request = tonic::Request::new(watch());
        let token = "Bearer the operator's token".parse().unwrap();
        request.metadata_mut().insert("authorization", token);
        streams.push(client.watch(request).await.unwrap());
    }
    client.watch(watch()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_that_does_not_read_its_answers_gets_no_more_of_them() {
    let mut stand = among_strangers(|_| {}).await;
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
