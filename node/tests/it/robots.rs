//! Pages that are read by selectors, where robots.txt lets us.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::api::{feed, get, post, quiet_house};
use crate::house::House;
use crate::origin::{Origin, Reply};

const PAGE: &str = "<html><ul><li><a href=\"/1\">One</a></li></ul></html>";

async fn site(robots: Reply) -> Origin {
    let page = || Reply::ok(PAGE).header("content-type", "text/html");
    Origin::builder()
        .page("/robots.txt", robots)
        .page("/news", page())
        .page("/private/news", page())
        .page("/rss", feed(&["One"]))
        .start()
        .await
}

async fn add_page(house: &House, origin: &Origin, path: &str) -> (StatusCode, Value) {
    let url = origin.url(path).to_string();
    post(house, "/api/v1/sources", json!({"url": url, "page": {"item": "li"}})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_robots_txt_forbids_is_not_read_and_the_rule_is_named() {
    let house = quiet_house().await;
    let robots = "User-agent: *\nDisallow:\n\nUser-agent: pergola\nDisallow: /private/\n";
    let origin = site(Reply::ok(robots)).await;
    let (status, problem) = add_page(&house, &origin, "/private/news").await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("line 5: `Disallow: /private/`"), "{detail}");
    assert_eq!(origin.hits("/private/news"), 0);
    let (status, added) = add_page(&house, &origin, "/news").await;
    assert_eq!(
        (status, &added["report"]["new_items"]),
        (StatusCode::CREATED, &json!(1)),
        "{added}"
    );
    assert_eq!(origin.hits("/news"), 1);
    assert_eq!(origin.hits("/robots.txt"), 1, "it is remembered");
    let asked = &origin.requests("/robots.txt")[0];
    assert!(asked.text("user-agent").starts_with("Pergola/"), "{asked:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_without_the_file_forbids_nothing_and_a_feed_needs_no_permission() {
    let house = quiet_house().await;
    let open = site(Reply::status(404)).await;
    assert_eq!(add_page(&house, &open, "/news").await.0, StatusCode::CREATED);
    let closed = site(Reply::ok("User-agent: *\nDisallow: /\n")).await;
    let url = closed.url("/rss").to_string();
    let (status, added) = post(&house, "/api/v1/sources", json!({"url": url})).await;
    assert_eq!(status, StatusCode::CREATED, "{added}");
    assert_eq!(closed.hits("/robots.txt"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_that_cannot_say_what_it_allows_is_tried_again_later() {
    let house = quiet_house().await;
    let origin = site(Reply::status(500)).await;
    let (status, added) = add_page(&house, &origin, "/news").await;
    assert_eq!(status, StatusCode::CREATED, "{added}");
    let trouble = added["report"]["trouble"].as_str().unwrap();
    assert!(trouble.contains("robots.txt of 127.0.0.1 could not be read"), "{trouble}");
    assert!(added["report"]["next_refresh"].is_string(), "{added}");
    assert_eq!(origin.hits("/news"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_does_not_lead_to_a_page_that_is_forbidden() {
    let house = quiet_house().await;
    let origin = site(Reply::ok("User-agent: *\nDisallow: /private/\n")).await;
    origin.set("/news", Reply::redirect(302, "/private/news"));
    let (status, problem) = add_page(&house, &origin, "/news").await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("`Disallow: /private/`"), "{problem}");
    assert_eq!((origin.hits("/news"), origin.hits("/private/news")), (1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_file_may_be_elsewhere_and_not_in_a_private_network() {
    let house = quiet_house().await;
    let other = site(Reply::ok("User-agent: *\nDisallow: /news\n")).await;
    let origin = site(Reply::redirect(301, other.url("/robots.txt").as_str())).await;
    let (status, problem) = add_page(&house, &origin, "/news").await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
    assert_eq!((other.hits("/robots.txt"), origin.hits("/news")), (1, 0));
    let inward = site(Reply::redirect(302, "http://10.9.8.7/robots.txt")).await;
    let (status, problem) = add_page(&house, &inward, "/news").await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("10.9.8.7"), "{problem}");
    assert_eq!(inward.hits("/news"), 0);
    let (_, status) = get(&house, "/api/v1/status").await;
    assert_eq!(status["sources"], 0, "{status}");
}
