//! Entries in the JSON of Miniflux, as its API answers `GET /v1/entries`.

use pergola_feed::identity::{Policy, identify};
use pergola_feed::{Category, Enclosure, Item, Person, Text, parse_date};
use ring::digest::{SHA256, digest};
use serde_json::Value;

use crate::takeout::Marked;
use crate::value::{check, is_web, list, number, origin, short, text};

/// Whether an entry has the shape of Miniflux.
pub(crate) fn is_one(entry: &Value) -> bool {
    ["feed", "feed_id", "published_at"].iter().any(|name| entry.get(name).is_some())
}

/// An entry, or why it is none.
pub(crate) fn entry(entry: &Value, place: &str) -> Result<Marked, String> {
    let feed = entry.get("feed").unwrap_or(&Value::Null);
    let mut item = Item::new("");
    item.title = text(entry, "title");
    item.link = short(entry, "url").filter(|link| is_web(link));
    item.content = text(entry, "content").map(Text::html);
    item.authors = text(entry, "author").map(Person::named).into_iter().collect();
    item.published = text(entry, "published_at").as_deref().and_then(parse_date);
    let words = list(entry, "tags").iter().filter_map(|tag| tag.as_str());
    item.categories = words.filter(|word| !word.is_empty()).map(Category::new).collect();
    item.enclosures = list(entry, "enclosures").iter().filter_map(enclosure).collect();
    item.origin =
        Some(origin(short(feed, "feed_url"), text(feed, "title"), short(feed, "site_url")));
    check(&item)?;
    // Miniflux tells the digest of an id, not the id. If it is that of the link, the link is the id, or there is none.
    let hash = text(entry, "hash").as_deref().and_then(digest_in);
    let link = item
        .link
        .as_deref()
        .filter(|link| hash.is_some_and(|hash| digest(&SHA256, link.as_bytes()).as_ref() == hash));
    item.guid = link.map(str::to_owned);
    item.id = identify(&item, Policy::Id);
    let seen = text(entry, "created_at").as_deref().and_then(parse_date);
    let read = text(entry, "status").as_deref() == Some("read");
    let starred = entry.get("starred").and_then(Value::as_bool).unwrap_or(false);
    Ok(Marked { item, read, starred, seen, hash, place: place.to_owned() })
}

/// 64 hexadecimal digits.
fn digest_in(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (place, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * place..2 * place + 2], 16).ok()?;
    }
    Some(bytes)
}

fn enclosure(value: &Value) -> Option<Enclosure> {
    let url = short(value, "url").filter(|address| is_web(address))?;
    let length = number(value, "size").and_then(|size| u64::try_from(size).ok());
    let length = length.filter(|length| *length > 0);
    Some(Enclosure { url, media_type: short(value, "mime_type"), length, details: None })
}
