//! Two sources that turned out to be one: a permanent redirect, or a page, led one to the address of the other.
//!
//! The source that is already at the address stays, with its number and its origin. What it has shown is known
//! under that origin, so nothing that it shows is new again. The other one becomes a part of it: its addresses,
//! folders and lists, who wants it, what it has shown.

use std::collections::{HashMap, HashSet};

use pergola_feed::Item;

use crate::source::{ItemKey, Known, NOT_KEPT, SourceRecord, Tally, item_key, origin_of_item};

/// Where an item of the source that goes is stored: the number of a chunk, and the index there.
pub type Place = (u32, u16);

/// The record of the source that stays.
pub fn merged(stay: SourceRecord, go: SourceRecord) -> SourceRecord {
    let (named, is_named) = (stay.named_address().to_owned(), stay.is_named());
    let mut formerly = stay.formerly;
    add_all(&mut formerly, go.formerly.into_iter().chain([go.url]));
    formerly.retain(|old| *old != stay.url && *old != named);
    // It stays the one that was named by this address.
    if is_named || named != stay.url {
        formerly.insert(0, named);
    }
    let mut record = SourceRecord {
        formerly,
        title: stay.title.or(go.title),
        // Who has said nothing about it leaves it to the other.
        importance: if stay.importance == 1.0 { go.importance } else { stay.importance },
        added_at: stay.added_at.min(go.added_at),
        wanted: stay.wanted || go.wanted,
        declared: stay.declared || go.declared,
        private: stay.private || go.private,
        credentials: stay.credentials.or(go.credentials),
        ..stay
    };
    add_all(&mut record.lists, go.lists);
    add_all(&mut record.folders, go.folders);
    record
}

fn add_all<T: PartialEq>(to: &mut Vec<T>, from: impl IntoIterator<Item = T>) {
    for one in from {
        if !to.contains(&one) {
            to.push(one);
        }
    }
}

/// The key that an item of `go` has as an item of `stay`.
pub fn new_key(mut item: Item, go: &SourceRecord, stay: &SourceRecord) -> ItemKey {
    if origin_of_item(&item, go.origin) == go.origin {
        item.origin = None;
    }
    item_key(&item.id, &item, stay.origin)
}

/// What is known of the items of both. Those of `go` are now in chunks with numbers above `shift`, and `keys`
/// says which key each has now.
pub fn known(stay: Known, go: &Known, shift: u32, keys: &HashMap<Place, ItemKey>) -> Known {
    let mut all = stay;
    let mut seen: HashSet<ItemKey> = all.items.iter().map(|item| item.key).collect();
    for item in &go.items {
        let mut item = *item;
        item.key = keys.get(&(item.chunk, item.index)).copied().unwrap_or(item.key);
        item.chunk = moved_chunk(item.chunk, shift);
        if seen.insert(item.key) {
            all.items.push(item);
        }
    }
    all.items.sort_by(|a, b| a.seen_at.total_cmp(&b.seen_at));
    all.next_chunk = all.next_chunk.max(shift.saturating_add(go.next_chunk));
    all
}

/// The number that a chunk of the source that goes has as one of the source that stays.
pub fn moved_chunk(chunk: u32, shift: u32) -> u32 {
    if chunk == NOT_KEPT { NOT_KEPT } else { chunk.saturating_add(shift) }
}

/// The counts of both.
pub fn tally(stay: Tally, go: Tally) -> Tally {
    Tally {
        requests: stay.requests + go.requests,
        not_modified: stay.not_modified + go.not_modified,
        failures: stay.failures + go.failures,
        bytes: stay.bytes + go.bytes,
        items: stay.items + go.items,
        updates: stay.updates + go.updates,
        overruns: stay.overruns + go.overruns,
    }
}

#[cfg(test)]
mod tests {
    use pergola_feed::Origin;

    use super::*;
    use crate::source::{KnownItem, SourceId};

    fn record(url: &str) -> SourceRecord {
        SourceRecord::new(url, 5.0)
    }

    #[test]
    fn the_source_that_stays_takes_over_what_was_asked_of_the_other() {
        let stay = SourceRecord {
            lists: vec![SourceId(3)],
            folders: vec!["News".into()],
            formerly: vec!["https://c.example/".into()],
            ..record("https://b.example/")
        };
        let go = SourceRecord {
            title: Some("Mine".into()),
            importance: 2.0,
            added_at: 1.0,
            wanted: true,
            lists: vec![SourceId(3), SourceId(4)],
            folders: vec!["News".into(), "Tech/Rust".into()],
            formerly: vec!["https://a.example/old".into(), "https://b.example/".into()],
            ..record("https://a.example/")
        };
        let origin = stay.origin;
        let both = merged(stay, go);
        assert_eq!(both.url, "https://b.example/");
        let before = ["https://c.example/", "https://a.example/old", "https://a.example/"];
        assert_eq!(both.formerly, before);
        assert_eq!((both.title.as_deref(), both.importance), (Some("Mine"), 2.0));
        assert_eq!((both.added_at, both.wanted, both.declared), (1.0, true, false));
        assert_eq!(both.lists, [SourceId(3), SourceId(4)]);
        assert_eq!(both.folders, ["News", "Tech/Rust"]);
        assert_eq!(both.origin, origin);
    }

    #[test]
    fn an_item_of_either_has_one_key() {
        let (go, stay) = (record("https://a.example/"), record("https://b.example/"));
        let seen_at = |feed: &str| {
            let origin = Some(Origin { feed: Some(feed.into()), ..Origin::default() });
            Item { origin, ..Item::new("1") }
        };
        let there = item_key(&Item::new("1").id, &Item::new("1"), stay.origin);
        assert_eq!(new_key(seen_at("https://a.example/"), &go, &stay), there);
        let elsewhere = new_key(seen_at("https://far.example/"), &go, &stay);
        let item = seen_at("https://far.example/");
        assert_eq!(elsewhere, item_key(&item.id, &item, go.origin), "its key is its own");
    }

    #[test]
    fn what_either_has_shown_is_known_once() {
        let item = |key: u128, chunk, seen_at| KnownItem {
            key: ItemKey(key),
            digest: 1,
            chunk,
            index: 0,
            first_seen: 1.0,
            seen_at,
        };
        let stay = Known { items: vec![item(1, 0, 9.0)], next_chunk: 4, ..Known::default() };
        let go = Known {
            items: vec![item(11, 0, 2.0), item(12, 1, 3.0), item(13, NOT_KEPT, 4.0)],
            next_chunk: 2,
            ..Known::default()
        };
        let keys = HashMap::from([((0, 0), ItemKey(1)), ((1, 0), ItemKey(2))]);
        let both = known(stay, &go, 4, &keys);
        let found: Vec<_> = both.items.iter().map(|item| (item.key.0, item.chunk)).collect();
        assert_eq!(found, [(2, 5), (13, NOT_KEPT), (1, 0)]);
        assert_eq!(both.next_chunk, 6);
    }
}
