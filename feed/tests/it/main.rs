//! Tests of the public interface, in one binary.

mod damage;
mod fuzz;
mod hints;
mod identity;
mod media;
mod opml;
mod pages;
mod provenance;
mod roundtrip;
mod texts;
mod validity;

use pergola_feed::{Document, ParseOptions, parse};

/// Reads a document that must be valid.
fn read(text: &str) -> Document {
    match parse(text.as_bytes(), &ParseOptions::default()) {
        Ok(document) => document,
        Err(error) => panic!("{error}\n{text}"),
    }
}

/// An RSS 2.0 document around some items.
fn rss(items: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>Feed</title>\
         <link>https://example.org/</link><description>d</description>{items}</channel></rss>"
    )
}

/// An Atom document around some entries.
fn atom(entries: &str) -> String {
    format!(
        "<feed xmlns=\"http://www.w3.org/2005/Atom\"><id>urn:example:feed</id><title>Feed</title>\
         <updated>2026-11-16T00:00:00Z</updated><link href=\"https://example.org/\"/>{entries}</feed>"
    )
}
