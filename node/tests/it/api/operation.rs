//! Running a node over the API: budget, configuration, lists, backup, health.

use std::time::Duration;

use axum::body::Body;
use pergola_config::Config;
use pergola_node::node::{Node, close};
use pergola_outside::clock::Clock;
use pergola_port::access::ByFolder;
use pergola_store::backup::{Replace, restore};
use reqwest::{Method, StatusCode};
use serde_json::json;
use tempfile::TempDir;
use tower::ServiceExt;

use super::{ask, feed, get, origin, post, quiet_house, told};
use crate::house::{eventually, quick_config};

const LIST: &str = r#"<opml version="2.0"><body>
    <outline text="Folder">
        <outline text="One" type="rss" xmlUrl="http://127.0.0.1:1/one"/>
        <outline text="Two" type="rss" xmlUrl="http://127.0.0.1:1/two"/>
    </outline>
    <outline text="Odd" type="rss" xmlUrl="gopher://example.org/"/>
</body></opml>"#;

#[tokio::test(flavor = "multi_thread")]
async fn the_budget_of_a_running_node_can_be_changed() {
    let house = quiet_house().await;
    let (status, after) = post(&house, "/api/v1/budget", json!({"refreshes_per_minute": 5})).await;
    assert_eq!((status, &after["budget_per_minute"]), (StatusCode::OK, &json!(5.0)));
    assert_eq!(get(&house, "/api/v1/status").await.1["budget_per_minute"], 5.0);
    let fresh = json!({"freshness": 0.9, "max_refreshes_per_minute": 8});
    assert_eq!(post(&house, "/api/v1/budget", fresh).await.1["budget_per_minute"], 8.0);
    let shown = ask(&house, Method::GET, "/api/v1/config").send().await.unwrap().text().await;
    let shown: toml::Table = shown.unwrap().parse().unwrap();
    assert_eq!(shown["budget"]["freshness"].as_float(), Some(0.9), "{shown}");
    assert_eq!(shown["budget"]["max_refreshes_per_minute"].as_integer(), Some(8), "{shown}");
    for wrong in [
        json!({}),
        json!({"refreshes_per_minute": 0}),
        json!({"refreshes_per_minute": 5, "bytes_per_hour": 10_000}),
        json!({"bytes_per_hour": 1}),
        json!({"freshness": 0.9}),
        json!({"freshness": 1, "max_refreshes_per_minute": 8}),
    ] {
        let (status, _) = post(&house, "/api/v1/budget", wrong.clone()).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{wrong}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_configuration_is_shown_without_its_secrets_and_read_again() {
    let house = super::guarded_house().await;
    let request = |method, path| {
        ask(&house, method, path).header("authorization", "Bearer open sesame").send()
    };
    let shown = request(Method::GET, "/api/v1/config").await.unwrap().text().await.unwrap();
    assert!(shown.contains("[budget]") && !shown.contains("sesame"), "{shown}");
    let (status, _) = told(request(Method::POST, "/api/v1/reload").await.unwrap()).await;
    assert_eq!(status, StatusCode::CONFLICT);
    let file = house.folder.path().join("pergola.toml");
    house.node().reread_by({
        let file = file.clone();
        move |stored| Config::load_with(Some(&file), [], stored)
    });
    std::fs::write(&file, "[budget]\nrefreshes_per_minute = \"many\"\n").unwrap();
    let (status, problem) = told(request(Method::POST, "/api/v1/reload").await.unwrap()).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
    std::fs::write(&file, "[budget]\nrefreshes_per_minute = 3\n").unwrap();
    let (status, reloaded) = told(request(Method::POST, "/api/v1/reload").await.unwrap()).await;
    assert_eq!(status, StatusCode::OK, "{reloaded}");
    // The file no longer names this machine, so its floor is the usual one.
    assert_eq!(reloaded["changed"], json!(["budget", "floors"]));
    // A budget that is set by hand overrides the file, whatever that says.
    let body = json!({"refreshes_per_minute": 7}).to_string();
    let set = ask(&house, Method::POST, "/api/v1/budget")
        .header("authorization", "Bearer open sesame")
        .header("content-type", "application/json");
    assert_eq!(set.body(body).send().await.unwrap().status(), StatusCode::OK);
    let (_, again) = told(request(Method::POST, "/api/v1/reload").await.unwrap()).await;
    assert_eq!(again["changed"], json!([]));
    assert_eq!(house.node().status().budget_per_minute, 7.0);
    std::fs::write(&file, "[budget]\nrefreshes_per_minute = 4\n").unwrap();
    let (_, again) = told(request(Method::POST, "/api/v1/reload").await.unwrap()).await;
    assert_eq!(again["changed"], json!([]));
    assert_eq!(house.node().status().budget_per_minute, 7.0);
    let path = "/api/v1/config/budget.refreshes_per_minute";
    assert_eq!(request(Method::DELETE, path).await.unwrap().status(), StatusCode::NO_CONTENT);
    assert_eq!(house.node().status().budget_per_minute, 4.0);
    assert!(reloaded["restart"].as_array().unwrap().contains(&json!("api.token")), "{reloaded}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_taken_over_in_one_go_and_given_out_again() {
    let house = quiet_house().await;
    let body = json!({"opml": LIST, "feed": "Mine"});
    let (status, imported) = post(&house, "/api/v1/opml", body.clone()).await;
    assert_eq!(status, StatusCode::OK, "{imported}");
    assert_eq!((&imported["new"], &imported["known"]), (&json!(2), &json!(0)));
    assert_eq!(imported["skipped"][0]["url"], "gopher://example.org/", "{imported}");
    assert_eq!(get(&house, "/api/v1/feeds/Mine").await.1["sources"], 2);
    assert_eq!(post(&house, "/api/v1/opml", body).await.0, StatusCode::CONFLICT);
    let again = ask(&house, Method::POST, "/api/v1/opml").body(LIST).send().await.unwrap();
    assert_eq!(told(again).await.1["known"], 2);
    let exported = ask(&house, Method::GET, "/api/v1/opml").send().await.unwrap();
    let exported = exported.text().await.unwrap();
    assert!(exported.contains("http://127.0.0.1:1/two") && exported.contains("One"), "{exported}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_is_none_or_a_name_that_is_more_than_one_changes_nothing() {
    let house = quiet_house().await;
    let no_list = ask(&house, Method::POST, "/api/v1/opml").body("hello").send().await.unwrap();
    assert_eq!(told(no_list).await.0, StatusCode::BAD_REQUEST);
    for name in ["", "A B", "X AS RETURN OPML \"all\"; CREATE FEED Y"] {
        let body = json!({"opml": LIST, "feed": name});
        let (status, problem) = post(&house, "/api/v1/opml", body).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{name}: {problem}");
    }
    assert_eq!(get(&house, "/api/v1/status").await.1["sources"], 0);
    assert_eq!(get(&house, "/api/v1/status").await.1["feeds"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_of_a_running_node_can_be_restored() {
    let (house, origin) = (quiet_house().await, origin("/rss", feed(&["One"])).await);
    let url = origin.url("/rss").to_string();
    post(&house, "/api/v1/sources", json!({"url": url})).await;
    let backup = ask(&house, Method::GET, "/api/v1/backup").send().await.unwrap();
    assert_eq!(backup.status(), StatusCode::OK);
    assert_eq!(backup.headers()["content-type"], "application/octet-stream");
    let bytes = backup.bytes().await.unwrap();
    let folder = TempDir::new().unwrap();
    let config = quick_config(&folder);
    let engine = house.node().status().store.parse().unwrap();
    restore(&config.node.data, engine, Replace::Never, &bytes[..], |_| ()).unwrap();
    let node = Node::open_here(config, Clock::real()).await.unwrap();
    assert_eq!(node.source_list().unwrap()[0].url, url);
    close(node).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_who_hangs_up_during_a_backup_lets_the_writer_go() {
    let house = quiet_house().await;
    // More than fits into what is on its way, and nothing that can be compressed.
    let text = |seed: u64| -> String {
        let mut state = seed;
        let next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            char::from(b'a' + (state >> 33) as u8 % 26)
        };
        std::iter::repeat_with(next).take(4_000).collect()
    };
    let sources = (0..2_000).map(|n| {
        pergola_node::node::NewSource::feed(&format!("http://127.0.0.1:1/{}", text(n))).unwrap()
    });
    house.node().add_sources(sources.collect()).await.unwrap();
    let backup = ask(&house, Method::GET, "/api/v1/backup").send().await.unwrap();
    assert_eq!(backup.status(), StatusCode::OK);
    drop(backup);
    let query = json!({"query": "CREATE FEED News AS RETURN FEED Other;"});
    assert_eq!(post(&house, "/api/v1/feeds", query).await.0, StatusCode::BAD_REQUEST);
    let added = post(
        &house,
        "/api/v1/sources",
        json!({"url": "http://127.0.0.1:1/next", "refresh": false}),
    );
    let (status, _) = tokio::time::timeout(Duration::from_secs(15), added).await.unwrap();
    assert_eq!(status, StatusCode::CREATED);
}

#[tokio::test(flavor = "multi_thread")]
async fn history_is_told_by_the_minute() {
    let house = quiet_house().await;
    let (status, history) = get(&house, "/api/v1/history").await;
    assert_eq!((status, history), (StatusCode::OK, json!({"samples": []})));
    for wrong in ["?from=9&to=3", "?from=0&to=99999999", "?from=x"] {
        let (status, _) = get(&house, &format!("/api/v1/history{wrong}")).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{wrong}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_node_is_ready_and_one_that_is_only_opened_says_why_not() {
    let house = quiet_house().await;
    let (status, ready) = get(&house, "/readyz").await;
    assert_eq!(
        (status, ready),
        (StatusCode::OK, json!({"ready": true, "reasons": [], "degraded": []}))
    );
    assert_eq!(get(&house, "/api/v1/status").await.1["running"], true);
    let metrics = ask(&house, Method::GET, "/metrics").send().await.unwrap().text().await.unwrap();
    assert!(metrics.contains("pergola_threshold"), "{metrics}");

    let folder = TempDir::new().unwrap();
    let node = Node::open_here(quick_config(&folder), Clock::real()).await.unwrap();
    let mut request = http::Request::get("/readyz").body(Body::empty()).unwrap();
    request.extensions_mut().insert(ByFolder);
    let answer = pergola_node::api::router(node.clone()).oneshot(request).await.unwrap();
    assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
    let body = axum::body::to_bytes(answer.into_body(), 10_000).await.unwrap();
    assert!(String::from_utf8_lossy(&body).contains("not running"));
    close(node).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_is_only_opened_looks_where_a_page_leads() {
    let page = r#"<html><head><link rel="alternate" type="application/rss+xml" href="/rss">"#;
    let origin = crate::origin::Origin::builder()
        .page("/", crate::origin::Reply::ok(page).header("content-type", "text/html"))
        .page("/rss", feed(&["One"]))
        .start()
        .await;
    let folder = TempDir::new().unwrap();
    let node = Node::open_here(quick_config(&folder), Clock::real()).await.unwrap();
    let body = json!({"url": origin.url("/").as_str()}).to_string();
    let mut request = http::Request::post("/api/v1/sources")
        .header("content-type", "application/json")
        .body(Body::from(body))
        .unwrap();
    request.extensions_mut().insert(ByFolder);
    let answer = pergola_node::api::router(node.clone()).oneshot(request).await.unwrap();
    assert_eq!(answer.status(), StatusCode::CREATED);
    assert_eq!(node.source_list().unwrap()[0].url, origin.url("/rss").as_str());
    close(node).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_under_which_nothing_is_asked_says_where_to_read_on() {
    let house = quiet_house().await;
    let (status, problem) = get(&house, "/api/v1/sauces").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert!(problem["hint"].as_str().unwrap().contains("openapi"), "{problem}");
    let put = ask(&house, Method::PUT, "/api/v1/sources").send().await.unwrap();
    assert_eq!(told(put).await.0, StatusCode::METHOD_NOT_ALLOWED);
    eventually("the node to serve", async || {
        let status = get(&house, "/healthz").await.0;
        if status == StatusCode::OK { Ok(()) } else { Err(status.to_string()) }
    })
    .await;
}
