//! Questions that make no sense, and too much of everything.

use pergola_proto::v1;
use pergola_proto::v1::syndication_client::SyndicationClient;
use reqwest::StatusCode;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tonic::Code;

use super::*;

async fn one_feed() -> (Press, House) {
    let press = Press::start(&["lava"]).await;
    publish(&press, "lava", &LAVA);
    let house = named("alpha", |_| ()).await;
    make(&house, "Lava", &press.url("lava")).await;
    until_found(&house, "volcano", 2).await;
    (press, house)
}

async fn refused(house: &House, path: &str) -> (StatusCode, String) {
    let answer = house.client.get(house.url(path)).send().await.unwrap();
    (answer.status(), answer.text().await.unwrap())
}

/// The first line of the answer to a question longer than clients agree to send.
async fn longest(house: &House, bytes: usize) -> String {
    let mut stream = TcpStream::connect(house.running.address()).await.unwrap();
    let text = "x".repeat(bytes);
    let request = format!("GET /api/v1/search?q={text} HTTP/1.1\r\nhost: localhost\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    BufReader::new(stream).lines().next_line().await.unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_without_words_or_with_too_many_is_refused_with_a_reason() {
    let (_press, house) = one_feed().await;
    let long = format!("/api/v1/search?q={}", "volcano%20".repeat(130));
    for path in ["/api/v1/search?q=", "/api/v1/search?q=%20%09", &long] {
        let (status, body) = refused(&house, path).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{body}");
        assert!(body.contains("up to 1000 bytes"), "{body}");
    }
    for (path, named) in [
        ("/api/v1/search", "`q`"),
        ("/api/v1/search?q=volcano&limit=-1", "limit"),
        ("/api/v1/search?q=volcano&peers=perhaps", "peers"),
        ("/api/v1/search?q=volcano&most=3", "most"),
        ("/api/v1/feeds/Lava/suggestions?limit=many", "limit"),
    ] {
        let (status, body) = refused(&house, path).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{path}: {body}");
        assert!(body.contains(named), "{path}: {body}");
    }
    assert_eq!(longest(&house, 60_000).await, "HTTP/1.1 400 Bad Request");
    assert_eq!(longest(&house, 100_000).await, "HTTP/1.1 414 URI Too Long");
    let (status, _) = refused(&house, "/api/v1/feeds/Absent/suggestions").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn more_or_fewer_results_than_there_can_be_are_as_many_as_there_can() {
    let (_press, house) = one_feed().await;
    for (limit, count) in [("0", 1), ("1", 1), ("2", 2), ("200", 2), ("18446744073709551615", 2)] {
        let answer = json(&house, &format!("/api/v1/search?q=volcano&limit={limit}")).await;
        assert_eq!(answer["found"].as_array().unwrap().len(), count, "{limit}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn over_grpc_it_is_the_same() {
    let (_press, house) = one_feed().await;
    let mut client = SyndicationClient::connect(house.url("")).await.unwrap();
    let mut ask = async |text: String, limit: u32| {
        client
            .search(v1::SearchRequest { text, limit })
            .await
            .map(|answer| answer.into_inner().found.len())
    };
    for text in [String::new(), " \n".to_owned(), "volcano ".repeat(126)] {
        let status = ask(text, 0).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
        assert!(status.message().contains("at most 1000 bytes"), "{status}");
    }
    assert_eq!(ask("x".repeat(100_000), 0).await.unwrap_err().code(), Code::OutOfRange);
    for limit in [0, 1, u32::MAX] {
        assert_eq!(ask("volcano".to_owned(), limit).await.unwrap(), 1);
    }
}
