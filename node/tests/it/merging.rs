//! Sources that turn out to be one, by a redirect or because a page leads to a feed that is there.

use std::time::Duration;

use pergola_outside::clock::{Clock, ManualClock};
use pergola_store::archive::{
    Archive, Commit, NodeRecord, SourceId, SourceRecord, SourceState, unknown,
};
use pergola_store::open;
use reqwest::StatusCode;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;

use crate::house::{House, eventually, quick_config};
use crate::origin::{Origin, Reply};

const DAY: f64 = 86_400.0;

/// A feed whose ids mean nothing outside it.
fn feed(items: &[(&str, &str)]) -> Reply {
    let item = |(id, title): &(&str, &str)| {
        format!("<item><title>{title}</title><guid isPermaLink=\"false\">{id}</guid></item>")
    };
    let items: String = items.iter().map(item).collect();
    let channel = format!("<channel><title>Example</title>{items}</channel>");
    Reply::ok(format!("<rss version=\"2.0\">{channel}</rss>"))
        .header("content-type", "application/rss+xml")
}

/// A node that refreshes only when it is asked to, some days ago.
async fn house(clock: &ManualClock) -> House {
    let folder = TempDir::new().unwrap();
    let mut config = quick_config(&folder);
    config.schedule.cycle = Duration::from_secs(100 * 86_400);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    config.node.public_url = format!("http://{address}/").parse().unwrap();
    House::open_with(folder, config, clock.clock(), listener).await
}

async fn post(house: &House, path: &str, body: Value) -> (StatusCode, Value) {
    let request = house.client.post(house.url(path)).header("content-type", "application/json");
    let answer = request.body(body.to_string()).send().await.unwrap();
    let status = answer.status();
    (status, serde_json::from_str(&answer.text().await.unwrap()).unwrap())
}

async fn get(house: &House, path: &str) -> Value {
    let text = house.client.get(house.url(path)).send().await.unwrap().text().await.unwrap();
    serde_json::from_str(&text).unwrap()
}

async fn add(house: &House, url: impl ToString) -> (StatusCode, Value) {
    post(house, "/api/v1/sources", json!({"url": url.to_string()})).await
}

async fn refresh(house: &House, id: &Value) -> Value {
    let (status, report) = post(house, &format!("/api/v1/sources/{id}/refresh"), json!({})).await;
    assert_eq!(status, StatusCode::OK, "{report}");
    report
}

async fn create(house: &House, query: String) {
    let (status, answer) = post(house, "/api/v1/feeds", json!({"query": query})).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
}

/// What the feeds of the old and of the new address come to hold.
async fn expect(house: &House, expected: [&[&str]; 2]) {
    eventually("the items", async || {
        let (old, new) = (sorted_titles(house, "Old").await, sorted_titles(house, "New").await);
        let there = old == expected[0] && new == expected[1];
        if there { Ok(()) } else { Err(format!("{old:?} {new:?}")) }
    })
    .await;
}

async fn sorted_titles(house: &House, feed: &str) -> Vec<String> {
    let mut titles = house.titles(feed).await;
    titles.sort();
    titles
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_moves_to_the_address_of_another_becomes_a_part_of_it() {
    let clock = ManualClock::new(Clock::real().now() - 20.0 * DAY);
    let house = house(&clock).await;
    let origin = Origin::builder()
        .page("/old", feed(&[("1", "One")]))
        .page("/new", feed(&[("2", "Two")]))
        .start()
        .await;
    let (old_url, new_url) = (origin.url("/old"), origin.url("/new"));
    let body = json!({"url": old_url.to_string(), "title": "Mine", "folders": ["Tech"]});
    let (_, old) = post(&house, "/api/v1/sources", body).await;
    let (_, new) = add(&house, &new_url).await;
    let (old, new) = (&old["source"]["id"], &new["source"]["id"]);
    create(&house, format!("CREATE FEED Old AS RETURN \"{old_url}\";")).await;
    create(&house, format!("CREATE FEED New AS RETURN \"{new_url}\";")).await;
    assert_eq!(house.titles("Old").await, ["One"]);

    origin.set("/old", Reply::redirect(301, new_url.as_str()));
    refresh(&house, old).await;
    expect(&house, [&["One", "Two"], &["Two"]]).await;
    clock.advance(8.0 * DAY);
    origin.set("/new", feed(&[("2", "Two"), ("3", "Three")]));
    refresh(&house, old).await;
    let sources = eventually("one source", async || {
        let list = get(&house, "/api/v1/sources").await["sources"].clone();
        if list.as_array().unwrap().len() == 1 { Ok(list) } else { Err(list.to_string()) }
    })
    .await;
    assert_eq!((&sources[0]["id"], &sources[0]["url"]), (new, &json!(new_url.as_str())));
    assert_eq!(sources[0]["title"], "Mine");
    assert_eq!(sources[0]["folders"], json!(["Tech"]));
    let detail = get(&house, &format!("/api/v1/sources/{new}")).await;
    assert_eq!(detail["formerly"], json!([old_url.as_str()]), "{detail}");
    expect(&house, [&["One", "Three", "Two"], &["Three", "Two"]]).await;

    // Nothing is new again, and an edit reaches the feeds of both.
    origin.set("/new", feed(&[("1", "One"), ("2", "Two, corrected"), ("3", "Three")]));
    refresh(&house, new).await;
    expect(&house, [&["One", "Three", "Two, corrected"], &["Three", "Two, corrected"]]).await;

    // Whoever adds the old address learns where the source is, also after a restart.
    let house = house.restart().await;
    let (status, known) = add(&house, &old_url).await;
    assert_eq!((status, &known["known"]), (StatusCode::OK, &json!(true)), "{known}");
    assert_eq!((&known["source"]["id"], &known["report"]), (new, &Value::Null));
    origin.set("/new", feed(&[("4", "Four"), ("3", "Three")]));
    eventually("an item by the old address", async || {
        let titles = sorted_titles(&house, "Old").await;
        let expected = ["Four", "One", "Three", "Two, corrected"];
        if titles == expected { Ok(()) } else { Err(format!("{titles:?}")) }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_leads_to_a_known_feed_is_that_source() {
    let clock = ManualClock::new(Clock::real().now());
    let house = house(&clock).await;
    let page = r#"<html><head><link rel="alternate" type="application/rss+xml" href="/rss">"#;
    let origin = Origin::builder()
        .page("/", Reply::ok(page).header("content-type", "text/html"))
        .page("/rss", feed(&[("1", "One")]))
        .start()
        .await;
    create(&house, "CREATE FEED All AS RETURN OPML \"all\";".into()).await;
    let (_, first) = add(&house, origin.url("/rss")).await;
    assert_eq!(first["known"], json!(false), "{first}");
    let (status, second) = add(&house, origin.url("/")).await;
    assert_eq!((status, &second["known"]), (StatusCode::OK, &json!(true)), "{second}");
    assert_eq!(second["source"]["id"], first["source"]["id"]);
    assert_eq!(get(&house, "/api/v1/status").await["sources"], 1);
    assert_eq!(house.titles("All").await, ["One"]);
    assert_eq!(origin.hits("/rss"), 1, "it is not read twice");
    // A feed that names the page reads the source.
    create(&house, format!("CREATE FEED Page AS RETURN \"{}\";", origin.url("/"))).await;
    assert_eq!(house.titles("Page").await, ["One"]);
    assert_eq!(get(&house, "/api/v1/status").await["sources"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_sources_that_are_stored_at_one_address_are_merged_at_the_start() {
    let origin = Origin::builder().page("/rss", feed(&[("1", "One")])).start().await;
    let folder = TempDir::new().unwrap();
    let config = quick_config(&folder);
    {
        let archive =
            Archive::new(open(&config.node.data, config.store.backend, 1 << 20).unwrap().store);
        let mut commit = Commit::new();
        let node = NodeRecord { id: "here".into(), threshold: None, next_source: 3, next_feed: 1 };
        commit.node().put_record(&node);
        for (id, formerly) in [(1, "https://a.example/"), (2, "https://b.example/")] {
            let record = SourceRecord {
                wanted: true,
                formerly: vec![formerly.into()],
                ..SourceRecord::new(origin.url("/rss"), 1.0)
            };
            let state = SourceState::new(unknown());
            let part = commit.source(SourceId(id));
            part.put_record(&record);
            part.put_state(&state);
            part.put_model(&state.schedule);
        }
        archive.commit(commit).unwrap();
    }
    let house = House::open(folder, config).await;
    let list = get(&house, "/api/v1/sources").await["sources"].clone();
    assert_eq!((list.as_array().unwrap().len(), &list[0]["id"]), (1, &json!(1)), "{list}");
    let formerly = get(&house, "/api/v1/sources/1").await["formerly"].clone();
    assert_eq!(formerly, json!(["https://a.example/", "https://b.example/"]));
    let house = house.restart().await;
    assert_eq!(get(&house, "/api/v1/status").await["sources"], 1);
}
