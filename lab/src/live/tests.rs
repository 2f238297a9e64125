//! A bundle of two nodes and the fate of six items, both written by hand.

use std::fs;

use pergola_api::Instant;
use pergola_api::item::{ItemPage, PassedNode, PublishedItem};
use pergola_api::source::{SourceKind, SourcePage, SourceStanding, SourceStatus, Via};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::bundle::Bundle;
use super::record::{Observed, Recorded};
use crate::mesh::{CYCLE, Channel, Settings};

/// The leaf has the first name, so that the order of the files is not the order of reading.
const LEAF: &str = r#"
    [node]
    public_url = "http://127.0.0.1:9002/"
    [budget]
    refreshes_per_minute = 1
    [schedule]
    cycle = "500 ms"
    [clock]
    speed = 120.0
    [[feed]]
    query = 'CREATE FEED Storms AS RETURN PEER "http://127.0.0.1:9001" FEED Weather WHERE ITEM CONTAINS "storm";'
"#;
const ROOT: &str = r#"
    [node]
    public_url = "http://127.0.0.1:9001/"
    [budget]
    refreshes_per_minute = 2.5
    [schedule]
    cycle = "500 ms"
    strategy = "2Steps"
    [clock]
    speed = 120.0
    [[feed]]
    query = 'CREATE FEED Weather AS RETURN "http://127.0.0.1:9000/sources/wire" WHERE ITEM CONTAINS "storm" OR "flood";'
"#;

/// Writes a bundle in which the root is `root`.
fn bundle(leaf: &str, root: &str) -> (TempDir, anyhow::Result<Bundle>) {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("nodes")).unwrap();
    fs::create_dir(at("secrets")).unwrap();
    for (name, text) in [("a-leaf", leaf), ("root", root)] {
        fs::write(at(&format!("nodes/{name}.toml")), text).unwrap();
        fs::write(at(&format!("secrets/{name}.token")), "secret\n").unwrap();
    }
    fs::write(at("mesh"), "#!/bin/sh\n").unwrap();
    fs::write(at("newsroom.toml"), "[[source]]\nname = \"wire\"\nwindow = 3\n").unwrap();
    let bundle = Bundle::read(folder.path());
    (folder, bundle)
}

fn example() -> (TempDir, Bundle) {
    let (folder, bundle) = bundle(LEAF, &ROOT.replace("strategy = \"2Steps\"\n", ""));
    (folder, bundle.unwrap())
}

#[test]
fn a_bundle_is_read_as_its_nodes_are_configured() {
    let (_folder, bundle) = example();
    assert_eq!(
        (bundle.speed, bundle.cycle, bundle.window, bundle.feed_window),
        (120.0, 0.5, 3, 50)
    );
    assert_eq!(bundle.newsroom, "http://127.0.0.1:9000");
    assert_eq!(bundle.strategy.name(), "plan", "what auto means for few sources");
    let budgets: Vec<f64> = bundle.nodes.iter().map(|node| node.budget).collect();
    assert_eq!(budgets, [1.0, 2.5]);
    let feeds: Vec<_> =
        bundle.feeds.iter().map(|feed| (feed.name.as_str(), feed.node, &feed.inputs[..])).collect();
    let [source, weather] = [[Channel::Source(0)], [Channel::Feed(0)]];
    assert_eq!(feeds, [("Weather", 1, &source[..]), ("Storms", 0, &weather[..])]);
}

#[test]
fn a_bundle_that_the_lab_cannot_play_is_refused_by_name() {
    let refused = |leaf: &str, root: &str| format!("{:#}", bundle(leaf, root).1.unwrap_err());
    assert!(refused(LEAF, ROOT).contains("root.toml differs from"));
    let root = ROOT.replace("strategy = \"2Steps\"\n", "");
    let said = refused(&LEAF.replace("FEED Weather", "FEED Wether"), &root);
    assert!(said.contains("feed `Storms` reads the feed `Wether`"), "{said}");
    let said = refused(&LEAF.replace("\"storm\";", "\"storm\" WINDOW 5;"), &root);
    assert!(said.contains("`Storms` has a WINDOW of its own"), "{said}");
    let said = refused(&LEAF.replace("500 ms", "soon"), &root);
    assert!(said.contains("a-leaf.toml") && said.contains("`soon` is not a duration"), "{said}");
    let circle = root.replace(
        "RETURN \"http://127.0.0.1:9000/sources/wire\"",
        "RETURN PEER \"http://127.0.0.1:9002\" FEED Storms",
    );
    assert!(refused(LEAF, &circle).contains("in a cycle"));
    assert!(refused(&LEAF.replace("refreshes_per_minute", "bytes"), &root).contains("budget."));
}

fn answer<T: serde::de::DeserializeOwned>(json: Value) -> T {
    serde_json::from_value(json).unwrap()
}

/// A source of which nothing is known but its URL.
fn source_at(url: &str) -> SourceStatus {
    SourceStatus {
        id: 1,
        url: url.to_owned(),
        private: false,
        credentials: None,
        title: None,
        kind: SourceKind::Feed,
        standing: SourceStanding::New,
        paused: false,
        trouble: None,
        failing: None,
        wanted: false,
        importance: 1.0,
        folders: Vec::new(),
        readers: 1,
        last_refresh: None,
        next_refresh: None,
        busy: false,
        items_per_day: Some(1.0),
        window: 3,
        requests: 0,
        not_modified: 0,
        failures: 0,
        bytes: 0,
        items: 0,
        completeness: Some(1.0),
        freshness: Some(1.0),
        way_back: None,
        via: Via::Http,
        peer: None,
    }
}

#[test]
fn what_nodes_answer_becomes_what_the_lab_measures() {
    const START: f64 = 1_000.0;
    let (_folder, bundle) = example();
    // Cycles after the start. The first item was there before; the fourth is about nothing.
    let item = |id: &str, cycle: f64, words: &[&str]| json!({ "guid": id, "at": START + cycle * CYCLE, "keywords": words });
    let items = [
        item("old", -1.0, &["storm"]),
        item("1", 1.0, &["storm"]),
        item("2", 2.0, &["flood"]),
        item("3", 2.5, &[]),
        item("4", 3.0, &["storm", "flood"]),
        item("5", 3.5, &["storm"]),
    ];
    let wire = json!({ "name": "wire", "forgotten": 7, "items": items });
    let came = |id: &str, cycle: f64| {
        let at = START + cycle * CYCLE;
        let hop = |node: &str, fetched: f64, published: f64| PassedNode {
            node: node.to_owned(),
            fetched: Some(Instant::from_unix(fetched)),
            published: Some(Instant::from_unix(published)),
            age: None,
        };
        PublishedItem {
            sequence: 1,
            at: Instant::from_unix(at),
            id: id.to_owned(),
            title: None,
            link: None,
            thumbnail: None,
            published: None,
            source: None,
            source_id: 1,
            hops: vec![hop("before", 0.0, at - 6.0), hop("here", at, at)],
            age: None,
        }
    };
    let feed = |items: &[PublishedItem]| ItemPage { items: items.to_vec(), next: 9 };
    let reads = |url: &str, requests: u64| {
        let sources = vec![SourceStatus { requests, failures: 1, ..source_at(url) }];
        SourcePage { sources, ..SourcePage::default() }
    };
    let (source, weather) =
        ("http://127.0.0.1:9000/sources/wire", "http://127.0.0.1:9001/feeds/Weather.atom");
    let seen = Observed {
        start: START,
        truths: vec![answer(json!({ "now": START, "sources": [wire] }))],
        items: vec![
            feed(&[came("1", 1.5), came("2", 2.25), came("4", 3.25), came("5", 3.75)]),
            // The last has not come; one should not be there, and one was never published.
            feed(&[came("1", 2.0), came("4", 3.5), came("2", 3.6), came("?", 3.7)]),
        ],
        before: vec![reads(weather, 10), reads(source, 20)],
        after: vec![reads(weather, 18), reads(source, 24)],
    };
    let recorded = Recorded::new(&bundle, &seen).unwrap();
    assert_eq!((recorded.unknown, recorded.failures), (2, 0));
    assert!((recorded.step - 6.0).abs() < 1e-9);
    let settings =
        Settings { window: 3, warmup: 0, measured: 4, samples: 4, ..Settings::default() };
    let outcome = recorded.mesh.measure(&settings, &recorded.record());
    // The items of the last of four cycles may be on their way: 1, 2 and 4 count at the root, 1 and 4 behind.
    let [root, leaf] = &outcome.hops[..] else { panic!("{outcome:?}") };
    assert_eq!((root.completeness, leaf.completeness), (1.0, 1.0));
    assert_eq!((root.delay.median, leaf.delay.mean), (0.25, 0.75));
    // At the ends of cycles the window of three holds old, 1 | old, 1, 2 | 2, 3, 4 | 3, 4, 5; what is old or
    // about nothing does not count. The root lacks each newest one until the end, the leaf 5 then.
    assert!((root.freshness - (0.0 + 0.5 + 0.5 + 1.0) / 4.0).abs() < 1e-9, "{root:?}");
    assert!((leaf.freshness - (0.0 + 1.0 + 0.0 + 0.5) / 4.0).abs() < 1e-9, "{leaf:?}");
    assert_eq!((root.requests, leaf.requests), (1.0, 2.0));
    assert_eq!((root.delivered, leaf.delivered), (4, 2));
}
