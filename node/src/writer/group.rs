//! Jobs that are committed together, and the parts of the feeds that follow from them.

use std::collections::{BTreeSet, HashMap, hash_map};

use pergola_store::archive::{
    Archive, ArchiveError, Commit, Edit, Entry, FeedId, FeedTally, ItemKey,
};

use super::routes::Routes;
use super::{Append, Committed};

/// A group in the making.
#[derive(Default)]
pub(super) struct Group {
    pub(super) commit: Commit,
    /// Entries made or replaced in this group, with their numbers.
    fresh: HashMap<(FeedId, ItemKey), (u64, Entry)>,
    /// The number that the next entry of each feed had before this group.
    first: HashMap<FeedId, u64>,
    /// Routes that were compared.
    routes: Routes,
    /// Feeds that change.
    changed: BTreeSet<FeedId>,
}

impl Group {
    /// Adds an item to the part of a feed, unless the feed has it.
    pub(super) fn append(
        &mut self,
        archive: &Archive,
        tallies: &mut HashMap<FeedId, FeedTally>,
        append: &Append,
        committed: &mut Committed,
    ) -> Result<(), ArchiveError> {
        let Append { feed, entry, edited } = *append;
        let tally = match tallies.entry(feed) {
            hash_map::Entry::Occupied(known) => known.into_mut(),
            hash_map::Entry::Vacant(new) => new.insert(archive.feed_tally(feed)?),
        };
        let held = match self.fresh.get(&(feed, entry.key)) {
            Some((sequence, entry)) => Some((*sequence, Some(*entry))),
            None => held(archive, feed, entry.key)?,
        };
        // Nobody can have read an entry that gets its number in this group.
        let unread_from = *self.first.entry(feed).or_insert(tally.next);
        let mut replaces = false;
        let (sequence, entry) = match held {
            // The same item by another route. Only the source that delivered an item may edit it, but a copy
            // with fewer hops takes over.
            Some((sequence, Some(held))) if held.source != entry.source => {
                if self.routes.is_shorter(archive, &self.commit, &held, &entry)? {
                    let Entry { at, changed_at, dated, .. } = held;
                    let entry = Entry { at, changed_at, dated, ..entry };
                    self.put(feed, sequence, entry);
                }
                return Ok(());
            }
            // The same source delivers it once more.
            Some((_, Some(_))) if !edited => return Ok(()),
            // What was stored of the entry is damaged, and here it is again.
            Some((sequence, None)) => {
                committed.replaced += 1;
                replaces = sequence < unread_from;
                (sequence, entry)
            }
            Some((sequence, Some(held))) => {
                committed.replaced += 1;
                replaces = sequence < unread_from;
                (sequence, Entry { at: held.at, dated: held.dated, ..entry })
            }
            // It has left the feed, and would come a second time.
            None if archive.has_expired(feed, entry.key)? => return Ok(()),
            None => {
                let sequence = tally.next;
                tally.next += 1;
                committed.published += 1;
                (sequence, entry)
            }
        };
        if self.changed.insert(feed) {
            tally.edition += 1;
        }
        tally.changed_at = tally.changed_at.max(entry.changed_at);
        if replaces {
            self.commit.feed(feed).put_edit(Edit { edition: tally.edition, sequence });
        }
        self.put(feed, sequence, entry);
        Ok(())
    }

    fn put(&mut self, feed: FeedId, sequence: u64, entry: Entry) {
        self.fresh.insert((feed, entry.key), (sequence, entry));
        self.commit.feed(feed).put_entry(sequence, &entry);
    }

    /// The whole commit, and how far the feeds that change have come with it.
    pub(super) fn finish(
        mut self,
        tallies: &HashMap<FeedId, FeedTally>,
    ) -> (Commit, Vec<(FeedId, FeedTally)>) {
        let changed = self.changed.iter().filter_map(|feed| Some((*feed, *tallies.get(feed)?)));
        let changed: Vec<(FeedId, FeedTally)> = changed.collect();
        for (feed, tally) in &changed {
            self.commit.feed(*feed).put_tally(tally);
        }
        (self.commit, changed)
    }
}

/// The number under which a feed holds an item, and its entry unless that is damaged.
fn held(
    archive: &Archive,
    feed: FeedId,
    item: ItemKey,
) -> Result<Option<(u64, Option<Entry>)>, ArchiveError> {
    let Some(sequence) = archive.member(feed, item)? else { return Ok(None) };
    match archive.entry(feed, sequence) {
        Ok(entry) => Ok(entry.map(|entry| (sequence, Some(entry)))),
        Err(ArchiveError::Damaged { .. }) => Ok(Some((sequence, None))),
        Err(error) => Err(error),
    }
}
