//! The annex of the shelf: volumes and differences, rendered when somebody asks for them.
//!
//! Why apart from the editions: they are many, asked for seldom and by few, and must never push a current
//! edition out of memory. So they have a limit of their own; what was not asked for longest goes first.
//! Whatever is here belongs to one edition of its feed and is rendered again for the next: that it is
//! usually the same bytes again, and so the same tag, is what readers notice.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Weak};

use pergola_store::archive::FeedId;
use tokio::sync::OnceCell;

use super::document::Rendered;
use super::edition::Edition;
use super::negotiate::Form;
use super::volume::Volume;
use pergola_outside::locks::Mutex;

/// Documents held at most, however small.
const MOST: usize = 10_000;

/// A document of the annex.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) feed: FeedId,
    pub(super) form: Form,
    pub(super) what: What,
}

/// Which of them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum What {
    /// An archive document.
    Volume(Volume),
    /// The difference between the editions with these tags.
    Difference(Box<str>, Box<str>),
}

/// The place of one document: empty until it is rendered.
pub(super) type Place = Arc<OnceCell<Arc<Rendered>>>;

/// The documents at hand.
pub(super) struct Annex {
    /// Bytes of the documents alive.
    pub(super) held: Arc<AtomicUsize>,
    pub(super) limit: usize,
    shelves: Mutex<Shelves>,
}

#[derive(Default)]
struct Shelves {
    slots: HashMap<Key, Slot>,
    turns: u64,
}

struct Slot {
    /// The edition it belongs to.
    edition: Weak<Edition>,
    place: Place,
    /// When it was last asked for, counted in requests.
    used: u64,
}

impl Annex {
    pub(super) fn new(limit: usize) -> Self {
        Self { held: Arc::default(), limit, shelves: Mutex::default() }
    }

    /// The place of a document of this edition; what another edition left there is dropped.
    pub(super) fn place(&self, key: Key, edition: &Arc<Edition>) -> Place {
        let mut shelves = self.shelves.lock();
        shelves.turns += 1;
        let used = shelves.turns;
        let fresh = || Slot { edition: Arc::downgrade(edition), place: Place::default(), used };
        let slot = shelves.slots.entry(key).or_insert_with(fresh);
        if !Weak::ptr_eq(&slot.edition, &Arc::downgrade(edition)) {
            *slot = fresh();
        }
        slot.used = used;
        slot.place.clone()
    }

    /// A document that could not be rendered takes no place.
    pub(super) fn clear(&self, key: &Key) {
        let mut shelves = self.shelves.lock();
        if shelves.slots.get(key).is_some_and(|slot| slot.place.get().is_none()) {
            shelves.slots.remove(key);
        }
    }

    /// Drops the documents that were not asked for longest until the rest is within the limits; the
    /// one that was asked for last stays.
    pub(super) fn make_room(&self) {
        let crowded = |count: usize| self.held.load(Relaxed) > self.limit || count > MOST;
        let mut shelves = self.shelves.lock();
        if !crowded(shelves.slots.len()) {
            return;
        }
        let mut by_use: Vec<(u64, Key)> =
            shelves.slots.iter().map(|(key, slot)| (slot.used, key.clone())).collect();
        by_use.sort_unstable_by_key(|(used, _)| *used);
        by_use.pop();
        for (_, key) in by_use {
            if !crowded(shelves.slots.len()) {
                return;
            }
            shelves.slots.remove(&key);
        }
    }
}
