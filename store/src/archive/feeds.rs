//! Reading feeds: how they were asked for, what they hold, and the items that their entries refer to.

use std::collections::{HashMap, hash_map};
use std::ops::ControlFlow;

use pergola_feed::Item;
use pergola_manners::source::ItemKey;

use super::{ALL, Archive, ArchiveError, or_again};
use crate::engine::{Order, Table};
use crate::records::{
    Edit, Entry, FeedId, FeedRecord, FeedTally, Notification, OldIds, Subscription,
};
use crate::rows::chunk::Chunk;
use crate::rows::keys::{self, RowKey};

/// An item as a feed published it.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// Its number in the feed.
    pub sequence: u64,
    /// When and how it got there.
    pub entry: Entry,
    /// The item.
    pub item: Item,
}

impl Archive {
    /// All feeds in order of their ids.
    pub fn feeds(&self) -> Result<Vec<(FeedId, FeedRecord)>, ArchiveError> {
        self.rows(Table::Feed, (&[0], Some(&[1])), |key| FeedId::from_key(&key[1..]))
    }

    /// A feed as it was asked for.
    pub fn feed(&self, id: FeedId) -> Result<Option<FeedRecord>, ArchiveError> {
        self.row(Table::Feed, &keys::feed_key(id))
    }

    /// Those who may read a feed, if not anybody; nobody if that is damaged.
    pub fn readers(&self, feed: FeedId) -> Result<Option<Vec<String>>, ArchiveError> {
        or_again(self.row(Table::Reader, &feed.to_key()), || Ok(Some(Vec::new())))
    }

    /// How far a feed has come.
    pub fn feed_tally(&self, feed: FeedId) -> Result<FeedTally, ArchiveError> {
        let read = self.row(Table::Feed, &keys::feed_tally_key(feed));
        Ok(or_again(read, || self.tally_again(feed).map(Some))?.unwrap_or_default())
    }

    /// Which entries of a feed keep the ids that they had before ids named their origin.
    pub fn old_ids(&self, feed: FeedId) -> Result<OldIds, ArchiveError> {
        let read = self.row(Table::Feed, &keys::old_ids_key(feed));
        Ok(or_again(read, || Ok(None))?.unwrap_or_default())
    }

    /// The number under which a feed holds an item.
    pub fn member(&self, feed: FeedId, item: ItemKey) -> Result<Option<u64>, ArchiveError> {
        let read = self.row(Table::Member, &keys::member_key(feed, item));
        or_again(read, || self.member_again(feed, item))
    }

    /// One entry of a feed.
    pub fn entry(&self, feed: FeedId, sequence: u64) -> Result<Option<Entry>, ArchiveError> {
        self.row(Table::Entry, &keys::entry_key(feed, sequence))
    }

    /// Entries of a feed with `from <= sequence < to`, in order, at most `limit` of them, without damaged ones.
    pub fn entries(
        &self,
        feed: FeedId,
        from: u64,
        to: u64,
        order: Order,
        limit: usize,
    ) -> Result<Vec<(u64, Entry)>, ArchiveError> {
        let mut found = Vec::new();
        if limit == 0 || from >= to {
            return Ok(found);
        }
        let (from, to) = (keys::entry_key(feed, from), keys::entry_key(feed, to));
        self.visit(Table::Entry, (&from, Some(&to)), order, |key, entry| {
            found.push((keys::sequence_of(key), entry));
            if found.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        Ok(found)
    }

    /// The number of the oldest entry that a feed keeps.
    pub fn oldest(&self, feed: FeedId) -> Result<Option<u64>, ArchiveError> {
        let first = self.entries(feed, 0, u64::MAX, Order::Ascending, 1)?;
        Ok(first.first().map(|(sequence, _)| *sequence))
    }

    /// The edits of a feed after one, up to the end of an edition, at most `limit` of them.
    pub fn edits(
        &self,
        feed: FeedId,
        after: Edit,
        edition: u64,
        limit: usize,
    ) -> Result<Vec<Edit>, ArchiveError> {
        let mut found = Vec::new();
        let to = Edit::end_of(edition);
        if limit == 0 || after >= to {
            return Ok(found);
        }
        let (from, to) = (keys::edit_key(feed, after), keys::edit_key(feed, to));
        self.visit_keys(Table::Edit, (&from, Some(&to)), Order::Ascending, |key| {
            let edit = keys::edit_of(key);
            if edit > after {
                found.push(edit);
            }
            if found.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        Ok(found)
    }

    /// The newest items of a feed, newest first.
    pub fn window(&self, feed: FeedId, size: usize) -> Result<Vec<Published>, ArchiveError> {
        let entries = self.entries(feed, 0, u64::MAX, Order::Descending, size)?;
        self.with_items(entries)
    }

    /// Items of a feed after a number, oldest first.
    pub fn after(
        &self,
        feed: FeedId,
        sequence: u64,
        limit: usize,
    ) -> Result<Vec<Published>, ArchiveError> {
        let from = sequence.saturating_add(1);
        let entries = self.entries(feed, from, u64::MAX, Order::Ascending, limit)?;
        self.with_items(entries)
    }

    /// The items that entries refer to; each chunk is unpacked once. Entries whose items are damaged or gone are
    /// left out and counted.
    pub fn with_items(&self, entries: Vec<(u64, Entry)>) -> Result<Vec<Published>, ArchiveError> {
        let mut chunks = HashMap::new();
        let mut published = Vec::with_capacity(entries.len());
        let all = entries.len();
        for (sequence, entry) in entries {
            let chunk = match chunks.entry((entry.source, entry.chunk)) {
                hash_map::Entry::Occupied(read) => read.into_mut(),
                hash_map::Entry::Vacant(new) => {
                    let read = self.unpacked(entry.source, entry.chunk);
                    new.insert(or_again(read, || Ok(Chunk::default()))?)
                }
            };
            if let Ok(Some(item)) = chunk.item(entry.index) {
                published.push(Published { sequence, item, entry });
            }
        }
        self.damage.pass((all - published.len()) as u64);
        Ok(published)
    }

    /// Everybody who is sent the new entries of feeds.
    pub fn notifications(&self) -> Result<Vec<(FeedId, Vec<Notification>)>, ArchiveError> {
        self.rows(Table::Notification, ALL, FeedId::from_key)
    }

    /// Everybody who is told of a feed's changes.
    pub fn subscriptions(&self) -> Result<Vec<(u128, Subscription)>, ArchiveError> {
        let number = |key: &[u8]| key.first_chunk().map_or(0, |key| u128::from_be_bytes(*key));
        self.rows(Table::Subscription, ALL, number)
    }
}
