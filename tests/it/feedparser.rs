//! A reader that is not ours: feedparser, from PyPI, on the documents of a running node.
//!
//! feedparser reads RSS and Atom. Of JSON Feed it knows nothing (6.0), so Python reads that as plain JSON.

use std::process::Command;

use pergola_feed::{Item, ParseOptions, parse};
use serde_json::{Value, json};

use crate::clashing;
use crate::harness::{Home, eventually, python, run, workspace};

#[tokio::test(flavor = "multi_thread")]
async fn feedparser_reads_in_a_merged_feed_what_we_read() {
    let test = "feedparser_reads_in_a_merged_feed_what_we_read";
    let Some(python) = python(test, &["feedparser"]).await else { return };
    let site = clashing::site().await;
    let home = Home::new("");
    let node = home.start().await;
    node.create_feed(&clashing::query(&site)).await;
    eventually("all items", async || {
        let count = node.archive("Merged", 0).await.map_or(0, |items| items.len());
        if count == clashing::ITEMS { Ok(()) } else { Err(format!("{count} items")) }
    })
    .await;
    let mut ids = Vec::new();
    for form in ["atom", "rss", "json"] {
        let (_, text) = node.get(&format!("/feeds/Merged.{form}")).await;
        let file = home.path().join(format!("merged.{form}"));
        std::fs::write(&file, &text).unwrap();
        let mut command = Command::new(&python);
        command.arg(workspace().join("tests/python/entries.py")).arg(&file);
        command.env("PYTHONIOENCODING", "utf-8");
        let output = run(command).await;
        assert_eq!(output.code, Some(0), "{form}: {output:?}");
        let theirs: Vec<Value> = serde_json::from_str(&output.stdout).unwrap();
        let document = parse(text.as_bytes(), &ParseOptions::default()).unwrap();
        let ours: Vec<Value> = document.items.iter().map(told).collect();
        assert_eq!(theirs, ours, "{form}");
        assert_eq!(ours.len(), clashing::ITEMS, "{form}");
        let mut these: Vec<String> = document.items.into_iter().map(|item| item.id.0).collect();
        these.sort();
        these.dedup();
        assert_eq!(these.len(), clashing::ITEMS, "ids repeat in {form}");
        ids.push(these);
    }
    assert!(ids.iter().all(|these| *these == ids[0]), "the ids of the forms differ: {ids:?}");
}

/// What is compared of an item.
fn told(item: &Item) -> Value {
    let enclosures: Vec<&str> = item.enclosures.iter().map(|file| file.url.as_str()).collect();
    json!({
        "id": item.id.0,
        "title": item.title,
        "published": item.published.map(|at| at.unix()),
        "enclosures": enclosures,
    })
}
