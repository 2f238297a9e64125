//! The titles of items, and of where they come from.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::house::{House, eventually};
use crate::origin::{Origin, Reply};

const FEED: &str = "<rss version=\"2.0\"><channel><title>Its own &lt;b&gt;title&lt;/b&gt;</title>\
    <item><title>A &lt;em&gt;real&lt;/em&gt; volcano</title><guid>urn:x:1</guid>\
    <link>javascript:alert(1)</link></item></channel></rss>";

async fn get(house: &House, path: &str) -> String {
    let asked = house.client.get(house.url(path)).header("accept", "text/html, */*;q=0.5");
    let answer = asked.send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK, "{path}");
    answer.text().await.unwrap()
}

async fn get_json(house: &House, path: &str) -> Value {
    serde_json::from_str(&get(house, path).await).unwrap()
}

/// Adds the source, with a title of its user if there is one.
async fn add(house: &House, url: &str, title: Option<&str>) {
    let body = json!({ "url": url, "title": title }).to_string();
    let request = house.client.post(house.url("/api/v1/sources")).body(body);
    let answer = request.header("content-type", "application/json").send().await.unwrap();
    assert!(answer.status().is_success(), "{}", answer.text().await.unwrap());
}

/// A node that reads the feed, by what it calls it.
async fn reading(title: Option<&str>) -> (House, Origin) {
    let origin = Origin::builder().page("/feed", Reply::ok(FEED)).start().await;
    let house = House::start().await;
    let url = origin.url("/feed");
    add(&house, url.as_str(), title).await;
    let query = format!("CREATE FEED News AS RETURN \"{url}\";");
    house.node().run_script(&query, "test").await.unwrap();
    eventually("the item", async || {
        let titles = house.titles("News").await;
        if titles.is_empty() { Err("nothing".to_owned()) } else { Ok(()) }
    })
    .await;
    (house, origin)
}

/// Where the item comes from, wherever that is told.
async fn assert_named(house: &House, name: &str) {
    for (path, part) in [
        ("/feeds/News.atom", format!("<title>{name}</title>")),
        ("/feeds/News.rss", format!(">{name}</source>")),
        ("/feeds/News.rss", format!("<atom:title>{name}</atom:title>")),
        ("/feeds/News", format!("{name} · ")),
        ("/search?q=volcano", format!(">{name}</a>")),
    ] {
        let text = get(house, path).await;
        assert!(text.contains(&part), "{part} in {path}: {text}");
    }
    let document = get_json(house, "/feeds/News.json").await;
    assert_eq!(document["items"][0]["_pergola"]["origin"]["title"], name, "{document}");
    let items = get_json(house, "/api/v1/feeds/News/items").await;
    assert_eq!(items["items"][0]["source"], name, "{items}");
    let found = get_json(house, "/api/v1/search?q=volcano").await;
    assert!(found.to_string().contains(&format!("\"{name}\"")), "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_goes_by_the_title_that_its_user_gave_it() {
    let (house, origin) = reading(Some("My volcanoes")).await;
    assert_named(&house, "My volcanoes").await;
    add(&house, origin.url("/feed").as_str(), Some("Lava")).await;
    assert_named(&house, "Lava").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_one_it_goes_by_its_own_as_plain_text() {
    let (house, _origin) = reading(None).await;
    assert_named(&house, "Its own title").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_title_of_an_item_is_plain_text_and_its_link_leads_to_the_web() {
    let (house, _origin) = reading(None).await;
    assert_eq!(house.titles("News").await, ["A real volcano"]);
    let items = get_json(&house, "/api/v1/feeds/News/items").await;
    assert_eq!(items["items"][0]["title"], "A real volcano", "{items}");
    assert_eq!(items["items"][0]["link"], Value::Null, "{items}");
    for path in ["/feeds/News.atom", "/feeds/News.rss", "/feeds/News.json", "/feeds/News"] {
        let text = get(&house, path).await;
        assert!(text.contains("A real volcano"), "{path}: {text}");
        assert!(!text.contains("javascript"), "{path}: {text}");
    }
}
