//! What must hold for any input. Each target takes bytes and panics if something does not hold.
//!
//! The fuzzer runs them (`fuzz/run`), and so does an ordinary test over the inputs in `fuzz/corpus`.

use std::collections::HashSet;

use pergola_feed::address::{has_secrets, masked, masked_in, origin_of};
use pergola_feed::html::{Selectors, annotated, discover, plain_text, select};
use pergola_feed::opml::Opml;
use pergola_feed::{
    Document, Limits, ParseError, ParseOptions, Text, disarm, parse, parse_date, sanitize, write,
};
use url::Url;

/// A name, and what must hold for any bytes.
type Target = (&'static str, fn(&[u8]));

/// The targets that need only `feed` and `query`, by name.
pub(crate) const TARGETS: [Target; 5] =
    [("feed", feed), ("html", html), ("opml", opml), ("query", query), ("address", address)];

fn base() -> Url {
    Url::parse("https://example.org/news/").expect("an address")
}

/// A feed of any format: what is read stays within its limits, and what is written is read as the same items.
fn feed(bytes: &[u8]) {
    let limits = Limits { items: 50, text: 4096, ..Limits::default() };
    let options = ParseOptions { url: Some(base()), limits, ..ParseOptions::default() };
    let document = match parse(bytes, &options) {
        Ok(document) => document,
        Err(ParseError::Unrepairable { reason }) => panic!("not repaired: {reason}"),
        Err(_) => return,
    };
    assert!(document.items.len() <= 50, "too many items");
    let same = parse(bytes, &options).expect("it was read before");
    assert_eq!(ids(&document), ids(&same), "other ids for the same bytes");
    let mut normal = document.normalised();
    // A node takes each id once from a document, so it never publishes one twice.
    let mut taken = HashSet::new();
    normal.items.retain(|item| taken.insert(item.id.0.clone()));
    for text in [write::write_atom(&normal), write::write_rss(&normal), write::write_json(&normal)]
    {
        let again = parse(text.as_bytes(), &ParseOptions::default()).expect("our own feed");
        assert_eq!(ids(&normal), ids(&again), "other ids after writing:\n{text}");
        assert_eq!(titles(&normal), titles(&again), "other titles after writing:\n{text}");
    }
    for mut item in document.items {
        disarm(&mut item);
    }
}

fn ids(document: &Document) -> Vec<&str> {
    document.items.iter().map(|item| item.id.0.as_str()).collect()
}

fn titles(document: &Document) -> Vec<Option<&str>> {
    document.items.iter().map(|item| item.title.as_deref()).collect()
}

/// A text in HTML, and a page with a selector in its first line.
fn html(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let published = Text::html(text.as_ref());
    plain_text(&published);
    for base in [None, Some(&base())] {
        let clean = sanitize(&published, base);
        let lower = clean.to_ascii_lowercase();
        for forbidden in
            ["<script", "<style", "<iframe", "<svg", "<math", "<form", "<object", "<!--"]
        {
            assert!(!lower.contains(forbidden), "{forbidden} is left: {clean}");
        }
        let again = sanitize(&Text::html(clean.as_str()), base);
        assert_eq!(clean, again, "sanitised twice is something else");
    }
    discover(&text, Some(&base()));
    let limits = Limits::default();
    annotated(&text, Some(&base()), &limits);
    let (item, page) = text.split_once('\n').unwrap_or(("p", &text));
    let selectors = Selectors {
        item: item.to_owned(),
        title: Some("h2, b".to_owned()),
        content: Some("*".to_owned()),
        ..Selectors::default()
    };
    if let Ok(document) = select(page, &selectors, Some(&base()), &limits) {
        assert!(!document.items.is_empty() && document.items.len() <= limits.items);
    }
}

/// A list of subscriptions: what is written is read as the same list.
fn opml(bytes: &[u8]) {
    let Ok(list) = Opml::parse(bytes) else { return };
    let once = list.write();
    let again = Opml::parse(once.as_bytes()).expect("our own list");
    assert_eq!(once, again.write(), "another list after writing");
    assert_eq!(list.subscriptions().len(), again.subscriptions().len());
}

/// A query: what is printed is read as the same query.
fn query(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(script) = pergola_query::parse(text) else { return };
    let once = script.to_string();
    let again = pergola_query::parse(&once).unwrap_or_else(|error| panic!("{once}\n{error}"));
    assert_eq!(once, again.to_string(), "another query after printing");
}

/// An address or a text with addresses: what is masked holds no secrets and stays as it is. And a date.
fn address(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let shown = masked(&text).into_owned();
    assert_eq!(masked(&shown), shown, "masked twice is something else");
    assert!(!has_secrets(&shown), "secrets are left: {shown}");
    if let Ok(url) = Url::parse(&shown) {
        assert!(url.password().is_none(), "a password is left: {shown}");
    }
    let within = masked_in(&text).into_owned();
    assert_eq!(masked_in(&within), within, "masked twice is something else");
    assert_eq!(origin_of(&text), origin_of(&text));
    parse_date(&text);
}
