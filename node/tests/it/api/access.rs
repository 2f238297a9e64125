//! Who may ask what.

use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::ConnectInfo;
use reqwest::{Method, StatusCode};
use serde_json::json;
use tower::ServiceExt;

use super::{ask, get, guarded_house, posting, quiet_house, told};
use crate::house::House;

/// Asks the node's router as if from another machine.
async fn from_afar(house: &House, path: &str) -> StatusCode {
    let mut request = http::Request::get(path).body(Body::empty()).unwrap();
    let peer: SocketAddr = "192.0.2.7:4711".parse().unwrap();
    request.extensions_mut().insert(ConnectInfo(peer));
    let router = pergola_node::api::router(house.node().clone());
    router.oneshot(request).await.unwrap().status()
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_token_whoever_does_not_send_it_sees_only_what_is_published() {
    let house = guarded_house().await;
    let open = ["/api/v1/status", "/api/v1/feeds", "/healthz", "/readyz", "/metrics"];
    for path in open.into_iter().chain(["/api/openapi.json"]) {
        assert_eq!(get(&house, path).await.0, StatusCode::OK, "{path}");
    }
    for path in ["sources", "opml", "config", "history", "backup", "feeds/News/explain"] {
        let response = ask(&house, Method::GET, &format!("/api/v1/{path}")).send().await.unwrap();
        assert!(response.headers().contains_key("www-authenticate"), "{path}");
        let (status, problem) = told(response).await;
        assert_eq!(status, StatusCode::UNAUTHORIZED, "{path}");
        assert!(problem["hint"].as_str().unwrap().contains("Bearer"), "{problem}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_token_opens_everything_and_a_wrong_one_nothing() {
    let house = guarded_house().await;
    for (sent, status) in [
        ("Bearer open sesame", StatusCode::OK),
        ("bearer open sesame", StatusCode::OK),
        ("Bearer open sesam", StatusCode::UNAUTHORIZED),
        ("Basic open sesame", StatusCode::UNAUTHORIZED),
        ("open sesame", StatusCode::UNAUTHORIZED),
    ] {
        let request = ask(&house, Method::GET, "/api/v1/sources").header("authorization", sent);
        assert_eq!(told(request.send().await.unwrap()).await.0, status, "{sent}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_token_only_this_machine_itself_may_ask() {
    let house = quiet_house().await;
    assert_eq!(get(&house, "/api/v1/sources").await.0, StatusCode::OK);
    assert_eq!(from_afar(&house, "/api/v1/sources").await, StatusCode::FORBIDDEN);
    assert_eq!(from_afar(&house, "/api/v1/feeds").await, StatusCode::OK);
    for header in ["forwarded", "x-forwarded-for", "via"] {
        let request = ask(&house, Method::GET, "/api/v1/sources").header(header, "for=192.0.2.7");
        let (status, problem) = told(request.send().await.unwrap()).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{header}");
        assert!(problem["hint"].as_str().unwrap().contains("api.token"), "{problem}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_was_made_to_lead_here_opens_nothing() {
    let house = quiet_house().await;
    for (host, status) in [
        ("localhost:8080", StatusCode::OK),
        ("[::1]:8080", StatusCode::OK),
        ("rebound.example.com", StatusCode::FORBIDDEN),
    ] {
        let request = ask(&house, Method::GET, "/api/v1/sources").header("host", host);
        assert_eq!(told(request.send().await.unwrap()).await.0, status, "{host}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_another_site_changes_nothing() {
    let house = quiet_house().await;
    let own = house.url("");
    for (header, value, status) in [
        ("origin", "https://evil.example.com", StatusCode::FORBIDDEN),
        ("origin", "null", StatusCode::FORBIDDEN),
        ("sec-fetch-site", "cross-site", StatusCode::FORBIDDEN),
        ("sec-fetch-site", "same-site", StatusCode::FORBIDDEN),
        ("sec-fetch-site", "same-origin", StatusCode::OK),
        ("origin", own.as_str(), StatusCode::OK),
    ] {
        let budget = json!({"refreshes_per_minute": 7});
        let request = posting(&house, "/api/v1/budget", &budget).header(header, value);
        assert_eq!(told(request.send().await.unwrap()).await.0, status, "{header}: {value}");
    }
}
