//! What a file holds.

use std::collections::{HashMap, HashSet};

use pergola_feed::html::Selectors;
use pergola_feed::{Item, Timestamp};
use ring::digest::{SHA256, digest};

use crate::account::Account;

/// Flaws that are told one by one; more are only counted.
const FLAWS: usize = 1_000;

/// What a file holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Takeout {
    /// What is followed, each address once.
    pub subscriptions: Vec<Subscription>,
    /// Outlines that name a subscription of the same folder once more.
    pub duplicates: usize,
    /// Items that were read or starred.
    pub items: Vec<Marked>,
    /// Items that were neither, which nobody needs to take along.
    pub unmarked: usize,
    /// What Pergola itself has written of an account.
    pub account: Option<Account>,
    /// Entries that make no sense.
    pub flaws: Vec<Flaw>,
    /// How many these are, those included that are not told.
    pub flawed: usize,
}

impl Takeout {
    /// Tells of an entry that was left out.
    pub(crate) fn leave_out(&mut self, flaw: Flaw) {
        self.flawed += 1;
        if self.flaws.len() < FLAWS {
            self.flaws.push(flaw);
        }
    }

    /// Takes an item along, if it is worth it.
    pub(crate) fn take(&mut self, item: Marked) {
        match item.read || item.starred {
            true => self.items.push(item),
            false => self.unmarked += 1,
        }
    }
}

/// Something that is followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    pub address: String,
    pub title: Option<String>,
    /// One folder inside another as `Tech/Rust`.
    pub folders: Vec<String>,
    /// How a page is read that has no feed.
    pub page: Option<Selectors>,
    /// Where it stands.
    pub place: String,
}

/// An item that was read or starred.
#[derive(Debug, Clone, PartialEq)]
pub struct Marked {
    /// Its feed is named as its origin.
    pub item: Item,
    pub read: bool,
    pub starred: bool,
    /// When the other program first saw it.
    pub seen: Option<Timestamp>,
    /// The SHA-256 digest of its id, where the id itself is not told.
    pub hash: Option<[u8; 32]>,
    /// Where it stands.
    pub place: String,
}

impl Marked {
    /// The address of its feed.
    pub fn feed(&self) -> Option<&str> {
        self.item.origin.as_ref()?.feed.as_deref()
    }
}

/// The items that a feed shows, to find those that were marked among them.
#[derive(Debug, Default)]
pub struct Shown {
    ids: HashMap<String, u64>,
    hashes: HashMap<[u8; 32], u64>,
    /// With whether the item has an id of its publisher.
    links: HashMap<String, (u64, bool)>,
    numbers: HashSet<u64>,
}

impl Shown {
    /// An item with this number is shown.
    pub fn add(&mut self, number: u64, item: &Item) {
        self.numbers.insert(number);
        if let Some(guid) = &item.guid {
            let mut hash = [0; 32];
            hash.copy_from_slice(digest(&SHA256, guid.as_bytes()).as_ref());
            self.hashes.insert(hash, number);
            self.ids.insert(guid.clone(), number);
        }
        if let Some(link) = &item.link {
            self.links.entry(link.clone()).or_insert((number, item.guid.is_some()));
        }
    }

    /// The number of the item that was marked, if it is shown. The publisher's id decides if it is told, then its digest,
    /// then the link; `number` is what it would be called.
    pub fn find(&self, marked: &Marked, number: u64) -> Option<u64> {
        let item = &marked.item;
        let id = item.guid.as_ref().and_then(|guid| self.ids.get(guid));
        let hash = || marked.hash.as_ref().and_then(|hash| self.hashes.get(hash));
        let same = || self.numbers.get(&number);
        let link = || {
            let found = item.link.as_ref().and_then(|link| self.links.get(link));
            // Two ids that differ are two items, whatever they link to.
            let found = found.filter(|(_, has_id)| item.guid.is_none() || !has_id);
            found.map(|(number, _)| number)
        };
        id.or_else(hash).or_else(same).or_else(link).copied()
    }
}

/// An entry that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// The file and the entry.
    pub place: String,
    pub title: Option<String>,
    pub address: Option<String>,
    /// Why it was left out.
    pub reason: String,
}
