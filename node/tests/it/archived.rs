//! A whole node: whatever its API lists can be reached by walking from the feed through its archives.

use std::collections::BTreeSet;
use std::time::Duration;

use pergola_feed::write::write_rss;
use pergola_feed::{Document, Format, Item, ParseOptions, parse};
use serde_json::Value;
use tempfile::TempDir;

use crate::house::{House, eventually, quick_config};
use crate::origin::{Origin, Reply};

fn document(numbers: std::ops::Range<u32>, edited: Option<u32>) -> Reply {
    let mut document = Document::new(Format::Rss2);
    document.title = Some("Origin".into());
    document.items = numbers
        .rev()
        .map(|number| {
            let version = if edited == Some(number) { "Corrected" } else { "Item" };
            Item {
                title: Some(format!("{version} {number}")),
                ..Item::new(format!("urn:{number}"))
            }
        })
        .collect();
    Reply::ok(write_rss(&document)).header("content-type", "application/rss+xml")
}

async fn get(house: &House, path: &str) -> (u16, Vec<u8>) {
    let answer = house.client.get(house.url(path)).send().await.unwrap();
    (answer.status().as_u16(), answer.bytes().await.unwrap().to_vec())
}

/// Ids and titles as the API lists them.
async fn listed(house: &House) -> BTreeSet<(String, String)> {
    let (_, body) = get(house, "/api/v1/feeds/All/items?after=0&limit=1000").await;
    let page: Value = serde_json::from_slice(&body).unwrap();
    let text = |item: &Value, key: &str| item[key].as_str().unwrap().to_owned();
    let items = page["items"].as_array().unwrap().iter();
    items.map(|item| (text(item, "id"), text(item, "title"))).collect()
}

/// Ids and titles as a client finds them that follows every link back.
async fn walked(house: &House) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    let mut next = Some(house.url("/feeds/All.atom"));
    while let Some(url) = next {
        let answer = house.client.get(&url).send().await.unwrap();
        assert_eq!(answer.status().as_u16(), 200, "{url}");
        let document = parse(&answer.bytes().await.unwrap(), &ParseOptions::default()).unwrap();
        next = document.older().map(str::to_owned);
        found.extend(document.items.into_iter().map(|item| (item.id.0, item.title.unwrap())));
    }
    found
}

async fn expect_listed(house: &House, count: usize, title: &str) {
    eventually("the items", async || {
        let items = listed(house).await;
        let there = items.len() == count && items.iter().any(|(_, seen)| seen == title);
        if there { Ok(()) } else { Err(format!("{} items", items.len())) }
    })
    .await;
}

/// What is durable is told a moment later.
async fn expect_walked(house: &House) {
    eventually("the archives", async || {
        let (walked, listed) = (walked(house).await, listed(house).await);
        let differ: Vec<_> = walked.symmetric_difference(&listed).collect();
        if differ.is_empty() { Ok(()) } else { Err(format!("{differ:?}")) }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_walks_back_finds_what_the_api_lists() {
    let origin = Origin::builder().page("/feed", document(0..120, None)).start().await;
    let folder = TempDir::new().unwrap();
    let mut config = quick_config(&folder);
    config.store.keep = Duration::from_millis(500);
    let house = House::open(folder, config).await;
    let query = format!(r#"CREATE FEED All AS RETURN "{}" WINDOW 7;"#, origin.url("/feed"));
    house.node().run_script(&query, "test").await.unwrap();
    expect_listed(&house, 120, "Item 119").await;
    expect_walked(&house).await;
    origin.set("/feed", document(0..120, Some(50)));
    expect_listed(&house, 120, "Corrected 50").await;
    expect_walked(&house).await;
    // What is older than it is kept goes; one whole archive document and a part of the next.
    eventually("the old ones to go", async || {
        let cleared = house.node().clear_out().await.unwrap();
        if cleared.entries > 0 { Ok(()) } else { Err(format!("{cleared:?}")) }
    })
    .await;
    origin.set("/feed", document(60..260, None));
    expect_listed(&house, 140, "Item 259").await;
    expect_walked(&house).await;
    assert_eq!(get(&house, "/feeds/All/archive/0.atom").await.0, 410);
    assert_eq!(get(&house, "/feeds/All/archive/1.atom").await.0, 200);
    assert_eq!(get(&house, "/feeds/All/archive/2.atom").await.0, 404);
}
