//! Sources that cannot be read, or that send too much.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::harness::{Home, Node, Press, eventually, silent};
use crate::origin::{Origin, Reply};

/// Crawls a bad source and a good one for one feed: the failure is reported and counted, and the items of the good
/// one arrive.
async fn beside_a_good_source(bad: &str, failure: &str, message: &[&str]) {
    let press = Press::start([silent("good")]).await;
    let home = Home::new("");
    let node = home.start().await;
    press.publish("good", "Before");
    mixed_feed(&node, bad, &press).await;
    node.shows("Mixed", "Before").await;
    let trouble = eventually("the trouble of the source", async || {
        let source = node.source(bad).await;
        source["trouble"].as_str().map(str::to_owned).ok_or(source.to_string())
    })
    .await;
    for part in message {
        assert!(trouble.contains(part), "`{part}` is not in: {trouble}");
    }
    assert_eq!(node.source(bad).await["standing"], "failing");
    let labels = [r#"outcome="failed""#, &format!(r#"failure="{failure}""#)];
    let counted = node.metric("pergola_refreshes_total", &labels).await;
    assert!(counted >= Some(1.0), "{labels:?} was counted {counted:?} times");
    press.publish("good", "After");
    node.shows("Mixed", "After").await;
    assert_eq!(node.titles("Mixed").await, ["After", "Before"]);
    assert_eq!(node.get("/readyz").await.0, 200);
    node.stop().await;
    assert!(!home.log().contains("panicked"), "{}", home.log());
}

async fn mixed_feed(node: &Node, bad: &str, press: &Press) {
    let good = press.url("good");
    node.create_feed(&format!(r#"CREATE FEED Mixed AS RETURN "{bad}" | "{good}";"#)).await;
}

async fn answering(reply: Reply, failure: &str, message: &[&str]) {
    let origin = Origin::builder().page("/feed", reply).start().await;
    beside_a_good_source(origin.url("/feed").as_str(), failure, message).await;
}

/// A port where nobody listens.
async fn closed_port() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_cannot_be_reached() {
    let url = format!("http://{}/feed", closed_port().await);
    beside_a_good_source(&url, "connect", &["cannot connect to 127.0.0.1", "check that"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_does_not_exist() {
    beside_a_good_source("http://name.invalid/feed", "dns", &["name.invalid"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_does_not_speak_tls() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/feed", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut greeting = [0; 1_024];
            let _ = stream.read(&mut greeting).await;
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
    });
    beside_a_good_source(&url, "tls", &["no trusted connection to 127.0.0.1"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_never_ends() {
    answering(Reply::endless(), "too-large", &["sends more than", "crawl.max_body"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_drips() {
    let drips = Reply::dripping(Duration::from_millis(100));
    answering(drips, "timeout", &["127.0.0.1", "was too slow to send its document"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gzip_bomb() {
    let bomb = Reply::ok(vec![b' '; 64 << 20]).packed("gzip");
    answering(bomb, "bomb", &["unpacks to more than", "attack"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_instead_of_a_feed() {
    let page = "<!DOCTYPE html><html><head><title>Hi</title></head><body><p>No feed</p></body>";
    let reply = Reply::ok(page).header("content-type", "text/html");
    answering(reply, "not-a-feed", &["feed"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_items_in_one_document_all_arrive() {
    let mut document = String::from("<rss version=\"2.0\"><channel><title>Many</title>");
    for number in 0..10_000 {
        let item = format!("<item><guid>{number}</guid><title>Item {number}</title></item>");
        write!(document, "{item}").unwrap();
    }
    document.push_str("</channel></rss>");
    let origin = Origin::builder().page("/feed", Reply::ok(document)).start().await;
    let press = Press::start([silent("good")]).await;
    let home = Home::new("");
    let node = home.start().await;
    press.publish("good", "Before");
    mixed_feed(&node, origin.url("/feed").as_str(), &press).await;
    let all = eventually("all items", async || {
        let all = node.archive("Mixed", 0).await.unwrap();
        if all.len() == 10_001 { Ok(all) } else { Err(format!("{} items", all.len())) }
    })
    .await;
    let mut titles: Vec<&str> = all.iter().map(|item| item.title.as_str()).collect();
    titles.sort_unstable();
    titles.dedup();
    assert_eq!(titles.len(), 10_001);
    press.publish("good", "After");
    node.shows("Mixed", "After").await;
}
