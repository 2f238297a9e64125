//! Addresses as people type them: without a scheme, or mistyped in a query.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::{Value, json};

use super::{feed, get, origin, post, quiet_house};
use crate::house::House;
use crate::origin::{Origin, Reply};

async fn add(house: &House, url: &str) -> (StatusCode, Value) {
    post(house, "/api/v1/sources", json!({ "url": url })).await
}

async fn create(house: &House, sources: &str, force: bool) -> (StatusCode, Value) {
    let query = format!("CREATE FEED News AS\nRETURN {sources};");
    post(house, "/api/v1/feeds", json!({ "query": query, "force": force })).await
}

async fn counts(house: &House) -> (usize, usize) {
    let (_, sources) = get(house, "/api/v1/sources").await;
    let (_, feeds) = get(house, "/api/v1/feeds").await;
    let count = |list: &Value| list.as_array().unwrap().len();
    (count(&sources["sources"]), count(&feeds["feeds"]))
}

/// An address without its scheme.
fn bare(origin: &Origin, path: &str) -> String {
    origin.url(path).as_str().trim_start_matches("http://").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_scheme_http_is_taken_if_nobody_speaks_https() {
    let (house, origin) = (quiet_house().await, origin("/rss", feed(&["One"])).await);
    let (status, added) = add(&house, &bare(&origin, "/rss")).await;
    assert_eq!(status, StatusCode::CREATED, "{added}");
    assert_eq!(added["source"]["url"], origin.url("/rss").as_str());
    assert_eq!(added["report"]["new_items"], 1, "{added}");
    let taken = format!("{} was taken, because ", origin.url("/rss"));
    assert!(added["note"].as_str().unwrap().starts_with(&taken), "{added}");
    // The attempt by https leaves nothing behind, and the source is known from now on.
    let (status, again) = add(&house, &bare(&origin, "/rss")).await;
    assert_eq!((status, &again["source"]["id"]), (StatusCode::OK, &added["source"]["id"]));
    assert_eq!(counts(&house).await, (1, 0));
    assert_eq!(origin.hits("/rss"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_scheme_what_leads_nowhere_is_refused_and_nothing_stays() {
    let (house, origin) = (quiet_house().await, origin("/rss", feed(&["One"])).await);
    let (status, problem) = add(&house, &bare(&origin, "/missing")).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("404"), "{problem}");
    let (status, problem) = add(&house, "nowhere.invalid/rss").await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
    assert!(problem["detail"].as_str().unwrap().starts_with("https://nowhere"), "{problem}");
    assert_eq!(counts(&house).await, (0, 0));
    // Its number neither: the first source that can be read is source 1.
    let (_, added) = add(&house, &bare(&origin, "/rss")).await;
    assert_eq!(added["source"]["id"], 1, "{added}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_scheme_and_without_a_refresh_https_is_taken() {
    let house = quiet_house().await;
    let request = json!({ "url": "example.org", "refresh": false });
    let (status, added) = post(&house, "/api/v1/sources", request).await;
    assert_eq!(status, StatusCode::CREATED, "{added}");
    assert_eq!(added["source"]["url"], "https://example.org/");
    assert_eq!(added["note"], "https://example.org/ was taken");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_feed_starts_with_the_items_of_its_new_sources() {
    let (house, origin) = (quiet_house().await, origin("/rss", feed(&["One", "Two"])).await);
    let (status, done) = create(&house, &format!("\"{}\"", origin.url("/rss")), false).await;
    assert_eq!(status, StatusCode::OK, "{done}");
    let created = json!({"did": "created", "name": "News", "items": 2, "sources": 1});
    assert_eq!(done, json!({ "applied": [created] }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mistyped_address_in_a_query_is_shown_where_it_is_unless_it_is_forced() {
    let house = quiet_house().await;
    let page = Reply::ok("<html><p>Nothing here").header("content-type", "text/html");
    let origin = Origin::builder().page("/rss", feed(&["One"])).page("/page", page).start().await;
    let (good, missing) = (origin.url("/rss"), origin.url("/rsss"));
    // Even a feed that reads everything does not keep what was only tried.
    let all = json!({ "query": "CREATE FEED All AS RETURN OPML \"all\";" });
    assert_eq!(post(&house, "/api/v1/feeds", all).await.0, StatusCode::OK);
    let sources =
        format!("\"{good}\" |\n       \"{missing}\" |\n       \"{}\"", origin.url("/page"));
    let (status, problem) = create(&house, &sources, false).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
    assert_eq!(problem["code"], "unreadable-address");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains(&format!("{missing} cannot be read: ")), "{detail}");
    assert!(detail.contains("query:3:8") && detail.contains("query:4:8"), "{detail}");
    assert!(!detail.contains("query:2:"), "{detail}");
    assert!(problem["hint"].as_str().unwrap().contains("force"), "{problem}");
    assert_eq!(counts(&house).await, (0, 1));

    let (status, done) = create(&house, &sources, true).await;
    assert_eq!(status, StatusCode::OK, "{done}");
    assert_eq!(done["applied"][0]["sources"], 3, "{done}");
    let warnings = done["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 2, "{done}");
    assert!(warnings[0].as_str().unwrap().contains("404"), "{done}");
    assert_eq!(counts(&house).await, (3, 2));
    // What is known is not tried again.
    let query = format!("ALTER FEED News AS RETURN \"{missing}\";");
    let (status, done) = post(&house, "/api/v1/feeds", json!({ "query": query })).await;
    assert_eq!((status, &done["warnings"]), (StatusCode::OK, &Value::Null), "{done}");
    assert_eq!(origin.hits("/rsss"), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_in_a_query_that_was_refused_brings_no_sources() {
    let house = quiet_house().await;
    let list = "<opml version=\"2.0\"><body><outline text=\"a\" xmlUrl=\"http://127.0.0.1:9/a\"/></body></opml>";
    let list = Reply::ok(list).header("content-type", "text/x-opml");
    let origin = Origin::builder().page("/list", list).start().await;
    let sources = format!("OPML \"{}\" | \"{}\"", origin.url("/list"), origin.url("/missing"));
    assert_eq!(create(&house, &sources, false).await.0, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(origin.hits("/list"), 1);
    // Whoever comes now has waited until the list was dealt with.
    let all = json!({ "query": "CREATE FEED All AS RETURN OPML \"all\";" });
    assert_eq!(post(&house, "/api/v1/feeds", all).await.0, StatusCode::OK);
    assert_eq!(counts(&house).await, (0, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn passing_trouble_is_a_warning_and_a_slow_site_is_not_waited_for() {
    let house = quiet_house().await;
    let origin = Origin::builder()
        .page("/busy", Reply::status(500))
        .page("/slow", Reply::dripping(Duration::from_secs(1)))
        .start()
        .await;
    let (busy, slow) = (origin.url("/busy"), origin.url("/slow"));
    let (status, done) = create(&house, &format!("\"{busy}\" | \"{slow}\""), false).await;
    assert_eq!(status, StatusCode::OK, "{done}");
    let warnings = done["warnings"].as_array().unwrap();
    assert!(warnings[0].as_str().unwrap().starts_with(&format!("{busy} cannot be read now: ")));
    assert_eq!(warnings[1], format!("{slow} cannot be read now: it has not answered yet"));
    assert_eq!(counts(&house).await, (2, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_new_addresses_only_some_are_tried() {
    let house = quiet_house().await;
    let origin = Origin::builder().start().await;
    let sources: Vec<_> =
        (0..40).map(|n| format!("\"{}\"", origin.url(&format!("/{n}")))).collect();
    let (status, done) = create(&house, &sources.join(" | "), true).await;
    assert_eq!(status, StatusCode::OK, "{done}");
    assert_eq!(done["applied"][0]["sources"], 40, "{done}");
    assert_eq!(done["warnings"].as_array().unwrap().len(), 16, "{done}");
    assert_eq!((0..40).map(|n| origin.hits(&format!("/{n}"))).sum::<usize>(), 16);
}
