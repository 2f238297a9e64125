//! Changes to what is stored: one part for each source, one for each feed, one for each user, one for the node itself,
//! one for the search index.
//!
//! A part holds rows of its own source, feed or user and nothing else; its type has no way to name another. All
//! parts of a commit happen together or not at all, but nothing here relies on that across parts: a source's
//! part is complete by itself (its state, what it has shown, its new items), and so is a feed's (its entries
//! and how far it has come, which refer to items by source, chunk and index). So a store that is divided by
//! source and feed can commit part by part.

mod feed;
mod index;
mod node;
mod source;
mod user;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use pergola_accounts::UserId;
use pergola_feed::Item;
use pergola_manners::source::SourceId;

use crate::engine::{Batch, Table};
use crate::records::{Channel, FeedId, ProfileRecord};
use crate::rows::{Nonsense, Stored, encode};

pub use feed::FeedPart;
pub(crate) use index::IndexPart;
pub use node::NodePart;
pub use source::SourcePart;
pub use user::UserPart;

/// Changes that happen together or not at all.
#[derive(Debug, Default)]
pub struct Commit {
    sources: BTreeMap<SourceId, SourcePart>,
    feeds: BTreeMap<FeedId, FeedPart>,
    users: BTreeMap<UserId, UserPart>,
    node: NodePart,
    index: IndexPart,
}

impl Commit {
    /// Nothing changes yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The part of a source.
    pub fn source(&mut self, id: SourceId) -> &mut SourcePart {
        self.sources.entry(id).or_insert_with(|| SourcePart::new(id))
    }

    /// The part of a feed.
    pub fn feed(&mut self, id: FeedId) -> &mut FeedPart {
        self.feeds.entry(id).or_insert_with(|| FeedPart::new(id))
    }

    /// The part of a user.
    pub fn user(&mut self, id: UserId) -> &mut UserPart {
        self.users.entry(id).or_insert_with(|| UserPart::new(id))
    }

    /// What a source or a feed is about, in its part; `None` if nothing is known any more.
    pub fn set_profile(&mut self, channel: Channel, profile: Option<&ProfileRecord>) {
        match channel {
            Channel::Source(id) => self.source(id).set_profile(profile),
            Channel::Feed(id) => self.feed(id).set_profile(profile),
        }
    }

    /// The part of the node.
    pub fn node(&mut self) -> &mut NodePart {
        &mut self.node
    }

    /// The part of the search index.
    pub(crate) fn index(&mut self) -> &mut IndexPart {
        &mut self.index
    }

    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.sources.values().all(|part| part.rows.is_empty())
            && self.feeds.values().all(|part| part.rows.is_empty())
            && self.users.values().all(|part| part.rows.is_empty())
            && self.node.rows.is_empty()
            && self.index.rows.is_empty()
    }

    /// Adds the changes of another commit after its own, part by part.
    pub fn append(&mut self, other: Self) {
        for (id, part) in other.sources {
            match self.sources.entry(id) {
                Entry::Vacant(none) => {
                    none.insert(part);
                }
                Entry::Occupied(own) => own.into_mut().rows.append(part.rows),
            }
        }
        for (id, part) in other.feeds {
            let own = self.feed(id);
            own.dropped |= part.dropped;
            own.rows.append(part.rows);
        }
        for (id, part) in other.users {
            self.user(id).rows.append(part.rows);
        }
        self.node.rows.append(other.node.rows);
        self.index.rows.append(other.index.rows);
    }

    /// The sources of which this commit changes something.
    pub(crate) fn source_ids(&self) -> impl Iterator<Item = SourceId> {
        self.sources.keys().copied()
    }

    /// The feeds that this commit drops.
    pub fn dropped_feeds(&self) -> impl Iterator<Item = FeedId> {
        self.feeds.iter().filter(|(_, part)| part.dropped).map(|(id, _)| *id)
    }

    /// The items of a chunk, if this commit stores it.
    pub(crate) fn chunk(
        &self,
        source: SourceId,
        chunk: u32,
    ) -> Result<Option<Vec<Item>>, Nonsense> {
        self.sources.get(&source).map_or(Ok(None), |part| part.chunk(chunk))
    }

    /// All parts in one batch.
    pub(crate) fn into_batch(self) -> Batch {
        let sources = self.sources.into_values().map(|part| part.rows);
        let feeds = self.feeds.into_values().map(|part| part.rows);
        let users = self.users.into_values().map(|part| part.rows);
        let own = [self.node.rows, self.index.rows].into_iter();
        Batch::joined(own.chain(sources).chain(feeds).chain(users).collect())
    }
}

impl From<SourcePart> for Commit {
    fn from(part: SourcePart) -> Self {
        Self { sources: BTreeMap::from([(part.id(), part)]), ..Self::default() }
    }
}

impl From<FeedPart> for Commit {
    fn from(part: FeedPart) -> Self {
        Self { feeds: BTreeMap::from([(part.id(), part)]), ..Self::default() }
    }
}

/// Writes a row, or deletes it.
fn set<T: Stored>(rows: &mut Batch, table: Table, key: impl Into<Vec<u8>>, value: Option<&T>) {
    match value {
        Some(value) => rows.put_sealed(table, key, encode(value)),
        None => rows.delete(table, key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::Removed;
    use crate::records::{self, Edit, FeedTally, Mark};
    use pergola_manners::source::{ItemKey, ItemNumber, SourceRecord};

    fn keys(commit: Commit) -> Vec<(Table, Vec<u8>, bool)> {
        let batch = commit.into_batch();
        batch.iter().map(|(table, key, value)| (table, key.to_vec(), value.is_some())).collect()
    }

    #[test]
    fn the_later_of_two_commits_counts_for_each_part() {
        let (source, feed) = (SourceId(3), FeedId(4));
        let mut first = Commit::new();
        first.source(source).put_chunk(0, 1.0, &[&Item::new("old")]);
        first.feed(feed).put_tally(&FeedTally::default());
        let mut second = Commit::new();
        second.source(source).put_chunk(0, 2.0, &[&Item::new("new")]);
        second.feed(feed).drop_feed();
        assert_eq!(first.dropped_feeds().count(), 0);
        first.append(second);
        assert_eq!(first.dropped_feeds().collect::<Vec<_>>(), [feed]);
        assert_eq!(first.chunk(source, 0).unwrap(), Some(vec![Item::new("new")]));
        assert_eq!(first.chunk(SourceId(4), 0).unwrap(), None);
        let tally = (Table::Feed, vec![1, 0, 0, 0, 4]);
        let all = keys(first);
        let last = all.iter().rfind(|(table, key, _)| (*table, key.clone()) == tally).unwrap();
        assert!(!last.2, "the tally is deleted after it was written");
    }

    #[test]
    fn every_row_of_a_part_is_found_by_its_own_number() {
        let id = 0x0102_0304_u32;
        let mut commit = Commit::new();
        let part = commit.source(SourceId(id));
        part.delete();
        part.remove(&Removed { at: 1.0, what: SourceRecord::new("https://example.org/", 1.0) });
        part.delete_known();
        part.put_chunk(7, 1.0, &[]);
        part.delete_chunk(8);
        let part = commit.feed(FeedId(id));
        part.drop_feed();
        let (key, source) = (ItemKey(5), SourceId(9));
        part.put_entry(
            1,
            &records::Entry {
                key,
                source,
                chunk: 0,
                index: 0,
                at: 0.0,
                changed_at: 0.0,
                dated: 0.0,
            },
        );
        part.delete_entry(2, key);
        part.put_edit(Edit { edition: 1, sequence: 1 });
        part.delete_edit(Edit { edition: 1, sequence: 2 });
        part.set_readers(None);
        let part = commit.user(UserId(id));
        part.set_record(None);
        part.set_app_password(7, None);
        part.set_following(FeedId(9), None);
        part.set_mark(Mark::Star, ItemNumber(9), None);
        for (table, key, _) in keys(commit) {
            let own = [&[1, 2, 3, 4][..], &[0, 1, 2, 3, 4], &[1, 1, 2, 3, 4], &[2, 1, 2, 3, 4]];
            assert!(own.iter().any(|prefix| key.starts_with(prefix)), "{table:?} {key:?}");
        }
    }
}
