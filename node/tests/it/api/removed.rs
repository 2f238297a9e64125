//! What was removed can be restored for a week, and nothing is new again.

use std::time::Duration;

use pergola_outside::clock::{Clock, ManualClock};
use pergola_store::archive::{Archive, FeedId};
use reqwest::StatusCode;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;

use super::{delete, feed, get, origin, post, quiet_house};
use crate::house::{House, instant, quick_config};

const DAY: f64 = 86_400.0;

async fn house_at(clock: &ManualClock) -> House {
    let folder = TempDir::new().unwrap();
    let mut config = quick_config(&folder);
    config.schedule.cycle = Duration::from_secs(100 * 86_400);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    config.node.public_url = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
    House::open_with(folder, config, clock.clock(), listener).await
}

async fn create(house: &House, query: &str) {
    let (status, answer) = post(house, "/api/v1/feeds", json!({"query": query})).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
}

async fn items(house: &House, name: &str) -> Value {
    get(house, &format!("/api/v1/feeds/{name}/items?after=0")).await.1["items"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_was_removed_comes_back_as_it_was() {
    let (house, origin) = (quiet_house().await, origin("/rss", feed(&["One", "Two"])).await);
    create(&house, "CREATE FEED All AS RETURN OPML \"all\";").await;
    let url = origin.url("/rss").to_string();
    let body = json!({"url": url, "title": "Mine", "importance": 2, "folders": ["Tech"]});
    post(&house, "/api/v1/sources", body).await;
    let before = items(&house, "All").await;
    assert_eq!(before.as_array().unwrap().len(), 2);
    assert_eq!(delete(&house, "/api/v1/sources/1").await.0, StatusCode::NO_CONTENT);
    assert_eq!(get(&house, "/api/v1/sources/1").await.0, StatusCode::NOT_FOUND);
    let (_, removed) = get(&house, "/api/v1/removed").await;
    assert_eq!(
        (&removed["sources"][0]["id"], &removed["sources"][0]["url"]),
        (&json!(1), &json!(url))
    );
    let (at, until) =
        (&removed["sources"][0]["removed_at"], &removed["sources"][0]["restorable_until"]);
    assert_eq!(instant(until).unwrap() - instant(at).unwrap(), 7.0 * DAY);

    // Cleaning up in between, and a restart, lose nothing.
    house.node().clear_out().await.unwrap();
    let house = house.restart().await;
    let (status, restored) = post(&house, "/api/v1/sources/1/restore", json!({})).await;
    assert_eq!(status, StatusCode::OK, "{restored}");
    assert_eq!((&restored["title"], &restored["importance"]), (&json!("Mine"), &json!(2.0)));
    assert_eq!((&restored["folders"], &restored["items"]), (&json!(["Tech"]), &json!(2)));
    assert_eq!(get(&house, "/api/v1/removed").await.1["sources"], json!([]));
    post(&house, "/api/v1/sources/1/refresh", json!({})).await;
    assert_eq!(items(&house, "All").await, before, "nothing is new again");
    let (status, problem) = post(&house, "/api/v1/sources/1/restore", json!({})).await;
    assert_eq!((status, &problem["code"]), (StatusCode::CONFLICT, &json!("cannot-restore")));
    assert_eq!(post(&house, "/api/v1/sources/9/restore", json!({})).await.0, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_is_added_again_is_the_one_that_was_removed() {
    let (house, origin) = (quiet_house().await, origin("/rss", feed(&["One"])).await);
    create(&house, "CREATE FEED All AS RETURN OPML \"all\";").await;
    let body = json!({"url": origin.url("/rss").as_str()});
    post(&house, "/api/v1/sources", body.clone()).await;
    let before = items(&house, "All").await;
    delete(&house, "/api/v1/sources/1").await;
    let (status, again) = post(&house, "/api/v1/sources", body).await;
    assert_eq!((status, &again["source"]["id"]), (StatusCode::CREATED, &json!(1)), "{again}");
    assert_eq!(items(&house, "All").await, before);
    assert_eq!(get(&house, "/api/v1/removed").await.1["sources"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_that_was_dropped_comes_back_with_its_items_and_goes_on_counting() {
    let (house, origin) = (quiet_house().await, origin("/rss", feed(&["One", "Two"])).await);
    let url = origin.url("/rss");
    create(&house, &format!("CREATE FEED News AS RETURN \"{url}\";")).await;
    post(&house, "/api/v1/sources/1/refresh", json!({})).await;
    let before = items(&house, "News").await;
    assert_eq!(before.as_array().unwrap().len(), 2);
    assert_eq!(delete(&house, "/api/v1/feeds/News").await.0, StatusCode::NO_CONTENT);
    assert_eq!(get(&house, "/api/v1/feeds/News").await.0, StatusCode::NOT_FOUND);
    assert_eq!(get(&house, "/api/v1/status").await.1["sources"], 0, "nobody wants its source");
    assert_eq!(get(&house, "/api/v1/removed").await.1["feeds"][0]["name"], "News");
    house.node().clear_out().await.unwrap();
    let house = house.restart().await;

    let (status, restored) = post(&house, "/api/v1/feeds/News/restore", json!({})).await;
    assert_eq!((status, &restored["published"]), (StatusCode::OK, &json!(2)), "{restored}");
    assert_eq!(items(&house, "News").await, before);
    assert_eq!(get(&house, "/api/v1/status").await.1["sources"], 1);
    origin.set("/rss", feed(&["Three", "One", "Two"]));
    crate::house::eventually("the next item", async || {
        let seen = items(&house, "News").await;
        let numbers: Vec<_> =
            seen.as_array().unwrap().iter().map(|item| &item["sequence"]).collect();
        if numbers == [1, 2, 3] { Ok(()) } else { Err(format!("{numbers:?}")) }
    })
    .await;
    let (status, problem) = post(&house, "/api/v1/feeds/News/restore", json!({})).await;
    assert_eq!((status, &problem["code"]), (StatusCode::CONFLICT, &json!("cannot-restore")));
    let (status, problem) = post(&house, "/api/v1/feeds/Old/restore", json!({})).await;
    assert_eq!(status, StatusCode::NOT_FOUND, "{problem}");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_week_it_is_gone_for_good() {
    let clock = ManualClock::new(Clock::real().now());
    let (house, origin) = (house_at(&clock).await, origin("/rss", feed(&["One"])).await);
    post(&house, "/api/v1/sources", json!({"url": origin.url("/rss").as_str()})).await;
    create(&house, "CREATE FEED All AS RETURN OPML \"all\";").await;
    delete(&house, "/api/v1/feeds/All").await;
    delete(&house, "/api/v1/sources/1").await;
    clock.advance(6.0 * DAY);
    house.node().clear_out().await.unwrap();
    let (_, removed) = get(&house, "/api/v1/removed").await;
    assert_eq!(removed["sources"].as_array().unwrap().len(), 1, "{removed}");
    assert_eq!(removed["feeds"].as_array().unwrap().len(), 1, "{removed}");
    clock.advance(2.0 * DAY);
    house.node().clear_out().await.unwrap();
    assert_eq!(get(&house, "/api/v1/removed").await.1, json!({"sources": [], "feeds": []}));
    assert_eq!(post(&house, "/api/v1/sources/1/restore", json!({})).await.0, StatusCode::NOT_FOUND);
    assert_eq!(post(&house, "/api/v1/feeds/All/restore", json!({})).await.0, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_feed_held_is_forgotten_with_the_feed_or_with_the_source() {
    let clock = ManualClock::new(Clock::real().now());
    let (house, origin) = (house_at(&clock).await, origin("/rss", feed(&["One", "Two"])).await);
    post(&house, "/api/v1/sources", json!({"url": origin.url("/rss").as_str()})).await;
    create(&house, "CREATE FEED Brief AS RETURN OPML \"all\" KEEP 1 DAY;").await;
    create(&house, "CREATE FEED Short AS RETURN OPML \"all\" KEEP 2 DAYS;").await;
    crate::house::eventually("the items", async || {
        let there = items(&house, "Short").await;
        if there.as_array().unwrap().len() == 2 { Ok(()) } else { Err(there.to_string()) }
    })
    .await;
    let expired = async || {
        house.node().clear_out().await.unwrap();
        let all = |archive: &Archive| -> Vec<usize> {
            let of = |feed| archive.expired_of(FeedId(feed), 10).unwrap().len();
            (0..4).map(of).filter(|count| *count > 0).collect()
        };
        house.node().alone(all).await.unwrap()
    };
    assert_eq!(expired().await, [0; 0]);
    clock.advance(1.5 * DAY);
    assert_eq!(expired().await, [2]);
    clock.advance(DAY);
    assert_eq!(expired().await, [2, 2]);
    delete(&house, "/api/v1/feeds/Brief").await;
    assert_eq!(expired().await, [2, 2], "the feed can be restored");
    clock.advance(8.0 * DAY);
    assert_eq!(expired().await, [2]);
    delete(&house, "/api/v1/sources/1").await;
    clock.advance(6.0 * DAY);
    assert_eq!(expired().await, [2], "the source can be restored");
    clock.advance(2.0 * DAY);
    assert_eq!(expired().await, [0; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_stays_dead_raises_a_notice_until_it_recovers() {
    // Whether sources are dead is looked at on the hour.
    let hour = (Clock::real().now() / 3_600.0).floor() * 3_600.0;
    let clock = ManualClock::new(hour + 1.0);
    let house = house_at(&clock).await;
    let origin = origin("/rss", crate::origin::Reply::status(500)).await;
    post(&house, "/api/v1/sources", json!({"url": origin.url("/rss").as_str()})).await;
    let notices = async || get(&house, "/api/v1/status").await.1["notices"].clone();
    assert_eq!(notices().await, json!([]));
    clock.advance(4.0 * DAY);
    let told = crate::house::eventually("a notice", async || {
        let told = notices().await;
        if told.as_array().unwrap().is_empty() { Err(told.to_string()) } else { Ok(told) }
    })
    .await;
    let told = told[0].as_str().unwrap();
    assert!(told.starts_with("source 1 ") && told.contains("dead for 4 days"), "{told}");
    origin.set("/rss", feed(&["One"]));
    post(&house, "/api/v1/sources/1/refresh", json!({})).await;
    assert_eq!(notices().await, json!([]));
}
