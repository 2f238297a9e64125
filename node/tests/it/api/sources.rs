//! Sources, added, refreshed and removed over the API.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::{ask, delete, encoded, feed, get, origin, post, quiet_house, told};
use crate::house::{House, instant};
use crate::origin::{Origin, Reply};

async fn add(house: &House, url: impl ToString) -> (StatusCode, Value) {
    post(house, "/api/v1/sources", json!({"url": url.to_string()})).await
}

async fn sources(house: &House, asked: &str) -> Vec<String> {
    let (status, body) = get(house, &format!("/api/v1/sources{asked}")).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    let url = |source: &Value| source["url"].as_str().unwrap().to_owned();
    body["sources"].as_array().unwrap().iter().map(url).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_is_added_is_refreshed_at_once_and_told_of() {
    let (house, origin) = (quiet_house().await, origin("/rss", feed(&["One", "Two"])).await);
    let (status, added) = add(&house, origin.url("/rss")).await;
    assert_eq!(status, StatusCode::CREATED, "{added}");
    assert_eq!(added["report"]["outcome"], "changed", "{added}");
    assert_eq!(added["report"]["new_items"], 2, "{added}");
    assert_eq!(added["source"]["title"], "Example", "{added}");
    let id = added["source"]["id"].as_u64().unwrap();
    for named in [id.to_string(), encoded(origin.url("/rss"))] {
        let (status, shown) = get(&house, &format!("/api/v1/sources/{named}")).await;
        assert_eq!(status, StatusCode::OK, "{shown}");
        assert_eq!(shown["source"]["id"], id);
        assert_eq!(shown["recent"][0]["new_items"], 2, "{shown}");
        assert_eq!(shown["identity"], "id");
    }
    let (status, again) = add(&house, origin.url("/rss")).await;
    assert_eq!((status, &again["report"]), (StatusCode::OK, &Value::Null));
    assert_eq!(origin.hits("/rss"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_cannot_be_read_is_refused_and_leaves_nothing_behind() {
    let house = quiet_house().await;
    let origin = Origin::builder()
        .page("/page", Reply::ok("<html><p>Nothing here").header("content-type", "text/html"))
        .page("/gone", Reply::status(410))
        .start()
        .await;
    let unresolvable = url::Url::parse("http://nowhere.invalid/rss").unwrap();
    let private = url::Url::parse("http://10.1.2.3/rss").unwrap();
    let refused =
        [origin.url("/missing"), origin.url("/page"), origin.url("/gone"), unresolvable, private];
    for url in refused {
        let (status, problem) = add(&house, &url).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{url}: {problem}");
        assert!(problem["detail"].as_str().unwrap().contains("not added"), "{problem}");
    }
    assert_eq!(sources(&house, "").await, Vec::<String>::new());
    assert_eq!(house.node().source_list().unwrap().len(), 0);
    assert_eq!(house.node().status().sources, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_in_passing_trouble_is_kept_and_so_is_one_that_is_not_refreshed() {
    let house = quiet_house().await;
    let origin = origin("/busy", Reply::status(500)).await;
    let (status, added) = add(&house, origin.url("/busy")).await;
    assert_eq!(status, StatusCode::CREATED, "{added}");
    assert_eq!(added["report"]["failure"], "server-error", "{added}");
    let url = origin.url("/missing").to_string();
    let (status, added) =
        post(&house, "/api/v1/sources", json!({"url": url, "refresh": false})).await;
    assert_eq!(status, StatusCode::CREATED, "{added}");
    assert_eq!(added["source"]["standing"], "new", "{added}");
    assert_eq!(origin.hits("/missing"), 0);
    assert_eq!(sources(&house, "?standing=failing").await, [origin.url("/busy").as_str()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_leads_to_a_feed_becomes_that_feed() {
    let house = quiet_house().await;
    let page = r#"<html><head><link rel="alternate" type="application/rss+xml" href="/rss">"#;
    let origin = Origin::builder()
        .page("/", Reply::ok(page).header("content-type", "text/html"))
        .page("/rss", feed(&["One"]))
        .start()
        .await;
    let (status, added) = add(&house, origin.url("/")).await;
    assert_eq!(status, StatusCode::CREATED, "{added}");
    assert_eq!(added["source"]["url"], origin.url("/rss").as_str());
    let id = &added["source"]["id"];
    let (_, shown) = get(&house, &format!("/api/v1/sources/{id}")).await;
    assert_eq!(shown["formerly"], json!([origin.url("/").as_str()]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_makes_no_sense_is_refused_with_the_reason() {
    let house = quiet_house().await;
    for body in [
        json!({"url": "no address"}),
        json!({"url": "ftp://example.org/rss"}),
        json!({}),
        json!({"url": "http://example.org/", "importance": 0}),
        json!({"url": "http://example.org/", "importanc": 1}),
        json!({"url": "http://example.org/", "list": true, "page": {"item": "li"}}),
        json!({"url": "http://example.org/", "page": {"item": " "}}),
        json!({"url": format!("http://example.org/{}", "x".repeat(5_000))}),
    ] {
        let (status, problem) = post(&house, "/api/v1/sources", body.clone()).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{body}: {problem}");
        assert!(!problem["detail"].as_str().unwrap().is_empty());
    }
    let form = ask(&house, Method::POST, "/api/v1/sources").body("url=http://example.org/");
    assert_eq!(told(form.send().await.unwrap()).await.0, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert_eq!(sources(&house, "").await, Vec::<String>::new());
    // The last one: the node hangs up rather than read the rest of it.
    let large = json!({"url": "x".repeat(2 << 20)});
    let (status, _) = post(&house, "/api/v1/sources", large).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test(flavor = "multi_thread")]
async fn sources_are_told_in_pages_and_found_by_a_search() {
    let house = quiet_house().await;
    for name in ["alpha", "beta", "gamma"] {
        let url = format!("http://127.0.0.1:1/{name}");
        post(&house, "/api/v1/sources", json!({"url": url, "refresh": false})).await;
    }
    let (_, first) = get(&house, "/api/v1/sources?limit=2").await;
    assert_eq!(first["sources"].as_array().unwrap().len(), 2);
    let rest = sources(&house, &format!("?limit=2&after={}", first["next"])).await;
    assert_eq!(rest, ["http://127.0.0.1:1/gamma"]);
    assert_eq!(sources(&house, "?search=BET").await, ["http://127.0.0.1:1/beta"]);
    assert_eq!(sources(&house, "?standing=failing").await, Vec::<String>::new());
    for wrong in ["?limit=0", "?limit=100000", "?limit=x", "?standing=odd", "?unknown=1"] {
        let (status, _) = get(&house, &format!("/api/v1/sources{wrong}")).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{wrong}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_source_is_not_found_but_the_nearest_is_named() {
    let house = quiet_house().await;
    let url = "http://127.0.0.1:1/weather";
    post(&house, "/api/v1/sources", json!({"url": url, "refresh": false})).await;
    let typo = encoded("http://127.0.0.1:1/wether");
    for path in [format!("/api/v1/sources/{typo}"), "/api/v1/sources/77".to_owned()] {
        assert_eq!(get(&house, &path).await.0, StatusCode::NOT_FOUND);
        assert_eq!(delete(&house, &path).await.0, StatusCode::NOT_FOUND);
        let (status, _) = post(&house, &format!("{path}/refresh"), json!({})).await;
        assert_eq!(status, StatusCode::NOT_FOUND);
    }
    let (_, problem) = get(&house, &format!("/api/v1/sources/{typo}")).await;
    assert!(problem["hint"].as_str().unwrap().contains(url), "{problem}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_a_feed_reads_stays_until_the_feed_is_gone() {
    let (house, origin) = (quiet_house().await, origin("/rss", feed(&["One"])).await);
    let (_, added) = add(&house, origin.url("/rss")).await;
    let path = format!("/api/v1/sources/{}", added["source"]["id"]);
    let query = format!("CREATE FEED News AS RETURN \"{}\";", origin.url("/rss"));
    assert_eq!(post(&house, "/api/v1/feeds", json!({"query": query})).await.0, StatusCode::OK);
    let (status, problem) = delete(&house, &path).await;
    assert_eq!(status, StatusCode::CONFLICT);
    assert!(problem["detail"].as_str().unwrap().contains("News"), "{problem}");
    assert_eq!(delete(&house, "/api/v1/feeds/News").await.0, StatusCode::NO_CONTENT);
    assert_eq!(delete(&house, &path).await.0, StatusCode::NO_CONTENT);
    assert_eq!(get(&house, &path).await.0, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_is_refreshed_by_hand_unless_it_is_too_early_and_nobody_insists() {
    let house = quiet_house().await;
    let quiet = feed(&["One"]).header("cache-control", "max-age=3600");
    let origin = Origin::builder().page("/quiet", quiet).start().await;
    let url = origin.url("/quiet").to_string();
    let (_, added) = post(&house, "/api/v1/sources", json!({"url": url, "refresh": false})).await;
    let path = format!("/api/v1/sources/{}/refresh", added["source"]["id"]);
    let (status, refreshed) = post(&house, &path, json!({})).await;
    assert_eq!((status, &refreshed["report"]["new_items"]), (StatusCode::OK, &json!(1)));
    let (status, problem) = post(&house, &path, json!({})).await;
    assert_eq!(status, StatusCode::TOO_MANY_REQUESTS, "{problem}");
    let left = instant(&problem["retry_at"]).unwrap() - house.node().clock.now();
    assert!(left > 3_000.0 && left < 4_000.0, "{left}");
    assert_eq!(problem["code"], "too-early");
    assert!(problem["detail"].as_str().unwrap().contains("max-age 3600"), "{problem}");
    assert!(problem["hint"].as_str().unwrap().contains("force=true"), "{problem}");
    assert_eq!(origin.hits("/quiet"), 1);
    let (status, refreshed) = post(&house, &format!("{path}?force=true"), json!({})).await;
    assert_eq!((status, &refreshed["report"]["outcome"]), (StatusCode::OK, &json!("unchanged")));
    assert_eq!(origin.hits("/quiet"), 2);
}
