//! Shows what the reader makes of feeds: one JSON object per file and line.
//!
//! `cargo run --release -p pergola-feed --example inspect -- FILE…`

use std::io::Write;

use pergola_feed::{Document, Item, ParseOptions, Timestamp, parse};
use serde_json::{Value, json};

fn main() -> std::io::Result<()> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    if paths.is_empty() {
        eprintln!("usage: inspect FILE…");
        std::process::exit(2);
    }
    let mut out = std::io::stdout().lock();
    for path in paths {
        writeln!(out, "{}", inspect(&path))?;
    }
    Ok(())
}

fn inspect(path: &str) -> Value {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => return json!({"path": path, "error": format!("cannot be read: {error}")}),
    };
    match parse(&bytes, &ParseOptions::default()) {
        Ok(document) => shown(path, &document),
        Err(error) => json!({"path": path, "error": error.to_string()}),
    }
}

fn shown(path: &str, document: &Document) -> Value {
    let links: Vec<&str> = document
        .links
        .iter()
        .map(|link| link.href.as_str())
        .collect();
    json!({
        "path": path,
        "format": document.format,
        "title": document.title,
        "links": links,
        "warnings": document.warnings,
        "entries": document.items.iter().map(entry).collect::<Vec<Value>>(),
    })
}

fn entry(item: &Item) -> Value {
    let date = |at: Option<Timestamp>| at.map(Timestamp::to_rfc3339);
    let mut links: Vec<&str> = item.link.as_deref().into_iter().collect();
    links.extend(item.links.iter().map(|link| link.href.as_str()));
    links.extend(
        item.enclosures
            .iter()
            .map(|enclosure| enclosure.url.as_str()),
    );
    json!({
        "id": item.id,
        "title": item.title,
        "links": links,
        "published": date(item.published),
        "updated": date(item.updated),
        "summary": item.summary.as_ref().map(|text| &text.body),
        "content": item.content.as_ref().map(|text| &text.body),
        "authors": item.authors.iter().filter_map(|author| author.label()).collect::<Vec<&str>>(),
        "categories": item.categories.iter().map(|category| &category.term).collect::<Vec<&String>>(),
    })
}
