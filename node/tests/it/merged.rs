//! Feeds that merge others: sources that use the same ids, and what pictures and podcasts say.

use std::collections::BTreeSet;

use pergola_feed::{Document, ParseOptions, parse};
use pergola_node::node::NewSource;
use pergola_proto::v1;
use pergola_proto::v1::syndication_client::SyndicationClient;
use tempfile::TempDir;

use crate::house::{House, eventually, quick_config};
use crate::origin::{Origin, Reply};

const FORMS: [&str; 3] = ["atom", "rss", "json"];

/// An RSS document whose items are numbered 1 to 3.
fn numbered(name: &str) -> Reply {
    let item = |n: u32| {
        format!("<item><guid isPermaLink=\"false\">{n}</guid><title>{name} {n}</title></item>")
    };
    rss(name, &(1..=3).map(item).collect::<String>())
}

fn rss(title: &str, items: &str) -> Reply {
    let text = format!(
        "<rss version=\"2.0\" xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\" \
         xmlns:media=\"http://search.yahoo.com/mrss/\"><channel><title>{title}</title>\
         <link>https://example.org/</link><description>d</description>{items}</channel></rss>"
    );
    Reply::ok(text).header("content-type", "application/rss+xml")
}

/// Two sources that both number their items.
async fn two_sources() -> Origin {
    Origin::builder().page("/a.xml", numbered("A")).page("/b.xml", numbered("B")).start().await
}

/// A node whose feed `Both` reads some addresses, once it has so many items.
async fn node_that_reads(urls: &[String], count: usize) -> House {
    let folder = TempDir::new().unwrap();
    let config = quick_config(&folder);
    reading(House::open(folder, config).await, urls, count).await
}

/// … and reads other nodes only as any reader does.
async fn plain_node_that_reads(urls: &[String], count: usize) -> House {
    let folder = TempDir::new().unwrap();
    let mut config = quick_config(&folder);
    config.peers.enabled = false;
    reading(House::open(folder, config).await, urls, count).await
}

async fn reading(house: House, urls: &[String], count: usize) -> House {
    let urls: Vec<String> = urls.iter().map(|url| format!("\"{url}\"")).collect();
    let query = format!("CREATE FEED Both AS RETURN {} WINDOW 50;", urls.join(" | "));
    house.node().run_script(&query, "test").await.unwrap();
    expect(&house, count).await;
    house
}

async fn expect(house: &House, count: usize) {
    eventually("the items", async || {
        let titles = house.titles("Both").await;
        if titles.len() == count { Ok(()) } else { Err(format!("{titles:?}")) }
    })
    .await;
}

async fn document(house: &House, form: &str) -> Document {
    let url = house.url(&format!("/feeds/Both.{form}"));
    let bytes = house.client.get(url).send().await.unwrap().bytes().await.unwrap();
    parse(&bytes, &ParseOptions::default()).unwrap()
}

/// Ids with titles.
async fn ids(house: &House, form: &str) -> BTreeSet<(String, String)> {
    let items = document(house, form).await.items.into_iter();
    items.map(|item| (item.id.0, item.title.unwrap())).collect()
}

fn addresses(origin: &Origin) -> [String; 2] {
    ["/a.xml", "/b.xml"].map(|path| origin.url(path).to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn sources_that_use_the_same_ids_are_published_under_different_ones() {
    let origin = two_sources().await;
    let house = node_that_reads(&addresses(&origin), 6).await;
    let published = ids(&house, "atom").await;
    let distinct: BTreeSet<&str> = published.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(distinct.len(), 6, "{published:?}");
    assert!(distinct.iter().all(|id| id.starts_with("urn:pergola:item:")), "{distinct:?}");
    for form in FORMS {
        assert_eq!(ids(&house, form).await, published, "{form}");
    }
    let told = house.client.get(house.url("/api/v1/feeds/Both/items")).send().await.unwrap();
    let told: serde_json::Value = serde_json::from_str(&told.text().await.unwrap()).unwrap();
    let told = told["items"].as_array().unwrap().iter();
    let told: BTreeSet<&str> = told.map(|item| item["id"].as_str().unwrap()).collect();
    assert_eq!(told, distinct, "the API");
    let house = house.restart().await;
    assert_eq!(ids(&house, "rss").await, published, "after a restart");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_item_has_one_id_whichever_route_it_takes() {
    let origin = two_sources().await;
    let urls = addresses(&origin);
    let direct = node_that_reads(&urls, 6).await;
    let published = ids(&direct, "atom").await;
    for form in FORMS {
        let feed = direct.url(&format!("/feeds/Both.{form}"));
        let plain = plain_node_that_reads(&[feed], 6).await;
        assert_eq!(ids(&plain, "atom").await, published, "read as {form}");
    }
    let feed = direct.url("/feeds/Both.atom");
    let peer = node_that_reads(std::slice::from_ref(&feed), 6).await;
    assert_eq!(ids(&peer, "json").await, published, "read as a peer");
    // All routes at once: nothing comes twice.
    let last = peer.url("/feeds/Both.rss");
    let all = plain_node_that_reads(&[urls[0].clone(), feed, urls[1].clone(), last], 6).await;
    eventually("every route", async || {
        let delivered = all.metric("items_delivered_total");
        if delivered == 3.0 + 6.0 + 3.0 + 6.0 { Ok(()) } else { Err(delivered.to_string()) }
    })
    .await;
    assert_eq!(ids(&all, "atom").await, published);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_peer_gets_the_original_ids_and_what_identifies_their_feeds() {
    let origin = two_sources().await;
    let house = node_that_reads(&addresses(&origin), 6).await;
    let mut client = SyndicationClient::connect(house.url("")).await.unwrap();
    let asked = v1::FetchRequest { feed: "Both".into(), ..v1::FetchRequest::default() };
    let entries = client.fetch(asked).await.unwrap().into_inner().entries;
    let items: Vec<v1::Item> = entries.into_iter().map(|entry| entry.item.unwrap()).collect();
    for item in &items {
        assert!(["1", "2", "3"].contains(&item.id.as_str()), "{item:?}");
    }
    let origins = items.into_iter().map(|item| item.origin.unwrap().identity.unwrap());
    assert_eq!(origins.collect::<BTreeSet<_>>().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_that_differ_in_a_secret_only_are_two_sources() {
    let pages = [("/x.xml?token=alice", "A"), ("/x.xml?token=bob", "B"), ("/x.xml", "C")];
    let site =
        pages.iter().fold(Origin::builder(), |site, (path, name)| site.page(path, numbered(name)));
    let site = site.start().await;
    let folder = TempDir::new().unwrap();
    let config = quick_config(&folder);
    let house = House::open(folder, config).await;
    for (path, _) in pages {
        let source = NewSource::feed(site.url(path).as_str()).unwrap();
        house.node().add_sources(vec![source]).await.unwrap();
    }
    let query = "CREATE FEED Both AS RETURN OPML \"all\" WINDOW 50;";
    house.node().run_script(query, "test").await.unwrap();
    expect(&house, 9).await;
    let published = ids(&house, "atom").await;
    assert_eq!(published.iter().map(|(id, _)| id).collect::<BTreeSet<_>>().len(), 9);
    let rss = house.client.get(house.url("/feeds/Both.rss")).send().await.unwrap();
    assert!(!rss.text().await.unwrap().contains("urn:pergola:id:"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_podcast_survives_two_hops_in_every_form() {
    let channel = "<itunes:author>Ada</itunes:author><itunes:type>serial</itunes:type>\
        <itunes:image href=\"https://example.org/cover.jpg\"/>";
    let episode = "<item><guid isPermaLink=\"false\">7</guid><title>Ash</title>\
        <enclosure url=\"https://example.org/7.mp3\" length=\"9\" type=\"audio/mpeg\"/>\
        <itunes:duration>12:34</itunes:duration><itunes:season>2</itunes:season>\
        <itunes:episode>7</itunes:episode><itunes:explicit>no</itunes:explicit>\
        <media:thumbnail url=\"https://example.org/7.jpg\" width=\"75\"/>\
        <media:content url=\"https://example.org/7.mp4\" type=\"video/mp4\" width=\"640\" duration=\"61\"/></item>";
    let page = rss("Lava Talk", &format!("{channel}{episode}"));
    let origin = Origin::builder().page("/pod.xml", page).start().await;
    let url = origin.url("/pod.xml").to_string();
    let first = node_that_reads(&[url], 1).await;
    let wanted = document(&first, "rss").await;
    let item = &wanted.items[0];
    let media = item.media.as_ref().unwrap();
    assert_eq!((media.duration, media.season, media.episode), (Some(754), Some(2), Some(7)));
    assert_eq!((media.explicit, media.picture()), (Some(false), Some("https://example.org/7.jpg")));
    assert_eq!(item.enclosures[1].details.as_ref().unwrap().width, Some(640));
    let series = wanted.series.as_ref().unwrap();
    assert_eq!(series.image.as_deref(), Some("https://example.org/cover.jpg"));
    assert_eq!(series.kind.as_deref(), Some("serial"));
    let told = first.client.get(first.url("/api/v1/feeds/Both/items")).send().await.unwrap();
    assert!(told.text().await.unwrap().contains("\"thumbnail\":\"https://example.org/7.jpg\""));
    let mut nodes = Vec::new();
    for form in FORMS {
        let feed = first.url(&format!("/feeds/Both.{form}"));
        nodes.push(plain_node_that_reads(&[feed], 1).await);
    }
    nodes.push(node_that_reads(&[first.url("/feeds/Both.atom")], 1).await);
    for node in nodes {
        for form in FORMS {
            let there = document(&node, form).await;
            assert_eq!(there.series, wanted.series, "{form}");
            assert_eq!(there.items[0].media, item.media, "{form}");
            assert_eq!(there.items[0].enclosures, item.enclosures, "{form}");
        }
    }
}
