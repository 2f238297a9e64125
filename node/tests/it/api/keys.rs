//! Keys of the configuration that are set while a node runs.

use pergola_config::Config;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::{ask, delete, feed, get, origin, post, quiet_house_with, told};
use crate::house::House;

/// A node that knows where its configuration comes from, and may reach no private address.
async fn strict_house() -> House {
    let house = quiet_house_with(|config| config.hosts.named.clear()).await;
    let data = house.node().config().node.data.clone();
    house.node().reread_by(move |stored| {
        let mut config = Config::load_with(None, [], stored)?;
        config.node.data.clone_from(&data);
        Ok(config)
    });
    house
}

async fn set(house: &House, key: &str, value: Value) -> (StatusCode, Value) {
    let request = ask(house, Method::PUT, &format!("/api/v1/config/{key}"))
        .header("content-type", "application/json")
        .body(json!({ "value": value }).to_string());
    told(request.send().await.unwrap()).await
}

/// What holds after a restart.
fn next_start(house: &House) -> Config {
    let data = house.folder.path().join("data").display().to_string();
    Config::load(None, [("PERGOLA_NODE__DATA".to_owned(), data)]).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_address_is_refused_with_the_command_that_allows_it_without_a_restart() {
    let (house, origin) = (strict_house().await, origin("/rss", feed(&["One"])).await);
    let source = json!({"url": origin.url("/rss").as_str()});
    let (status, problem) = post(&house, "/api/v1/sources", source.clone()).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("`pergola config set crawl.allow_private 127.0.0.1`"), "{detail}");
    assert!(detail.contains("`allow_private = [\"127.0.0.1\"]`"), "{detail}");
    assert!(detail.contains("neither needs a restart"), "{detail}");

    let (status, holds) = set(&house, "crawl.allow_private", json!("127.0.0.1")).await;
    assert_eq!(status, StatusCode::OK, "{holds}");
    assert_eq!(holds["value"], "[\"127.0.0.1/32\"]");
    assert!(holds["origin"].as_str().unwrap().starts_with("stored in "), "{holds}");
    let (status, added) = post(&house, "/api/v1/sources", source).await;
    assert_eq!(
        (status, &added["report"]["new_items"]),
        (StatusCode::CREATED, &json!(1)),
        "{added}"
    );
    assert_eq!(next_start(&house).crawl.allow_private.len(), 1);

    let (status, _) = delete(&house, "/api/v1/config/crawl.allow_private").await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    let other = json!({"url": origin.url("/other").as_str()});
    assert_eq!(post(&house, "/api/v1/sources", other).await.0, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(next_start(&house).crawl.allow_private, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_that_was_set_holds_after_a_restart() {
    let house = strict_house().await;
    let (status, _) = post(&house, "/api/v1/budget", json!({"refreshes_per_minute": 5})).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(get(&house, "/api/v1/status").await.1["budget_per_minute"], 5.0);
    let fresh = json!({"freshness": 0.9, "max_refreshes_per_minute": 8});
    assert_eq!(post(&house, "/api/v1/budget", fresh).await.1["budget_per_minute"], 8.0);
    let next = next_start(&house);
    assert_eq!(next.budget, house.node().config().budget);
    assert_eq!(next.key("budget.freshness").unwrap().0.as_deref(), Some("0.9"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_set_is_refused_and_changes_nothing() {
    let house = strict_house().await;
    let cases = [
        ("crawl.timeout", json!("5 s"), StatusCode::CONFLICT, "needs-restart"),
        ("tls.clients", json!("required"), StatusCode::UNPROCESSABLE_ENTITY, "bad-config"),
        ("crawl.allow_privat", json!("10.0.0.1"), StatusCode::NOT_FOUND, "unknown-key"),
        (
            "crawl.allow_private",
            json!(["10.0.0.1", 7]),
            StatusCode::UNPROCESSABLE_ENTITY,
            "bad-config",
        ),
        ("crawl.allow_private", json!(null), StatusCode::BAD_REQUEST, "bad-request"),
    ];
    for (key, value, status, code) in cases {
        let (answered, problem) = set(&house, key, value).await;
        assert_eq!((answered, problem["code"].as_str()), (status, Some(code)), "{key}: {problem}");
    }
    let (_, problem) = set(&house, "crawl.allow_privat", json!("10.0.0.1")).await;
    assert_eq!(problem["nearest"], "crawl.allow_private", "{problem}");
    assert!(!house.folder.path().join("data/settings.toml").exists());
    assert_eq!(delete(&house, "/api/v1/config/crawl.timeout").await.0, StatusCode::CONFLICT);
}
