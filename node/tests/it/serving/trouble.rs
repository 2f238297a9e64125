//! What is said when something does not work.

use http::StatusCode;
use pergola_outside::clock::Clock;

use super::kiosk::{FEED, Kiosk, item, listing};

const ATOM: &str = "/feeds/News.atom";

#[tokio::test]
async fn a_store_that_fails_is_a_503_until_it_works_again() {
    let kiosk = Kiosk::with(Clock::accelerated(1e6), |shelf| shelf);
    kiosk.shelf.put(listing(FEED, "News"));
    kiosk.publish(FEED, vec![item("one")]);
    kiosk.store.fail_scans(true);
    let failed = kiosk.get(ATOM, &[]).await;
    assert_eq!(failed.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(failed.header("retry-after"), "10");
    assert_eq!(failed.header("content-type"), "application/problem+json");
    assert_eq!(kiosk.shelf.counts().failed, 1);
    kiosk.store.fail_scans(false);
    assert_eq!(kiosk.get(ATOM, &[]).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_failure_stands_for_all_who_wait_for_the_same_document() {
    let kiosk = Kiosk::with_news();
    kiosk.store.fail_scans(true);
    for _ in 0..5 {
        assert_eq!(kiosk.get(ATOM, &[]).await.status, StatusCode::SERVICE_UNAVAILABLE);
    }
    let tried = kiosk.store.scans();
    assert!(tried < 5, "asked {tried} times within a moment");
}

#[tokio::test]
async fn the_edition_before_is_sent_while_the_new_one_cannot_be_rendered() {
    let kiosk = Kiosk::with_news();
    let before = kiosk.get(ATOM, &[]).await;
    kiosk.shelf.set_next_refresh(FEED, kiosk.clock.now() + 1000.0);
    kiosk.publish(FEED, vec![item("three")]);
    kiosk.store.fail_scans(true);
    let answer = kiosk.get(ATOM, &[]).await;
    assert_eq!((answer.status, &answer.body), (StatusCode::OK, &before.body));
    assert_eq!(answer.header("cache-control"), "public, max-age=0", "it is not good for long");
    assert_eq!(kiosk.shelf.counts().outdated, 1);
    let never_sent = kiosk.get("/feeds/News.rss", &[]).await;
    assert_eq!(never_sent.status, StatusCode::SERVICE_UNAVAILABLE);
    kiosk.store.fail_scans(false);
    kiosk.publish(FEED, vec![item("four")]);
    assert!(kiosk.get(ATOM, &[]).await.text().contains("Title of four"));
}

#[tokio::test]
async fn an_unknown_feed_names_the_nearest_one_and_the_list() {
    let kiosk = Kiosk::with_news();
    let answer = kiosk.get("/feeds/Newz.rss", &[]).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    assert_eq!(answer.header("content-type"), "application/problem+json");
    let problem: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(problem["status"], 404);
    assert_eq!(problem["links"], serde_json::json!(["/feeds/News", "/opml"]));
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("\"Newz\"; did you mean \"News\"?"), "{detail}");
    let page = kiosk.get("/feeds/Newz", &[("accept", "text/html")]).await;
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert!(page.text().contains("href=\"/feeds/News\""));
    let odd = kiosk.get("/feeds/%3Cscript%3E%FF%2", &[("accept", "text/html")]).await;
    assert!(odd.status == StatusCode::NOT_FOUND && !odd.text().contains("<script"));
}

#[tokio::test]
async fn who_accepts_nothing_we_have_is_told_what_there_is() {
    let kiosk = Kiosk::with_news();
    let answer = kiosk.get("/feeds/News", &[("accept", "image/png")]).await;
    assert_eq!(answer.status, StatusCode::NOT_ACCEPTABLE);
    assert!(answer.text().contains("/feeds/News.json"), "{}", answer.text());
    let explicit = kiosk.get("/feeds/News.json", &[("accept", "image/png")]).await;
    assert_eq!(explicit.status, StatusCode::OK, "an address that names the form needs no header");
}
