//! Prints parsed feeds as JSON, one line for each file.
//!
//! `cargo run --release -p pergola-feed --example inspect -- FILE…`

use std::io::Write;

use pergola_feed::{Document, Format, Item, ParseOptions, Timestamp, parse};
use serde::Serialize;

fn main() -> std::io::Result<()> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    if paths.is_empty() {
        eprintln!("usage: inspect FILE…");
        std::process::exit(2);
    }
    let mut out = std::io::stdout().lock();
    for path in paths {
        serde_json::to_writer(&mut out, &inspect(&path))?;
        writeln!(out)?;
    }
    Ok(())
}

/// One line: a feed, or the reason why it could not be read.
#[derive(Serialize)]
#[serde(untagged)]
enum Line<'p> {
    Error { path: &'p str, error: String },
    Feed(Box<Feed<'p>>),
}

#[derive(Serialize)]
struct Feed<'p> {
    path: &'p str,
    format: Format,
    title: Option<String>,
    links: Vec<String>,
    warnings: Vec<String>,
    entries: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    id: String,
    title: Option<String>,
    links: Vec<String>,
    published: Option<String>,
    updated: Option<String>,
    summary: Option<String>,
    content: Option<String>,
    authors: Vec<String>,
    categories: Vec<String>,
}

fn inspect(path: &str) -> Line<'_> {
    let error = |error: String| Line::Error { path, error };
    match std::fs::read(path) {
        Err(reason) => error(format!("cannot be read: {reason}")),
        Ok(bytes) => match parse(&bytes, &ParseOptions::default()) {
            Err(reason) => error(reason.to_string()),
            Ok(document) => Line::Feed(Box::new(feed(path, document))),
        },
    }
}

fn feed(path: &str, document: Document) -> Feed<'_> {
    Feed {
        path,
        format: document.format,
        title: document.title,
        links: document.links.into_iter().map(|link| link.href).collect(),
        warnings: document.warnings,
        entries: document.items.into_iter().map(entry).collect(),
    }
}

fn entry(item: Item) -> Entry {
    let mut links: Vec<String> = item.link.into_iter().collect();
    links.extend(item.links.into_iter().map(|link| link.href));
    links.extend(item.enclosures.into_iter().map(|enclosure| enclosure.url));
    Entry {
        id: item.id.0,
        title: item.title,
        links,
        published: item.published.map(Timestamp::to_rfc3339),
        updated: item.updated.map(Timestamp::to_rfc3339),
        summary: item.summary.map(|text| text.body),
        content: item.content.map(|text| text.body),
        authors: item
            .authors
            .iter()
            .filter_map(|author| author.label().map(str::to_owned))
            .collect(),
        categories: item.categories.into_iter().map(|c| c.term).collect(),
    }
}
