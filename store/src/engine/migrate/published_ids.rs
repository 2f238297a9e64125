//! To version 5: an id that means something within its feed only is published together with that feed.
//!
//! What was published before keeps its id, so that nobody reads it twice; but entries of a feed that have the same
//! id get different ones, because readers have shown only one of them. Ids that came over HTTP from a node of version 5
//! name their feed already. They are of the new kind, and stay what they are.
//!
//! The keys of most items stay, because they were made from the address of the feed and the id all along. They
//! change where that address held a secret, for ids that name their feed, and for a few kinds of ids that mean the
//! same everywhere. Then the item gets its new key wherever it is known: in its source, in the entries of feeds, and in
//! their lists of members.
//!
//! Doing it again does no harm: what was changed is not found again.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use pergola_feed::address::origin_of;
use pergola_feed::identity::{is_global, original};
use pergola_feed::{ItemId, digest, digest_after};

use super::item_media::{Plain, unpacked};
use super::rewrite::Unreadable;
use crate::engine::{Batch, Order, Store, StoreError, Table};

/// Rows are committed in groups of about this many bytes.
const GROUP_BYTES: u64 = 4 << 20;
/// What ids began with that meant the same everywhere before version 5.
const EVERYWHERE: [&str; 4] = ["http://", "https://", "tag:", "urn:"];

/// Key, source, chunk, index, when published, when changed.
type Entry = (u128, u32, u32, u16, f64, f64);
/// Key, digest, chunk, index, first seen, last seen.
type KnownItem = (u128, u128, u32, u16, f64, f64);
/// Policy, judged, bad, lately.
type Identity = (u32, u32, u32, Vec<(u64, u64)>);
/// Identity, items, next chunk.
type Known = (Identity, Vec<KnownItem>, u32);
/// Next number, edition, when changed.
type Tally = (u64, u64, f64);
/// Old keys with their new ones.
type Keys = HashMap<u128, u128>;

pub(super) fn step(store: &dyn Store) -> Result<Batch, StoreError> {
    let keys = changed_keys(store)?;
    let mut work = Work { store, batch: Batch::default() };
    if !keys.is_empty() {
        tracing::info!(items = keys.len(), "items get new keys");
        work.rekey_known(&keys)?;
    }
    for (feed, next) in feeds(store)? {
        work.feed(feed, next, &keys)?;
    }
    Ok(work.batch)
}

struct Work<'a> {
    store: &'a dyn Store,
    batch: Batch,
}

impl Work<'_> {
    fn rekey_known(&mut self, keys: &Keys) -> Result<(), StoreError> {
        let mut rows = Vec::new();
        scan(self.store, Table::Known, &[], None, |key, row| {
            let Ok((identity, mut items, next)) = postcard::from_bytes::<Known>(row) else {
                return;
            };
            let changed = items.iter_mut().fold(false, |changed, item| match keys.get(&item.0) {
                Some(new) => {
                    item.0 = *new;
                    true
                }
                None => changed,
            });
            if changed {
                rows.push((key.to_vec(), (identity, items, next)));
            }
        })?;
        for (key, known) in rows {
            self.put(Table::Known, key, &known);
            self.commit_some()?;
        }
        Ok(())
    }

    /// Says which entries of a feed keep their ids, and gives those their new keys that get one.
    fn feed(&mut self, feed: [u8; 4], next: u64, keys: &Keys) -> Result<(), StoreError> {
        let mut entries: Vec<(u64, Entry)> = Vec::new();
        let end = after(feed);
        let end = end.as_ref().map(<[u8; 4]>::as_slice);
        scan(self.store, Table::Entry, &feed, end, |key, row| {
            let number = key.last_chunk().map_or(0, |number| u64::from_be_bytes(*number));
            entries.extend(postcard::from_bytes(row).ok().map(|entry| (number, entry)));
        })?;
        let new_kind = of_new_kind(self.store, &entries)?;
        let mut key = vec![2];
        key.extend(feed);
        self.put(Table::Feed, key, &(next, new_kind));
        let mut members = HashSet::new();
        for (number, mut entry) in entries {
            let Some(new) = keys.get(&entry.0) else { continue };
            let member = |key: u128| [&feed[..], &key.to_be_bytes()].concat();
            self.batch.delete(Table::Member, member(entry.0));
            entry.0 = *new;
            self.put(Table::Entry, [&feed[..], &number.to_be_bytes()].concat(), &entry);
            // Two entries that turn out to be the same item both stay.
            if members.insert(*new) && self.store.get(Table::Member, &member(*new))?.is_none() {
                self.put(Table::Member, member(*new), &number);
            }
            self.commit_some()?;
        }
        Ok(())
    }

    fn put(&mut self, table: Table, key: Vec<u8>, row: &impl serde::Serialize) {
        let row = postcard::to_stdvec(row).expect("rows hold nothing that postcard refuses");
        self.batch.put(table, key, row);
    }

    /// Commits what has gathered, if it is much. What belongs together is in one commit.
    fn commit_some(&mut self) -> Result<(), StoreError> {
        if self.batch.bytes() > GROUP_BYTES {
            self.store.commit(&std::mem::take(&mut self.batch))?;
        }
        Ok(())
    }
}

/// The keys that change, from all items.
fn changed_keys(store: &dyn Store) -> Result<Keys, StoreError> {
    let mut addresses = HashMap::new();
    scan(store, Table::Source, &[], None, |key, row| {
        if let Ok((url, _)) = postcard::take_from_bytes::<String>(row) {
            addresses.insert(key.to_vec(), url);
        }
    })?;
    let mut keys = Keys::new();
    scan(store, Table::Chunk, &[], None, |key, row| {
        let Ok(items) = items(row) else { return };
        let source = key.get(..4).and_then(|source| addresses.get(source));
        let source = source.map(String::as_str);
        for (item, _) in items {
            let feed = item.origin.and_then(|[_, _, feed, _]| feed);
            let Some(feed) = feed.as_deref().or(source) else { continue };
            let (before, now) = both_keys(item.id, feed);
            if before != now {
                keys.insert(before, now);
            }
        }
    })?;
    Ok(keys)
}

/// The key of an item before and since version 5.
fn both_keys(id: String, feed: &str) -> (u128, u128) {
    let before = match EVERYWHERE.iter().any(|scheme| id.starts_with(scheme)) {
        true => digest(&[&id]),
        false => digest(&[feed, &id]),
    };
    let id = ItemId(id);
    let now = match original(&id) {
        Some((origin, own)) => digest_after(origin.0, &[&own.0]),
        None if is_global(&id) => digest(&[&id.0]),
        None => digest_after(origin_of(feed).0, &[&id.0]),
    };
    (before, now)
}

/// The numbers of the entries whose ids are of the new kind, in order: those whose id another entry of the feed has,
/// too, and those whose id names its feed.
fn of_new_kind(store: &dyn Store, entries: &[(u64, Entry)]) -> Result<Vec<u64>, StoreError> {
    let mut chunks: HashMap<(u32, u32), Vec<Kind>> = HashMap::new();
    let mut numbers: HashMap<u128, Vec<u64>> = HashMap::new();
    let mut new_kind = Vec::new();
    for (number, (_, source, chunk, index, ..)) in entries {
        let ids = match chunks.get(&(*source, *chunk)) {
            Some(ids) => ids,
            None => {
                let key = [source.to_be_bytes(), chunk.to_be_bytes()].concat();
                let row = store.get(Table::Chunk, &key)?;
                let items = row.and_then(|row| items(&row).ok()).unwrap_or_default();
                let ids = items.into_iter().map(|(item, _)| kind(item.id)).collect();
                chunks.entry((*source, *chunk)).or_insert(ids)
            }
        };
        match ids.get(usize::from(*index)) {
            Some(Kind::Local(id)) => numbers.entry(*id).or_default().push(*number),
            Some(Kind::NamesItsFeed) => new_kind.push(*number),
            Some(Kind::Global) | None => {}
        }
    }
    new_kind.extend(numbers.into_values().filter(|numbers| numbers.len() > 1).flatten());
    new_kind.sort_unstable();
    Ok(new_kind)
}

/// What an id means.
enum Kind {
    /// Something within its feed only; a digest of it.
    Local(u128),
    /// The same everywhere, because a node has put the feed into it.
    NamesItsFeed,
    /// The same everywhere.
    Global,
}

fn kind(id: String) -> Kind {
    let id = ItemId(id);
    match original(&id) {
        Some(_) => Kind::NamesItsFeed,
        None if is_global(&id) => Kind::Global,
        None => Kind::Local(digest(&[&id.0])),
    }
}

fn items(row: &[u8]) -> Result<Vec<Plain>, Unreadable> {
    Ok(postcard::from_bytes(&unpacked(row)?.1)?)
}

/// All feeds, and the number that the next entry of each gets.
fn feeds(store: &dyn Store) -> Result<Vec<([u8; 4], u64)>, StoreError> {
    let mut feeds = Vec::new();
    scan(store, Table::Feed, &[1], Some(&[2]), |key, row| {
        let (feed, tally) = (key.last_chunk().copied(), postcard::from_bytes::<Tally>(row));
        feeds.extend(feed.zip(tally.ok()).map(|(feed, (next, ..))| (feed, next)));
    })?;
    Ok(feeds)
}

/// The first key after those that begin with the number of a feed.
fn after(feed: [u8; 4]) -> Option<[u8; 4]> {
    u32::from_be_bytes(feed).checked_add(1).map(u32::to_be_bytes)
}

fn scan(
    store: &dyn Store,
    table: Table,
    from: &[u8],
    to: Option<&[u8]>,
    mut visit: impl FnMut(&[u8], &[u8]),
) -> Result<(), StoreError> {
    store.scan(table, from, to, Order::Ascending, &mut |key, row| {
        visit(key, row);
        ControlFlow::Continue(())
    })
}
