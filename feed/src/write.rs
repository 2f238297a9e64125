//! Writing: a document as RSS 2.0, Atom 1.0 or JSON Feed 1.1.
//!
//! What holds for all three: the bytes depend on the document alone (no build date, no generator
//! version), so an ETag over them changes only when the content does; items keep their original ids,
//! authors and origin; what a format has no place for (the nodes an item has passed, the kind of a
//! text, a relation) goes into a namespace of our own, so that reading it back gives the same items.
//!
//! The XML is written by a few lines of our own instead of the `rss` and `atom_syndication` crates:
//! those bring another version of quick-xml each into the tree, write forbidden characters as they
//! come, and print `1970` into a source without a date.

mod atom;
mod json;
mod rss;
mod xml;

use crate::model::{Document, Item, Millis, Timestamp};
pub use atom::write_atom;
pub use json::write_json;
pub use rss::write_rss;

/// The prefix of ids that are no URIs of their own, in Atom, which demands URIs.
const ID_PREFIX: &str = "urn:pergola:id:";

/// An id as Atom wants it: itself if it is a URI, else percent-encoded behind a prefix of ours.
fn uri_id(id: &str) -> String {
    let scheme = id.split_once(':').map_or("", |(scheme, _)| scheme);
    let plain = id.bytes().all(|b| b.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&b));
    let absolute = scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
        && url::Url::parse(id).is_ok();
    if plain && absolute && !id.starts_with(ID_PREFIX) {
        return id.to_owned();
    }
    let mut uri = ID_PREFIX.to_owned();
    for byte in id.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02x}"));
        }
    }
    uri
}

/// The opposite of [`uri_id`]; `None` if the id was not dressed up.
pub(crate) fn plain_id(uri: &str) -> Option<String> {
    let mut bytes = uri.strip_prefix(ID_PREFIX)?.bytes();
    let mut plain = Vec::new();
    while let Some(byte) = bytes.next() {
        let decoded = if byte == b'%' {
            let pair = [bytes.next()?, bytes.next()?];
            u8::from_str_radix(std::str::from_utf8(&pair).ok()?, 16).ok()?
        } else {
            byte
        };
        plain.push(decoded);
    }
    String::from_utf8(plain).ok()
}

/// The nodes that an item has passed, with the times they told: the same in both dialects of XML.
fn hops(xml: &mut xml::Xml, item: &Item) {
    for hop in &item.hops {
        let fetched = hop.fetched.map(Millis::to_rfc3339);
        let published = hop.published.map(Millis::to_rfc3339);
        let times = [("fetched", fetched.as_deref()), ("published", published.as_deref())];
        let told: Vec<(&str, &str)> =
            times.into_iter().filter_map(|(name, at)| Some((name, at?))).collect();
        xml.text("pergola:hop", &told, &hop.node.0);
    }
}

/// The date that Atom demands of every entry, and whether it only stands in for one.
fn change_date(item: &Item, feed: Timestamp) -> (Timestamp, Option<&'static str>) {
    match (item.updated, item.published, item.first_seen) {
        (Some(at), _, _) => (at, None),
        (None, Some(at), _) => (at, Some("published")),
        (None, None, Some(at)) => (at, Some("first-seen")),
        (None, None, None) => (feed, Some("feed")),
    }
}

/// When the document last changed, from its content alone.
fn document_date(document: &Document) -> Timestamp {
    let seen = || document.items.iter().filter_map(|item| item.first_seen).max();
    let newest = document.newest_change().or_else(seen).or(document.updated);
    newest.unwrap_or(Timestamp::from_unix(0))
}

/// The feed's own id: its own, its address, its site's, or a digest of its title.
fn feed_id(document: &Document) -> String {
    let own = document.id.as_deref().or(document.self_link()).or(document.home());
    match own {
        Some(id) => uri_id(id),
        None => {
            let title = document.title.as_deref().unwrap_or("");
            format!("urn:pergola:feed:{:032x}", crate::model::digest(&[title]))
        }
    }
}
