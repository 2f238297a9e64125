//! Rows that are damaged but follow from others: how far a feed has come, what was seen of a source's items, under
//! which number a feed holds an item.

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;

use pergola_feed::identity::{IdentityParts, Policy, SourceIdentity, identify};
use pergola_feed::{Item, OriginId};
use pergola_manners::source::{ItemKey, Known, KnownItem, SourceId, item_key};

use super::{Archive, ArchiveError};
use crate::engine::{Order, Table};
use crate::records::{Entry, FeedId, FeedTally};
use crate::rows::chunk::{Chunk, delivered_at};
use crate::rows::keys::{self, RowKey};

/// Added to an edition that is not known exactly. One that is too high does no harm; with one that is too low,
/// readers would start over.
const NOBODY_HAS_SEEN: u64 = 1_000_000;

impl Archive {
    /// How far a feed has come, from its entries and edits.
    pub(super) fn tally_again(&self, feed: FeedId) -> Result<FeedTally, ArchiveError> {
        let last = self.entries(feed, 0, u64::MAX, Order::Descending, 1)?;
        let (next, changed_at) = last
            .first()
            .map_or((0, 0.0), |(sequence, entry)| (sequence + 1, entry.at.max(entry.changed_at)));
        let mut edition = next;
        let (from, to) = (feed.to_key(), FeedId(feed.0.saturating_add(1)).to_key());
        self.visit_keys(Table::Edit, (&from, Some(&to)), Order::Descending, |key| {
            edition = edition.max(keys::edit_of(key).edition);
            ControlFlow::Break(())
        })?;
        Ok(FeedTally { next, edition: edition + NOBODY_HAS_SEEN, changed_at })
    }

    /// The number under which a feed holds an item, from its entries.
    pub(super) fn member_again(
        &self,
        feed: FeedId,
        item: ItemKey,
    ) -> Result<Option<u64>, ArchiveError> {
        let mut found = None;
        let (from, to) = (keys::entry_key(feed, 0), keys::entry_key(feed, u64::MAX));
        self.visit(Table::Entry, (&from, Some(&to)), Order::Descending, |key, entry: Entry| {
            if entry.key != item {
                return ControlFlow::Continue(());
            }
            found = Some(keys::sequence_of(key));
            ControlFlow::Break(())
        })?;
        Ok(found)
    }

    /// What was seen of a source's items, from those that are stored. Items that were not kept are new again, but
    /// what a document shows now was kept as long as it is shown.
    pub(super) fn known_again(&self, id: SourceId) -> Result<Known, ArchiveError> {
        let record = match self.source(id)? {
            Some(record) => Some(record),
            None => self.removed_source(id)?.map(|removed| removed.what),
        };
        let Some(origin) = record.map(|record| record.origin) else { return Ok(Known::default()) };
        let (from, to) = (keys::chunk_key(id, 0), keys::chunk_key(id, u32::MAX));
        let mut next_chunk = 0;
        let mut stored: Vec<(u32, f64, Vec<Item>)> = Vec::new();
        self.store.scan(Table::Chunk, &from, Some(&to), Order::Ascending, &mut |key, row| {
            let (_, number) = keys::chunk_of(key);
            next_chunk = number.saturating_add(1);
            let whole = self.whole(Table::Chunk, key, row);
            let read = whole.and_then(|row| Ok((delivered_at(row)?, Chunk::of_row(row)?.items()?)));
            stored.extend(read.ok().map(|(at, items)| (number, at, items)));
            ControlFlow::Continue(())
        })?;
        let policy = policy_of(stored.iter().flat_map(|(_, _, items)| items));
        let parts = IdentityParts { policy, judged: 0, bad: 0, lately: VecDeque::new() };
        let items = remembered(&stored, origin);
        Ok(Known { identity: SourceIdentity::from_parts(parts), items, next_chunk })
    }
}

/// The stored items as they would be remembered, each once.
fn remembered(stored: &[(u32, f64, Vec<Item>)], origin: OriginId) -> Vec<KnownItem> {
    let mut known: Vec<KnownItem> = Vec::new();
    let mut places: HashMap<ItemKey, usize> = HashMap::new();
    for (chunk, at, items) in stored {
        for (index, item) in (0..).zip(items) {
            let key = item_key(&item.id, item, origin);
            let first_seen = item.first_seen.map_or(*at, |seen| seen.unix() as f64);
            let (chunk, digest, seen_at) = (*chunk, item.content_digest(), *at);
            let memory = KnownItem { key, digest, chunk, index, first_seen, seen_at };
            match places.get(&key) {
                // A later version replaces the one before.
                Some(place) => known[*place] = memory,
                None => {
                    places.insert(key, known.len());
                    known.push(memory);
                }
            }
        }
    }
    known
}

/// How items with these ids were told apart.
fn policy_of<'a>(items: impl Iterator<Item = &'a Item> + Clone) -> Policy {
    let fits =
        |policy: &Policy| items.clone().filter(|item| identify(item, *policy) == item.id).count();
    // Of several that fit equally well, the last one counts.
    [Policy::Digest, Policy::Link, Policy::Id].into_iter().max_by_key(fits).unwrap_or(Policy::Id)
}
