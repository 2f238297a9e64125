//! Items that come through other nodes: their way, the shorter of two ways, and circles.

use pergola_newsroom::serve::Headline;
use serde_json::Value;

use crate::house::{House, Press, eventually, instant};

fn headline(press: &Press, title: &str) {
    press.newsroom.publish_headline("news", Headline::new(title, &["news"])).unwrap();
}

async fn run(house: &House, script: &str) {
    house.node().run_script(script, "test").await.unwrap();
}

/// A node whose feed `News` reads what is at an address, once it has read all of it.
async fn node_that_reads(url: &str, titles: &[&str]) -> House {
    let house = House::start().await;
    run(&house, &format!("CREATE FEED News AS RETURN \"{url}\";")).await;
    expect_titles(&house, titles).await;
    house
}

async fn also_reads(house: &House, url: &str) {
    run(house, &format!("ALTER FEED News ADD \"{url}\";")).await;
}

fn news_of(house: &House) -> String {
    house.url("/feeds/News.atom")
}

async fn expect_titles(house: &House, titles: &[&str]) {
    eventually("the titles", async || {
        let seen = house.titles("News").await;
        if seen == titles { Ok(()) } else { Err(format!("{seen:?}")) }
    })
    .await;
}

async fn text(house: &House, path: &str) -> String {
    let asked = house.client.get(house.url(path)).header("accept", "text/html, */*");
    asked.send().await.unwrap().text().await.unwrap()
}

async fn json(house: &House, path: &str) -> Value {
    serde_json::from_str(&text(house, path).await).unwrap()
}

fn ids(houses: &[&House]) -> Vec<String> {
    houses.iter().map(|house| house.node().id().0).collect()
}

/// The items of the feed as the API tells them, oldest first.
async fn items(house: &House) -> Vec<Value> {
    json(house, "/api/v1/feeds/News/items").await["items"].as_array().unwrap().clone()
}

fn way(item: &Value) -> Vec<String> {
    let hops = item["hops"].as_array().unwrap().iter();
    hops.map(|hop| hop["node"].as_str().unwrap().to_owned()).collect()
}

async fn expect_way(house: &House, nodes: &[&House]) {
    let wanted = ids(nodes);
    eventually("the way of the first item", async || {
        let seen = way(&items(house).await[0]);
        if seen == wanted { Ok(()) } else { Err(format!("{seen:?} instead of {wanted:?}")) }
    })
    .await;
}

/// The value of a metric without labels.
async fn metric(house: &House, name: &str) -> f64 {
    let all = text(house, "/metrics").await;
    let line = all.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("{name} is not among {all}")).parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_item_tells_by_which_nodes_it_came_and_how_long_that_took() {
    let press = Press::start(&["news"]).await;
    headline(&press, "One");
    let a = node_that_reads(&press.url("news"), &["One"]).await;
    let b = node_that_reads(&news_of(&a), &["One"]).await;
    let c = node_that_reads(&news_of(&b), &["One"]).await;
    // What was there at the first refresh says nothing about how quick the way is.
    assert_eq!(metric(&c, "pergola_hop_age_seconds_count").await, 0.0);
    headline(&press, "Two");
    expect_titles(&c, &["Two", "One"]).await;
    let item = items(&c).await.pop().unwrap();
    assert_eq!(way(&item), ids(&[&a, &b, &c]));
    let mut before = 0.0;
    for hop in item["hops"].as_array().unwrap() {
        let (fetched, published) = (&hop["fetched"], &hop["published"]);
        let (fetched, published) = (instant(fetched).unwrap(), instant(published).unwrap());
        assert!(before <= fetched && fetched <= published, "{item}");
        assert!(hop["age"].as_f64().unwrap() >= 0.0, "{item}");
        before = published;
    }
    let ages = item["hops"].as_array().unwrap()[1..].iter();
    let on_the_way: f64 = ages.map(|hop| hop["age"].as_f64().unwrap()).sum();
    assert!(item["age"].as_f64().unwrap() >= on_the_way - 0.001, "{item}");
    eventually("the metric", async || {
        let count = metric(&c, "pergola_hop_age_seconds_count").await;
        if count == 1.0 { Ok(()) } else { Err(count.to_string()) }
    })
    .await;
    assert_eq!(metric(&c, "pergola_path_age_seconds_count{nodes=\"3\"}").await, 1.0);
    let page = text(&c, "/feeds/News").await;
    let first = &ids(&[&a])[0];
    assert!(
        page.contains(&format!("via <span title=\"{first}\">{}</span> (", &first[..8])),
        "{page}"
    );
    assert!(page.contains(", here ("), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_item_by_two_routes_is_one_item_and_keeps_the_shorter_way() {
    let press = Press::start(&["news"]).await;
    headline(&press, "One");
    let a = node_that_reads(&press.url("news"), &["One"]).await;
    let b = node_that_reads(&news_of(&a), &["One"]).await;
    let c = node_that_reads(&news_of(&b), &["One"]).await;
    let first = items(&c).await.remove(0);
    assert_eq!(way(&first), ids(&[&a, &b, &c]));
    also_reads(&c, &news_of(&a)).await;
    expect_way(&c, &[&a, &c]).await;
    also_reads(&c, &press.url("news")).await;
    expect_way(&c, &[&c]).await;
    let last = items(&c).await;
    assert_eq!(last.len(), 1);
    for same in ["id", "sequence", "at", "title"] {
        assert_eq!(last[0][same], first[same], "{same}");
    }
    headline(&press, "Two");
    expect_titles(&c, &["Two", "One"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_was_refreshed_before_its_feed_read_it_shortens_the_way_as_well() {
    let press = Press::start(&["news"]).await;
    headline(&press, "One");
    let a = node_that_reads(&press.url("news"), &["One"]).await;
    let b = node_that_reads(&news_of(&a), &["One"]).await;
    assert_eq!(way(&items(&b).await[0]), ids(&[&a, &b]));
    let direct = serde_json::json!({"url": press.url("news")});
    let (_, added) = crate::api::post(&b, "/api/v1/sources", direct).await;
    assert_eq!(added["report"]["new_items"], 1, "{added}");
    also_reads(&b, &press.url("news")).await;
    expect_way(&b, &[&b]).await;
    assert_eq!(items(&b).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn items_pass_a_circle_of_nodes_once_and_the_circle_is_named() {
    let press = Press::start(&["news"]).await;
    headline(&press, "One");
    let a = node_that_reads(&press.url("news"), &["One"]).await;
    let b = node_that_reads(&news_of(&a), &["One"]).await;
    let c = node_that_reads(&news_of(&b), &["One"]).await;
    also_reads(&a, &news_of(&c)).await;
    let circle = ids(&[&a, &b, &c, &a]);
    let source = a.node().find_source(&news_of(&c)).unwrap().0;
    let told = async |house: &House| {
        let shown = json(house, &format!("/api/v1/sources/{source}")).await;
        if shown["source"]["loop"] == serde_json::json!(circle) {
            Ok(())
        } else {
            Err(shown["source"].to_string())
        }
    };
    eventually("the circle", async || told(&a).await).await;
    headline(&press, "Two");
    for house in [&a, &b, &c] {
        expect_titles(house, &["Two", "One"]).await;
    }
    eventually("the second item to come back", async || {
        let looped = metric(&a, "pergola_items_looped_total").await;
        if looped >= 2.0 { Ok(()) } else { Err(looped.to_string()) }
    })
    .await;
    assert_eq!(items(&a).await.len(), 2);
    let status = json(&a, "/api/v1/status").await;
    assert!(status["notices"].to_string().contains(&circle.join(" → ")), "{status}");
    // It is known after a restart, too.
    let a = a.restart().await;
    told(&a).await.unwrap();
}
