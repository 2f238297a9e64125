//! When a source is refreshed next, and why: as the API tells it, and as refreshes by hand meet it.

use std::time::Duration;

use pergola_config::Config;
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::{feed, get, origin, post, quiet_house, quiet_house_with};
use crate::house::{House, instant, quick_config};
use crate::origin::{Origin, Reply};

/// An hour between two refreshes of this machine's sources.
fn hourly(config: &mut Config) {
    let rule = config.hosts.named.get_mut("127.0.0.1").unwrap();
    (rule.floor, rule.floor_known) = (Duration::from_secs(3_600), Duration::from_secs(3_600));
}

/// Adds a source and refreshes it; says where it is in the API.
async fn added(house: &House, origin: &Origin, path: &str) -> String {
    let (status, added) =
        post(house, "/api/v1/sources", json!({"url": origin.url(path).as_str()})).await;
    assert_eq!(status, StatusCode::CREATED, "{added}");
    format!("/api/v1/sources/{}", added["source"]["id"])
}

/// The reason of a kind: the one that decides, or one of the others.
fn reason<'a>(next: &'a Value, kind: &str) -> &'a Value {
    let all = std::iter::once(next).chain(next["also"].as_array().unwrap());
    let mut found = all.filter(|reason| reason["reason"] == kind);
    found.next().unwrap_or_else(|| panic!("no {kind} in {next}"))
}

/// Seconds from now.
fn ahead(house: &House, at: &Value) -> f64 {
    instant(at).unwrap() - house.node().clock.now()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_says_what_its_site_asked_for() {
    let house = quiet_house_with(hourly).await;
    let reply = feed(&["One"]).header("cache-control", "max-age=7200");
    let origin = origin("/rss", reply).await;
    let path = added(&house, &origin, "/rss").await;
    let next = get(&house, &path).await.1["next"].clone();
    let asked = reason(&next, "max-age");
    assert_eq!(asked["detail"], "the site asked for it (max-age 7200)");
    assert_eq!(asked["key"], Value::Null);
    let left = ahead(&house, &asked["until"]);
    assert!(left > 7_100.0 && left < 8_000.0, "{left}");
    assert!(instant(&next["at"]).unwrap() >= instant(&asked["until"]).unwrap(), "{next}");
    let floor = reason(&next, "floor");
    assert_eq!(floor["key"], "hosts.\"127.0.0.1\".floor");
    assert!(instant(&floor["until"]).unwrap() < instant(&asked["until"]).unwrap(), "{next}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_may_be_asked_says_by_which_budget_it_waits() {
    let house = quiet_house().await;
    let origin = origin("/rss", feed(&["One"])).await;
    let path = added(&house, &origin, "/rss").await;
    let next = get(&house, &path).await.1["next"].clone();
    assert_eq!(next["reason"], "planned", "{next}");
    assert_eq!(next["key"], "budget.refreshes_per_minute");
    assert!(next["detail"].as_str().unwrap().contains("6000 refreshes a minute"), "{next}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_fails_says_after_what_it_backs_off() {
    let house = quiet_house().await;
    let origin = origin("/rss", Reply::status(500)).await;
    let path = added(&house, &origin, "/rss").await;
    let shown = get(&house, &path).await.1;
    assert_eq!(shown["next"]["reason"], "back-off", "{shown}");
    assert_eq!(shown["next"]["detail"], "the last refresh failed (server-error)");
    assert_eq!(shown["source"]["failing"]["kind"], "server-error");
    assert_eq!(shown["source"]["failing"]["count"], 1);
    assert!(ahead(&house, &shown["source"]["failing"]["since"]) <= 0.0);
    // It has never delivered anything, so nothing is known of it.
    for unknown in ["completeness", "freshness", "items_per_day"] {
        assert_eq!(shown["source"][unknown], Value::Null, "{unknown}");
    }
    let status = get(&house, "/api/v1/status").await.1;
    assert_eq!((&status["completeness"], &status["freshness"]), (&Value::Null, &Value::Null));
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_insists_is_heard_unless_the_site_asked_for_quiet() {
    let house = quiet_house_with(hourly).await;
    let origin = Origin::builder()
        .page("/rss", feed(&["One"]))
        .page("/busy", Reply::status(429).header("retry-after", "600"))
        .start()
        .await;
    let path = format!("{}/refresh", added(&house, &origin, "/rss").await);
    let (status, problem) = post(&house, &path, json!({})).await;
    assert_eq!((status, &problem["code"]), (StatusCode::TOO_MANY_REQUESTS, &json!("too-early")));
    assert_eq!(problem["key"], "hosts.\"127.0.0.1\".floor", "{problem}");
    assert_eq!(post(&house, &format!("{path}?force=true"), json!({})).await.0, StatusCode::OK);
    assert_eq!(origin.hits("/rss"), 2);
    let path = format!("{}/refresh?force=true", added(&house, &origin, "/busy").await);
    let (status, problem) = post(&house, &path, json!({})).await;
    assert_eq!((status, &problem["code"]), (StatusCode::TOO_MANY_REQUESTS, &json!("wants-quiet")));
    assert!(problem["detail"].as_str().unwrap().contains("Retry-After"), "{problem}");
    assert!(ahead(&house, &problem["retry_at"]) > 500.0, "{problem}");
    assert_eq!(origin.hits("/busy"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_floor_that_is_lowered_lifts_the_time_that_was_stored() {
    let house = quiet_house_with(hourly).await;
    let origin = origin("/rss", feed(&["One"])).await;
    let path = added(&house, &origin, "/rss").await;
    let next = async |house: &House| get(house, &path).await.1["source"]["next_refresh"].clone();
    assert!(ahead(&house, &next(&house).await) > 3_000.0);
    // While it runs …
    let mut config = Config::clone(&house.node().config());
    let rule = config.hosts.named.get_mut("127.0.0.1").unwrap();
    (rule.floor, rule.floor_known) = (Duration::ZERO, Duration::ZERO);
    let reloaded = house.node().reload(config).await.unwrap();
    assert_eq!((reloaded.changed, reloaded.restart), (vec!["floors".to_owned()], vec![]));
    assert!(ahead(&house, &next(&house).await) <= 0.0);
    let refresh = format!("{path}/refresh");
    assert_eq!(post(&house, &refresh, json!({})).await.0, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_floor_that_is_lowered_between_two_starts_counts_as_well() {
    let house = quiet_house_with(hourly).await;
    let origin = origin("/rss", feed(&["One"])).await;
    let path = added(&house, &origin, "/rss").await;
    let House { running, folder, .. } = house;
    running.stop(Duration::from_secs(10)).await;
    let mut config = quick_config(&folder);
    config.schedule.cycle = Duration::from_secs(3_600);
    // It is asked at once when the node starts, because it may be.
    let house = House::open(folder, config).await;
    let (status, shown) = get(&house, &path).await;
    assert_eq!(status, StatusCode::OK);
    let next = &shown["source"]["next_refresh"];
    assert!(ahead(&house, next) <= 0.0, "{next}");
}
