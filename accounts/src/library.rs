//! The entries of all feeds that any user reads, and what each user has read of them.
//!
//! The caller must load a feed ([`Library::load`]) before it adds a user who follows that feed, and report every entry that
//! comes or goes afterwards.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::index::Index;
use crate::reader::{Counts, Reader};
use crate::row::{Place, Row};
use crate::table::Table;
use crate::user::UserId;

/// The feeds that are read, and their readers.
#[derive(Debug, Default)]
pub struct Library {
    pub(crate) tables: FxHashMap<u32, Table>,
    pub(crate) index: Index,
    pub(crate) readers: FxHashMap<UserId, Reader>,
}

impl Library {
    /// Whether a feed is loaded.
    pub fn holds(&self, feed: u32) -> bool {
        self.tables.contains_key(&feed)
    }

    /// Loads feeds with all of their entries.
    pub fn load(&mut self, feeds: impl IntoIterator<Item = (u32, Vec<Row>)>) {
        let mut all = Vec::new();
        for (feed, rows) in feeds {
            if self.holds(feed) {
                continue;
            }
            let mut table = Table::default();
            table.extend(&rows);
            all.extend(rows.iter().map(|row| (row.number, feed)));
            self.tables.insert(feed, table);
        }
        self.index.extend(all);
    }

    /// Entries come into a feed.
    pub fn add(&mut self, feed: u32, rows: &[Row]) {
        let Some(table) = self.tables.get_mut(&feed) else { return };
        table.extend(rows);
        for row in rows {
            let others = self.index.feeds(row.number);
            self.index.insert(row.number, feed);
            let unread = self.readers.values_mut().filter(|reader| !reader.has_read(row.number));
            unread.for_each(|reader| reader.count_entry(feed, &others, 1));
        }
    }

    /// The entries of a feed below a number go.
    pub fn remove_below(&mut self, feed: u32, sequence: u64) {
        let Some(table) = self.tables.get_mut(&feed) else { return };
        for number in table.remove_below(sequence) {
            self.index.remove(number, feed);
            let others = self.index.feeds(number);
            let unread = self.readers.values_mut().filter(|reader| !reader.has_read(number));
            unread.for_each(|reader| reader.count_entry(feed, &others, -1));
        }
    }

    /// A feed goes as a whole.
    pub fn forget(&mut self, feed: u32) {
        self.remove_below(feed, u64::MAX);
        self.tables.remove(&feed);
    }

    /// Somebody begins to read.
    pub fn enter(&mut self, user: UserId, mut reader: Reader) {
        reader.count(&mut self.index);
        self.readers.insert(user, reader);
    }

    /// Somebody reads no more. Feeds that nobody reads are not held any longer.
    pub fn leave(&mut self, user: UserId) {
        if self.readers.remove(&user).is_none() {
            return;
        }
        let readers = &self.readers;
        let unread = |feed: u32| !readers.values().any(|reader| reader.follows(feed));
        self.tables.retain(|feed, _| !unread(*feed));
        let tables = &self.tables;
        self.index.remove_feeds(|feed| !tables.contains_key(&feed));
    }

    /// Whoever reads.
    pub fn reader(&self, user: UserId) -> Option<&Reader> {
        self.readers.get(&user)
    }

    /// Those who read.
    pub fn users(&self) -> Vec<UserId> {
        self.readers.keys().copied().collect()
    }

    /// A reader follows these feeds in these folders from now on, and no others.
    pub fn set_follows(
        &mut self,
        user: UserId,
        follows: impl IntoIterator<Item = (u32, Vec<String>)>,
    ) {
        if let Some(reader) = self.readers.get_mut(&user) {
            reader.set_follows(follows);
            reader.count(&mut self.index);
        }
    }

    /// A reader has read an item, or wants to read it again. Says whether that changes anything.
    pub fn set_read(&mut self, user: UserId, number: u64, read: bool) -> bool {
        let Some(reader) = self.readers.get_mut(&user) else { return false };
        let changed = if read { reader.read.insert(number) } else { reader.read.remove(&number) };
        if changed {
            let by = if read { -1 } else { 1 };
            reader.count_item(&self.index.feeds(number), by);
        }
        changed
    }

    /// A reader stars an item, of which the date and when it arrived are told, or takes the star away. Says whether
    /// that changes anything.
    pub fn set_starred(&mut self, user: UserId, number: u64, star: Option<(f64, f64)>) -> bool {
        let Some(reader) = self.readers.get_mut(&user) else { return false };
        match star {
            Some((dated, arrived)) => {
                reader.starred.insert(number, (Place::new(number, dated), arrived)).is_none()
            }
            None => reader.starred.remove(&number).is_some(),
        }
    }

    /// The feeds that hold an item and that a reader follows, lowest first.
    pub fn feeds_of(&self, user: UserId, number: u64) -> Vec<u32> {
        let Some(reader) = self.readers.get(&user) else { return Vec::new() };
        let mut feeds = self.index.feeds(number);
        feeds.retain(|feed| reader.follows(*feed));
        feeds
    }

    /// How much a reader has not read.
    pub fn counts(&self, user: UserId) -> Counts {
        let Some(reader) = self.readers.get(&user) else { return Counts::default() };
        let newest = |feed: &u32| self.tables.get(feed).and_then(Table::newest);
        let mut newest_in: Vec<Option<f64>> = vec![None; reader.folders.len()];
        let mut feeds = BTreeMap::new();
        for (feed, folders) in &reader.follows {
            let newest = newest(feed);
            feeds.insert(*feed, (reader.unread(*feed), newest));
            for folder in folders {
                let known = &mut newest_in[*folder as usize];
                *known = [*known, newest].into_iter().flatten().reduce(f64::max);
            }
        }
        let folders = reader.folders.iter().cloned().zip(newest_in).enumerate();
        let folders = folders
            .map(|(place, (name, newest))| (name, (reader.unread_in(place), newest)))
            .collect();
        Counts { feeds, folders, all: reader.unread_at_all() }
    }

    /// How many entries are held.
    pub fn entries(&self) -> usize {
        self.tables.values().map(|table| table.rows().len()).sum()
    }

    /// Bytes of memory for entries.
    pub fn bytes(&self) -> usize {
        self.tables.values().map(Table::bytes).sum::<usize>() + self.index.bytes()
    }
}

#[cfg(test)]
mod tests;
