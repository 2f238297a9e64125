//! What earlier editions showed, so that whoever has one of them can be sent the difference (RFC 3229).
//!
//! An edition is known again by its tag. What is remembered of it is where each of its entries was kept:
//! an edited item is kept elsewhere, so no clock and no count of changes is needed to tell what has
//! changed. It is remembered in memory alone: after a restart, or after a backup was restored, nobody can
//! be told a wrong difference, because no tag is known.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use pergola_store::archive::{Entry, FeedId, Published, SourceId};

use pergola_outside::locks::Mutex;

/// Entries of earlier editions that are remembered, over all feeds: some 12 MiB.
const REMEMBERED: usize = 1 << 19;

/// What a document showed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Contents {
    /// The number after its newest entry.
    pub(super) next: u64,
    /// Its entries in the order of their numbers, and where they were kept.
    entries: Box<[(u64, Place)]>,
}

/// Where the item of an entry is kept: elsewhere once it is edited.
type Place = (SourceId, u32, u16);

impl Contents {
    /// What these entries show; `next` is where the feed stands if there are none.
    pub(super) fn of(published: &[Published], next: u64) -> Self {
        let shown = published.iter().map(|item| (item.sequence, place(&item.entry)));
        let mut entries: Box<[_]> = shown.collect();
        entries.sort_unstable();
        let next = entries.last().map_or(next, |(newest, _)| newest + 1);
        Self { next, entries }
    }

    /// The number of its oldest entry.
    pub(super) fn first(&self) -> u64 {
        self.entries.first().map_or(self.next, |(oldest, _)| *oldest)
    }

    /// The entries that somebody who has `earlier` has not, or not like this, oldest first.
    pub(super) fn since(&self, earlier: &Self) -> Vec<u64> {
        let news = earlier.next..self.next;
        let edited = self.entries.iter().filter(|(sequence, place)| {
            *sequence < earlier.next && earlier.place(*sequence) != Some(*place)
        });
        edited.map(|(sequence, _)| *sequence).chain(news).collect()
    }

    fn place(&self, sequence: u64) -> Option<Place> {
        let found = self.entries.binary_search_by_key(&sequence, |(known, _)| *known);
        found.ok().map(|at| self.entries[at].1)
    }
}

fn place(entry: &Entry) -> Place {
    (entry.source, entry.chunk, entry.index)
}

/// The editions that are remembered.
#[derive(Default)]
pub(super) struct Past(Mutex<Memory>);

#[derive(Default)]
struct Memory {
    known: HashMap<(FeedId, Box<str>), Arc<Contents>>,
    /// The longest remembered first.
    order: VecDeque<(FeedId, Box<str>)>,
    entries: usize,
}

impl Past {
    /// Remembers what the document with this tag shows, and forgets the longest remembered ones.
    pub(super) fn remember(&self, feed: FeedId, tag: &str, contents: &Arc<Contents>) {
        let mut memory = self.0.lock();
        let key = (feed, Box::from(tag));
        if memory.known.insert(key.clone(), contents.clone()).is_some() {
            // The same bytes show the same entries.
            return;
        }
        memory.order.push_back(key);
        memory.entries += weight(contents);
        while memory.entries > REMEMBERED && memory.order.len() > 1 {
            let Some(oldest) = memory.order.pop_front() else { return };
            let forgotten = memory.known.remove(&oldest);
            memory.entries -= forgotten.map_or(0, |contents| weight(&contents));
        }
    }

    /// What the document with this tag showed, if that is still known.
    pub(super) fn recall(&self, feed: FeedId, tag: &str) -> Option<Arc<Contents>> {
        let memory = self.0.lock();
        memory.known.get(&(feed, Box::from(tag))).cloned()
    }
}

/// A tag costs about as much as four entries.
fn weight(contents: &Contents) -> usize {
    contents.entries.len() + 4
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(entries: &[(u64, u32)]) -> Contents {
        let entries = entries.iter().map(|(number, chunk)| (*number, (SourceId(1), *chunk, 0)));
        let entries: Box<[_]> = entries.collect();
        Contents { next: entries.last().map_or(0, |(newest, _)| newest + 1), entries }
    }

    #[test]
    fn the_difference_is_what_is_new_or_kept_elsewhere_now() {
        let earlier = contents(&[(3, 30), (4, 40), (5, 50)]);
        // Two more than the window holds came meanwhile; nothing of the earlier one is left.
        assert_eq!(contents(&[(8, 80), (9, 90)]).since(&earlier), [6, 7, 8, 9]);
        // One came, and entry 4 was edited.
        assert_eq!(contents(&[(4, 41), (5, 50), (6, 60)]).since(&earlier), [4, 6]);
        // The window has become larger, so that entry 2 is shown.
        assert_eq!(contents(&[(2, 20), (3, 30), (4, 40), (5, 50)]).since(&earlier), [2]);
        assert_eq!(earlier.since(&earlier), [0; 0]);
        assert_eq!(contents(&[]).since(&earlier), [0; 0], "a feed that went back has no news");
    }

    #[test]
    fn memory_is_bounded_and_the_longest_remembered_goes_first() {
        let past = Past::default();
        let entries: Vec<(u64, u32)> = (0..1000).map(|number| (number, 0)).collect();
        let shown = Arc::new(contents(&entries));
        let editions = REMEMBERED / weight(&shown) + 10;
        for edition in 0..editions {
            past.remember(FeedId(1), &edition.to_string(), &shown);
            past.remember(FeedId(1), &edition.to_string(), &shown);
        }
        assert!(past.0.lock().entries <= REMEMBERED);
        assert_eq!(past.recall(FeedId(1), "9"), None);
        assert!(past.recall(FeedId(1), "10").is_some());
        assert!(past.recall(FeedId(1), &(editions - 1).to_string()).is_some());
        assert_eq!(past.recall(FeedId(2), "10"), None, "another feed's tag");
    }
}
