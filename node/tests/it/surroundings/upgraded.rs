//! A data folder that the last release wrote: what its readers have read stays read.
//!
//! `schema-2-ids.backup` was written by a node that merged two sources which both number their items, and a third one
//! with a secret in its address. `schema-2-ids.json` has the ids that it published, as its readers saw them.

use std::collections::BTreeMap;

use pergola_store::Backend;
use pergola_store::backup::{Replace, restore};
use serde::Deserialize;

use super::*;

const BACKUP: &[u8] = include_bytes!("../../../../store/tests/fixtures/schema-2-ids.backup");
const PUBLISHED: &str = include_str!("../../../../store/tests/fixtures/schema-2-ids.json");
/// Some days after the backup was made.
const LATER: f64 = 1_795_600_000.0;
/// Ids that two sources of the merged feed used.
const CLASHING: [&str; 4] = ["A 1", "A 2", "B 1", "B 2"];

/// What readers saw of a feed: id and title of each entry, and number and title.
#[derive(Deserialize)]
struct Seen {
    atom: Vec<(String, String)>,
    rss: Vec<(String, String)>,
    json: Vec<(String, String)>,
    numbers: Vec<(u64, String)>,
}

/// The sources as they were, each with some ids more.
fn sources(more: &[&str]) -> Router {
    let page = |name: &str, ids: &[&str]| {
        let item = |id: &&str| {
            format!(
                "<item><guid isPermaLink=\"false\">{id}</guid><title>{name} {id}</title>\
                 <pubDate>Mon, 16 Nov 2026 10:00:00 GMT</pubDate></item>"
            )
        };
        let items: String = ids.iter().chain(more).map(item).collect();
        let text =
            format!("<rss version=\"2.0\"><channel><title>{name}</title>{items}</channel></rss>");
        get(move || std::future::ready(text.clone()))
    };
    Router::new()
        .route("/a.xml", page("A", &["1", "2", "only in A", "http://127.0.0.1:18431/a/4"]))
        .route("/b.xml", page("B", &["1", "2", "only-in-B", "yt:video:5"]))
        .route("/s.xml", page("S", &["s1", "s2"]))
}

/// The titles of a document with the ids that others see.
async fn shown(world: &World, feed: &str, form: &str) -> BTreeMap<String, String> {
    let text = world.get(&format!("http://node.example/feeds/{feed}.{form}")).await;
    if form == "json" {
        let document: serde_json::Value = serde_json::from_str(&text).unwrap();
        let told = |item: &serde_json::Value, key: &str| item[key].as_str().unwrap().to_owned();
        let items = document["items"].as_array().unwrap().iter();
        return items.map(|item| (told(item, "title"), told(item, "id"))).collect();
    }
    let (item, id) = if form == "atom" { ("<entry>", "<id>") } else { ("<item>", "<guid") };
    let within = |text: &str, tag: &str| {
        let rest = text.split_once(tag).unwrap().1;
        let rest =
            rest.split_once('>').filter(|_| !tag.ends_with('>')).map_or(rest, |(_, rest)| rest);
        rest.split_once("</").unwrap().0.to_owned()
    };
    text.split(item).skip(1).map(|item| (within(item, "<title>"), within(item, id))).collect()
}

/// What is shown must be what was seen, but for what clashed.
fn compare(feed: &str, form: &str, seen: &[(String, String)], shown: &BTreeMap<String, String>) {
    for (id, title) in seen {
        let now = &shown[title];
        if feed == "Merged" && CLASHING.contains(&title.as_str()) {
            assert!(now.starts_with("urn:pergola:item:"), "{feed} {form} {title}: {now}");
        } else {
            assert_eq!(now, id, "{feed} {form} {title}");
        }
    }
    let mut ids: Vec<&String> = shown.values().collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), shown.len(), "{feed} {form}: ids repeat");
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_of_the_last_release_see_no_item_twice_and_none_is_lost() {
    let before: BTreeMap<String, Seen> = serde_json::from_str(PUBLISHED).unwrap();
    assert_eq!(before["Merged"].rss.iter().filter(|(id, _)| id == "1").count(), 2, "they clashed");
    let (world, clock) = (World::default(), ManualClock::new(LATER));
    let folder = TempDir::new().unwrap();
    restore(&folder.path().join("data"), Backend::Redb, Replace::Never, BACKUP, |_| ()).unwrap();
    let closing = CancellationToken::new();
    let port = Port::plain(sources(&[]));
    tokio::spawn(port.serve(world.listen("127.0.0.1"), closing.clone()));
    let node = node(&world, &clock, &folder, "node.example", 0).await;
    for number in 1..=3 {
        let report = node.refresh_now(SourceId(number), false).await.unwrap();
        assert_eq!((report.new_items, report.trouble), (0, None), "source {number}");
    }
    let node = node.start(world.listen("node.example")).unwrap();
    for (feed, seen) in &before {
        for (form, seen) in [("atom", &seen.atom), ("rss", &seen.rss), ("json", &seen.json)] {
            let shown = shown(&world, feed, form).await;
            assert_eq!(shown.len(), seen.len(), "{feed} {form}");
            compare(feed, form, seen, &shown);
        }
        let text = world.get(&format!("http://node.example/api/v1/feeds/{feed}/items")).await;
        let told: serde_json::Value = serde_json::from_str(&text).unwrap();
        let told = told["items"].as_array().unwrap().iter();
        let numbers = told.map(|item| {
            (item["sequence"].as_u64().unwrap(), item["title"].as_str().unwrap().to_owned())
        });
        assert_eq!(numbers.collect::<Vec<_>>(), seen.numbers, "{feed}");
    }
    // What comes now has ids of the new kind, and changes none of the old ones.
    let port = Port::plain(sources(&["3"]));
    tokio::spawn(port.serve(world.listen("127.0.0.1"), closing.clone()));
    eventually("the new items", async || {
        clock.advance(3_600.0);
        let shown = shown(&world, "Merged", "rss").await;
        if shown.len() == before["Merged"].rss.len() + 3 {
            Ok(())
        } else {
            Err(format!("{shown:?}"))
        }
    })
    .await;
    for form in ["atom", "rss", "json"] {
        let shown = shown(&world, "Merged", form).await;
        let seen = &before["Merged"];
        let seen = [("atom", &seen.atom), ("rss", &seen.rss), ("json", &seen.json)]
            .into_iter()
            .find_map(|(name, seen)| (name == form).then_some(seen));
        compare("Merged", form, seen.unwrap(), &shown);
        for title in ["A 3", "B 3", "S 3"] {
            assert!(shown[title].starts_with("urn:pergola:item:"), "{form} {title}");
        }
    }
    stop(vec![node]).await;
    closing.cancel();
}
