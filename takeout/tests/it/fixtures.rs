//! Files in the shape in which other programs write them.

use std::io::{Cursor, Write as _};

use serde_json::{Value, json};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// A ZIP file.
pub(crate) fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// An entry as FreshRSS exports it.
pub(crate) fn entry(guid: &str, states: &[&str]) -> Value {
    let states = states.iter().map(|state| format!("user/-/state/com.google/{state}"));
    let mut categories = vec!["user/-/state/com.google/reading-list".to_owned()];
    categories.extend(states);
    categories.push("gardens".to_owned());
    json!({
        "id": "tag:google.com,2005:reader/item/0006205bd2a1c7c8",
        "crawlTimeMsec": "1767225600000",
        "timestampUsec": "1767225600123456",
        "published": 1767222000,
        "title": format!("On {guid}"),
        "canonical": [{ "href": format!("https://blog.example/{guid}") }],
        "alternate": [{ "href": format!("https://blog.example/{guid}"), "type": "text/html" }],
        "categories": categories,
        "origin": {
            "streamId": "feed/7",
            "htmlUrl": "https://blog.example/",
            "title": "A blog",
            "feedUrl": "https://blog.example/feed"
        },
        "content": { "content": format!("<p>All about {guid}.</p>") },
        "guid": guid,
        "author": "Ada",
        "enclosure": [{ "href": "https://blog.example/a.mp3", "type": "audio/mpeg", "length": 12 }]
    })
}

/// A file of entries as FreshRSS exports it.
pub(crate) fn entries(items: &[Value]) -> Vec<u8> {
    let list = json!({
        "id": "user/-/state/org.freshrss/starred", "title": "List of favourite articles", "author": "ada", "items": items,
    });
    serde_json::to_vec_pretty(&list).unwrap()
}

/// Subscriptions as FreshRSS exports them.
pub(crate) const LIST: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<opml xmlns:frss="https://freshrss.org/opml" version="2.0">
  <head><title>FreshRSS</title><dateCreated>Thu, 01 Jan 2026 00:00:00 +0000</dateCreated></head>
  <body>
    <outline text="Gardens">
      <outline text="A blog" type="rss" xmlUrl="https://blog.example/feed" htmlUrl="https://blog.example/" description="" frss:priority="main"/>
      <outline text="Without an address" type="rss"/>
    </outline>
    <outline text="Alone" type="rss" xmlUrl="https://alone.example/feed"/>
  </body>
</opml>"#;
