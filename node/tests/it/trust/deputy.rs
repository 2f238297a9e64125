//! Nobody makes a node fetch from a private host, or with credentials, what they could not fetch themselves.
//!
//! `127.0.0.1` stands for the world: a source there is a stranger's. `localhost` is the private host that the
//! configuration names, with a token.

use std::time::Duration;

use pergola_config::{HostCredentials, Secret};
use pergola_outside::clock::Clock;
use reqwest::StatusCode;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;

use super::house_with_readers;
use crate::house::{House, eventually, quick_config};
use crate::origin::{Origin, Reply};

/// A node that refreshes only when it is asked to, and shows `localhost` the token of alice.
async fn house() -> House {
    let folder = TempDir::new().unwrap();
    let mut config = quick_config(&folder);
    config.schedule.cycle = Duration::from_secs(100 * 86_400);
    let mut rule = config.hosts.named["127.0.0.1"].clone();
    let token = Some(Secret::new("the token of alice"));
    rule.credentials = HostCredentials { token, ..HostCredentials::default() };
    config.hosts.named.insert("localhost".to_owned(), rule);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    config.node.public_url = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
    House::open_with(folder, config, Clock::real(), listener).await
}

async fn post(house: &House, path: &str, body: Value) -> (StatusCode, Value) {
    let request = house.client.post(house.url(path)).header("content-type", "application/json");
    let answer = request.body(body.to_string()).send().await.unwrap();
    let status = answer.status();
    (status, serde_json::from_str(&answer.text().await.unwrap()).unwrap())
}

async fn get(house: &House, path: &str) -> Value {
    let text = house.client.get(house.url(path)).send().await.unwrap().text().await.unwrap();
    serde_json::from_str(&text).unwrap()
}

async fn create(house: &House, query: &str) {
    let (status, answer) =
        post(house, "/api/v1/feeds", json!({"query": query, "force": true})).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
}

/// Refreshes a source by its number; what went wrong.
async fn refresh(house: &House, id: u32) -> String {
    let path = format!("/api/v1/sources/{id}/refresh?force=true");
    let (_, report) = post(house, &path, json!({})).await;
    let trouble = report["report"]["trouble"].as_str().or(report["detail"].as_str());
    trouble.unwrap_or_default().to_owned()
}

fn feed(titles: &[&str]) -> Reply {
    let item =
        |title: &&str| format!("<item><title>{title}</title><guid>urn:{title}</guid></item>");
    let items: String = titles.iter().map(item).collect();
    Reply::ok(format!("<rss version=\"2.0\"><channel><title>Feed</title>{items}</channel></rss>"))
        .header("content-type", "application/rss+xml")
}

fn page(content: &str) -> Reply {
    Reply::ok(content.to_owned()).header("content-type", "text/html")
}

/// The private host, which knows a secret and writes down who asks.
async fn inside() -> Origin {
    Origin::builder()
        .page("/feed", feed(&["Secret"]))
        .page("/robots.txt", Reply::ok("User-agent: *\nDisallow: /nothing\n"))
        .page("/page", page("<html><ul><li><a href=\"/1\">Secret</a></li></ul></html>"))
        .page("/hub", Reply::status(202))
        .start()
        .await
}

/// The address of the private host, by its private name.
fn private(inside: &Origin, path: &str) -> String {
    inside.url(path).as_str().replace("127.0.0.1", "localhost")
}

fn nobody_asked(inside: &Origin) {
    for path in ["/feed", "/robots.txt", "/page", "/hub"] {
        let asked = inside.requests(path);
        assert!(asked.is_empty(), "{path}: {asked:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_of_a_stranger_does_not_fetch_a_closed_feed_of_a_private_peer() {
    let upstream = house_with_readers(|_| ()).await;
    let news = Origin::builder().page("/news", feed(&["Volcano"])).start().await;
    let query = format!(r#"ALTER FEED Hidden AS RETURN "{}";"#, news.url("/news"));
    upstream.node().run_script(&query, "test").await.unwrap();
    eventually("the item at its first node", async || {
        let listing = upstream.node().listing("Hidden").unwrap();
        if listing.tally.next == 1 { Ok(()) } else { Err(format!("{listing:?}")) }
    })
    .await;
    let hidden = upstream.url("/feeds/Hidden.atom").replace("127.0.0.1", "localhost");
    for status in [301, 302, 303, 307, 308] {
        let house = house().await;
        let stranger =
            Origin::builder().page("/feed", Reply::redirect(status, &hidden)).start().await;
        create(&house, &format!(r#"CREATE FEED Copy AS RETURN "{}";"#, stranger.url("/feed")))
            .await;
        let trouble = refresh(&house, 1).await;
        assert_eq!(house.titles("Copy").await, [""; 0], "{status}");
        assert!(
            trouble.contains("localhost") && trouble.contains("pergola source add"),
            "{trouble}"
        );
        // Whoever is named by the operator is let in as before.
        create(&house, &format!(r#"CREATE FEED Own AS RETURN "{hidden}";"#)).await;
        assert_eq!(refresh(&house, 2).await, "");
        assert_eq!(house.titles("Own").await, ["Volcano"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_does_not_lead_to_the_feed_of_a_private_host() {
    let (house, inside) = (house().await, inside().await);
    let link = format!(
        "<html><head><link rel=\"alternate\" type=\"application/rss+xml\" href=\"{}\"></head></html>",
        private(&inside, "/feed")
    );
    let stranger = Origin::builder().page("/", page(&link)).start().await;
    create(&house, &format!(r#"CREATE FEED Copy AS RETURN "{}";"#, stranger.url("/"))).await;
    let trouble = refresh(&house, 1).await;
    assert!(trouble.contains("localhost") && trouble.contains("pergola source add"), "{trouble}");
    assert_eq!(house.titles("Copy").await, [""; 0]);
    nobody_asked(&inside);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_strangers_names_no_private_host_even_if_the_operator_reads_it_elsewhere() {
    for known in [false, true] {
        let (house, inside) = (house().await, inside().await);
        let (secret, public) = (private(&inside, "/feed"), feed(&["Public"]));
        let stranger = Origin::builder().page("/public", public).start().await;
        let outlines = format!(
            "<opml version=\"2.0\"><body><outline xmlUrl=\"{secret}\"/><outline xmlUrl=\"{}\"/></body></opml>",
            stranger.url("/public")
        );
        stranger.set("/list", Reply::ok(outlines).header("content-type", "text/x-opml"));
        if known {
            create(&house, &format!(r#"CREATE FEED Own AS RETURN "{secret}";"#)).await;
            assert_eq!(refresh(&house, 1).await, "");
            assert_eq!(house.titles("Own").await, ["Secret"]);
        }
        create(&house, &format!(r#"CREATE FEED Copy AS RETURN OPML "{}";"#, stranger.url("/list")))
            .await;
        refresh(&house, 1 + u32::from(known)).await;
        eventually("the member that may be read", async || {
            refresh(&house, 2 + u32::from(known)).await;
            let titles = house.titles("Copy").await;
            if titles == ["Public"] { Ok(()) } else { Err(format!("{titles:?}")) }
        })
        .await;
        if !known {
            nobody_asked(&inside);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hub_on_a_private_host_is_not_asked_for_a_stranger() {
    let (house, inside) = (house().await, inside().await);
    let hub = private(&inside, "/hub");
    let stranger = Origin::builder().start().await;
    let links = format!("<{hub}>; rel=\"hub\", <{}>; rel=\"self\"", stranger.url("/feed"));
    stranger.set("/feed", feed(&["Public"]).header("link", &links));
    create(&house, &format!(r#"CREATE FEED Copy AS RETURN "{}";"#, stranger.url("/feed"))).await;
    assert_eq!(refresh(&house, 1).await, "");
    // One on its own host is, and that request comes later.
    let own = format!(
        "<{}>; rel=\"hub\", <{}>; rel=\"self\"",
        stranger.url("/hub"),
        stranger.url("/feed")
    );
    stranger.set("/hub", Reply::redirect(307, &hub));
    stranger.set("/feed", feed(&["Public", "More"]).header("link", &own));
    refresh(&house, 1).await;
    eventually("a request to the hub", async || {
        if stranger.hits("/hub") > 0 { Ok(()) } else { Err("none".to_owned()) }
    })
    .await;
    eventually("the hub's failure", async || {
        let push = get(&house, "/api/v1/sources/1").await["push"].clone();
        if push["trouble"].is_string() { Ok(()) } else { Err(push.to_string()) }
    })
    .await;
    nobody_asked(&inside);
}

#[tokio::test(flavor = "multi_thread")]
async fn robots_txt_and_pages_do_not_lead_to_a_private_host() {
    let (house, inside) = (house().await, inside().await);
    let html = "<html><ul><li><a href=\"/1\">Public</a></li></ul></html>";
    let stranger = Origin::builder()
        .page("/robots.txt", Reply::redirect(302, &private(&inside, "/robots.txt")))
        .page("/news", page(html))
        .start()
        .await;
    let url = stranger.url("/news").to_string();
    post(&house, "/api/v1/sources", json!({"url": url, "page": {"item": "li"}})).await;
    nobody_asked(&inside);
    stranger.set("/robots.txt", Reply::status(404));
    let other = Origin::builder()
        .page("/robots.txt", Reply::status(404))
        .page("/news", Reply::redirect(302, &private(&inside, "/page")))
        .start()
        .await;
    let url = other.url("/news").to_string();
    post(&house, "/api/v1/sources", json!({"url": url, "page": {"item": "li"}})).await;
    nobody_asked(&inside);
}
