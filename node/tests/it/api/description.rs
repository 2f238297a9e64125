//! What the API says of itself.

use reqwest::{Method, StatusCode};
use serde_json::json;

use super::{ask, feed, get, origin, post, quiet_house};

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_described_is_answered() {
    let (house, origin) = (quiet_house().await, origin("/rss", feed(&["One"])).await);
    let url = origin.url("/rss").to_string();
    post(&house, "/api/v1/sources", json!({"url": url})).await;
    let query = "CREATE FEED News AS RETURN OPML \"all\";";
    post(&house, "/api/v1/feeds", json!({"query": query})).await;
    post(&house, "/api/v1/users", json!({"name": "ada"})).await;
    let webhook = json!({"webhook": {"url": "https://receiver.example/hook"}});
    let (status, added) = post(&house, "/api/v1/feeds/News/notifications", webhook).await;
    assert_eq!(status, StatusCode::CREATED, "{added}");
    let (status, document) = get(&house, "/api/openapi.json").await;
    assert_eq!(status, StatusCode::OK);
    assert!(document["openapi"].as_str().unwrap().starts_with("3."), "{document}");
    let notification = added["id"].as_str().unwrap().to_owned();
    let mut asked = 0;
    let mut last = Vec::new();
    // Answered by the site before the node, and tested there.
    let elsewhere = ["/api/v1/users/{user}/export", "/api/v1/users/{user}/import"];
    for (path, methods) in document["paths"].as_object().unwrap() {
        if elsewhere.contains(&path.as_str()) {
            continue;
        }
        let path = path
            .replace("notifications/{id}", &format!("notifications/{notification}"))
            .replace("{id}", "1")
            .replace("{name}", "News")
            .replace("{user}", "ada")
            .replace("{key}", "crawl.allow_private");
        for method in methods.as_object().unwrap().keys() {
            let method: Method = method.to_uppercase().parse().unwrap();
            if method == Method::DELETE {
                last.push((method, path.clone()));
                continue;
            }
            asked += 1;
            let status = ask(&house, method.clone(), &path).send().await.unwrap().status();
            let missing = [StatusCode::NOT_FOUND, StatusCode::METHOD_NOT_ALLOWED];
            assert!(!missing.contains(&status), "{method} {path}: {status}");
        }
    }
    // What belongs to something is removed before it.
    for (method, path) in last.into_iter().rev() {
        asked += 1;
        let status = ask(&house, method, &path).send().await.unwrap().status();
        assert_eq!(status, StatusCode::NO_CONTENT, "{path}");
    }
    assert_eq!(asked, 51);
    assert_eq!(document["components"]["schemas"]["Instant"]["format"], "date-time");
}
