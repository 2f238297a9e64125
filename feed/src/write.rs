//! Writes a document as RSS 2.0, Atom 1.0 or JSON Feed 1.1.
//!
//! In all formats the bytes depend only on the document (there is no build date or generator version),
//! so that an ETag changes only with the content. Items keep their ids, authors and origin. Fields
//! that a format lacks (passed nodes, the kind of a text, a relation) go into our own namespace, so
//! that reading a document back gives the same items.
//!
//! We write the XML ourselves. The `rss` and `atom_syndication` crates each depend on another version
//! of quick-xml, write forbidden characters, and print `1970` for a source without a date.

mod atom;
mod json;
mod media;
mod rss;
mod xml;

use crate::identity::to_uri;
use crate::markup::chars::{is_known, reference};
use crate::markup::inline::has_markup;
use crate::model::{Document, Item};
use crate::time::{Millis, Timestamp};
pub use atom::write_atom;
pub use json::write_json;
pub use rss::write_rss;

/// The nodes that an item has passed, with their times. RSS and Atom share it.
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

/// The date that Atom demands of every entry and, if it is a substitute, where it comes from.
fn change_date(item: &Item, feed: Timestamp) -> (Timestamp, Option<&'static str>) {
    match (item.updated, item.published, item.first_seen) {
        (Some(at), _, _) => (at, None),
        (None, Some(at), _) => (at, Some("published")),
        (None, None, Some(at)) => (at, Some("first-seen")),
        (None, None, None) => (feed, Some("feed")),
    }
}

/// When the document last changed, according to its content.
fn document_date(document: &Document) -> Timestamp {
    let seen = || document.items.iter().filter_map(|item| item.first_seen).max();
    let newest = document.newest_change().or_else(seen).or(document.updated);
    newest.unwrap_or(Timestamp::from_unix(0))
}

/// The id of the feed, else its address, else that of its page, else a digest of its title.
fn feed_id(document: &Document) -> String {
    let own = document.id.as_deref().or(document.self_link()).or(document.home());
    match own {
        Some(id) => to_uri(id),
        None => {
            let title = document.title.as_deref().unwrap_or("");
            format!("urn:pergola:feed:{:032x}", crate::model::digest(&[title]))
        }
    }
}

/// A title that reads the same as text and as HTML: escapes an ampersand only where it would start a character
/// reference, and a `<` only where there would be markup.
fn title(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let ambiguous = reference(after).is_some_and(|(name, _)| is_known(name));
        out.push_str(if ambiguous { "&amp;" } else { "&" });
        rest = &after[1..];
    }
    out.push_str(rest);
    if has_markup(&out) { out.replace('<', "&lt;") } else { out }
}
