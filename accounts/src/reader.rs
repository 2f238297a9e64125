//! What one user has read, and how much is left: for each feed, for each folder and in all.
//!
//! Counts change with each entry that comes or goes and each item that is read, so that nobody has to count again.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::index::Index;
use crate::row::Place;

/// A user who reads.
#[derive(Debug, Default)]
pub struct Reader {
    /// The feeds that it follows, each with its folders by their places in `folders`.
    pub(crate) follows: FxHashMap<u32, Vec<u32>>,
    pub(crate) folders: Vec<String>,
    pub(crate) read: FxHashSet<u64>,
    /// Starred items and their places in the order of dates, with when they arrived.
    pub(crate) starred: FxHashMap<u64, (Place, f64)>,
    unread: FxHashMap<u32, u32>,
    unread_in: Vec<u32>,
    unread_at_all: u32,
}

/// How much is unread.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Counts {
    /// In each feed, with its newest date.
    pub feeds: BTreeMap<u32, (u32, Option<f64>)>,
    /// In each folder, with its newest date; an item in several feeds counts once.
    pub folders: BTreeMap<String, (u32, Option<f64>)>,
    /// In all.
    pub all: u32,
}

impl Reader {
    /// Somebody who follows these feeds in these folders, and has read and starred these items; starred ones come with
    /// their date and when they arrived.
    pub fn new(
        follows: impl IntoIterator<Item = (u32, Vec<String>)>,
        read: impl IntoIterator<Item = u64>,
        starred: impl IntoIterator<Item = (u64, f64, f64)>,
    ) -> Self {
        let starred = starred
            .into_iter()
            .map(|(number, dated, arrived)| (number, (Place::new(number, dated), arrived)));
        let read = read.into_iter().collect();
        let mut reader = Self { read, starred: starred.collect(), ..Self::default() };
        reader.set_follows(follows);
        reader
    }

    /// Follows these feeds from now on, and no others.
    pub(crate) fn set_follows(&mut self, follows: impl IntoIterator<Item = (u32, Vec<String>)>) {
        let mut places: BTreeMap<String, u32> = BTreeMap::new();
        let mut own = FxHashMap::default();
        for (feed, folders) in follows {
            let around: Vec<u32> = with_those_around(&folders)
                .into_iter()
                .map(|folder| {
                    let next = places.len() as u32;
                    *places.entry(folder).or_insert(next)
                })
                .collect();
            own.insert(feed, around);
        }
        let mut folders = vec![String::new(); places.len()];
        places.into_iter().for_each(|(name, place)| folders[place as usize] = name);
        (self.follows, self.folders) = (own, folders);
    }

    /// Whether it follows a feed.
    pub fn follows(&self, feed: u32) -> bool {
        self.follows.contains_key(&feed)
    }

    /// Whether it has read an item.
    pub fn has_read(&self, number: u64) -> bool {
        self.read.contains(&number)
    }

    /// Whether it has starred an item.
    pub fn has_starred(&self, number: u64) -> bool {
        self.starred.contains_key(&number)
    }

    /// How many entries of a feed are unread.
    pub(crate) fn unread(&self, feed: u32) -> u32 {
        self.unread.get(&feed).copied().unwrap_or(0)
    }

    pub(crate) fn unread_at_all(&self) -> u32 {
        self.unread_at_all
    }

    pub(crate) fn unread_in(&self, folder: usize) -> u32 {
        self.unread_in.get(folder).copied().unwrap_or(0)
    }

    /// The place of a folder, if it is one.
    pub(crate) fn folder(&self, name: &str) -> Option<u32> {
        self.folders.iter().position(|folder| folder == name).map(|place| place as u32)
    }

    /// Counts everything anew.
    pub(crate) fn count(&mut self, index: &mut Index) {
        self.unread.clear();
        self.unread_in = vec![0; self.folders.len()];
        self.unread_at_all = 0;
        index.each(|number, feeds| {
            if !self.read.contains(&number) {
                self.count_item(feeds, 1);
            }
        });
    }

    /// An item that these feeds hold becomes unread (1) or read (-1).
    pub(crate) fn count_item(&mut self, feeds: &[u32], by: i32) {
        let mut followed = 0;
        let mut folders: Vec<u32> = Vec::new();
        for feed in feeds {
            let Some(own) = self.follows.get(feed) else { continue };
            followed += 1;
            change(self.unread.entry(*feed).or_default(), by);
            folders.extend(own);
        }
        if followed == 0 {
            return;
        }
        folders.sort_unstable();
        folders.dedup();
        folders.iter().for_each(|folder| change(&mut self.unread_in[*folder as usize], by));
        change(&mut self.unread_at_all, by);
    }

    /// An unread item enters a feed (1), or leaves it (-1), and other feeds hold it as well.
    pub(crate) fn count_entry(&mut self, feed: u32, others: &[u32], by: i32) {
        let Some(own) = self.follows.get(&feed) else { return };
        let others: Vec<&Vec<u32>> = others
            .iter()
            .filter(|other| **other != feed)
            .filter_map(|feed| self.follows.get(feed))
            .collect();
        change(self.unread.entry(feed).or_default(), by);
        let mut only_here: Vec<u32> = own.clone();
        only_here.retain(|folder| !others.iter().any(|folders| folders.contains(folder)));
        only_here.iter().for_each(|folder| change(&mut self.unread_in[*folder as usize], by));
        if others.is_empty() {
            change(&mut self.unread_at_all, by);
        }
    }
}

fn change(count: &mut u32, by: i32) {
    *count = count.saturating_add_signed(by);
}

/// Folders with those that they are in, each once: `Tech/Rust` is also in `Tech`.
fn with_those_around(folders: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    for folder in folders {
        let ends = folder.match_indices('/').map(|(at, _)| at).chain([folder.len()]);
        all.extend(ends.map(|end| folder[..end].to_owned()));
    }
    all.sort();
    all.dedup();
    all
}
