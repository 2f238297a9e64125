//! Those who read just now: the entries of what they follow, and what they have read, in memory.
//!
//! Loaded when a user first asks, kept up to date as entries come and go, and let go of when the user is away.

use std::collections::{BTreeMap, HashMap, HashSet};

use pergola_accounts::{Library, Listed, Reader, UserId};
use pergola_manners::source::ItemNumber;

use crate::archive::{Archive, ArchiveError, Published};
use crate::records::{Entry, FeedId};

/// Seconds after which a user counts as away.
const AWAY: f64 = 2.0 * 3600.0;

/// Those who read just now.
#[derive(Default)]
pub struct Reading {
    /// What they know.
    pub library: Library,
    /// The number after the last entry that is known, of each feed that is loaded.
    next: HashMap<FeedId, u64>,
    /// When each user last asked, and in which state it was then what people follow.
    seen: HashMap<UserId, (f64, [u64; 3])>,
}

/// What has changed in feeds and is not yet known in [`Reading`].
#[derive(Debug, Default)]
pub struct News {
    came: HashSet<FeedId>,
    /// The first entry that stays.
    gone: HashMap<FeedId, u64>,
    all: bool,
}

impl News {
    /// Entries have come into a feed, and are durable.
    pub fn entries_came(&mut self, feed: FeedId) {
        self.came.insert(feed);
    }

    /// The entries of a feed below a number are gone.
    pub fn entries_gone(&mut self, feed: FeedId, below: u64) {
        let known = self.gone.entry(feed).or_default();
        *known = below.max(*known);
    }

    /// Items have other numbers from now on.
    pub fn items_renumbered(&mut self) {
        self.all = true;
    }
}

impl Reading {
    /// Takes notice of entries that have come or gone. If the store cannot be read, everything is loaded anew later.
    pub fn hear(&mut self, archive: &Archive, news: News) -> Result<(), ArchiveError> {
        if news.all {
            *self = Self::default();
            return Ok(());
        }
        for (feed, below) in news.gone {
            self.library.remove_below(feed.0, below);
        }
        for feed in news.came {
            let Some(next) = self.next.get_mut(&feed) else { continue };
            let rows = match archive.rows_of(feed, *next) {
                Ok(rows) => rows,
                Err(error) => {
                    *self = Self::default();
                    return Err(error);
                }
            };
            *next = rows.iter().map(|row| row.sequence + 1).max().unwrap_or(*next);
            self.library.add(feed.0, &rows);
        }
        Ok(())
    }

    /// Lets a user read who asks now. `follows` says what it follows, in which folders; it is asked if the user was
    /// away, or if `state`, the state of what people follow, is another one than before.
    pub fn enter(
        &mut self,
        archive: &Archive,
        user: UserId,
        (now, state): (f64, [u64; 3]),
        follows: impl FnOnce() -> Result<Vec<(FeedId, Vec<String>)>, ArchiveError>,
    ) -> Result<(), ArchiveError> {
        if self.seen.get(&user).is_none_or(|(_, known)| *known != state) {
            self.load(archive, user, follows()?)?;
        }
        self.seen.insert(user, (now, state));
        Ok(())
    }

    fn load(
        &mut self,
        archive: &Archive,
        user: UserId,
        follows: Vec<(FeedId, Vec<String>)>,
    ) -> Result<(), ArchiveError> {
        let mut tables = Vec::new();
        for (feed, _) in follows.iter().filter(|(feed, _)| !self.library.holds(feed.0)) {
            let rows = archive.rows_of(*feed, 0)?;
            let next = rows.iter().map(|row| row.sequence + 1).max().unwrap_or(0);
            tables.push((*feed, next, rows));
        }
        let news: Vec<_> = tables.iter().map(|(feed, next, _)| (*feed, *next)).collect();
        self.library.load(tables.into_iter().map(|(feed, _, rows)| (feed.0, rows)));
        self.next.extend(news);
        let follows = follows.into_iter().map(|(feed, folders)| (feed.0, folders));
        if self.library.reader(user).is_some() {
            self.library.set_follows(user, follows);
            return Ok(());
        }
        let (read, starred) = (archive.read_by(user)?, archive.starred_by(user)?);
        self.library.enter(user, Reader::new(follows, read, starred));
        Ok(())
    }

    /// A user reads no more.
    pub fn leave(&mut self, user: UserId) {
        self.seen.remove(&user);
        self.library.leave(user);
        let library = &self.library;
        self.next.retain(|feed, _| library.holds(feed.0));
    }

    /// Forgets those who have not read for a while.
    pub fn let_go(&mut self, now: f64) {
        let away = self.seen.iter().filter(|(_, (seen, _))| now - seen > AWAY);
        let away: Vec<UserId> = away.map(|(user, _)| *user).collect();
        away.into_iter().for_each(|user| self.leave(user));
    }

    /// Whether a user follows a feed that holds an item, or has starred it.
    pub fn sees(&self, user: UserId, item: ItemNumber) -> bool {
        let starred = self.library.reader(user).is_some_and(|reader| reader.has_starred(item.0));
        starred || !self.library.feeds_of(user, item.0).is_empty()
    }

    /// What is known of an item that is only named by its number.
    pub fn listed(&self, user: UserId, item: ItemNumber) -> Listed {
        let reader = self.library.reader(user);
        let read = reader.is_some_and(|reader| reader.has_read(item.0));
        let starred = reader.is_some_and(|reader| reader.has_starred(item.0));
        Listed { number: item.0, entry: None, dated: 0.0, arrived: 0.0, read, starred }
    }

    /// Items of a page, each with the feed that shows it to a user.
    pub fn held(&self, user: UserId, items: Vec<Listed>) -> Vec<Held> {
        let held = |item: Listed| {
            let feed = item.entry.map(|(feed, _)| feed);
            let feed = feed.or_else(|| self.library.feeds_of(user, item.number).first().copied());
            Held { item, feed: feed.map(FeedId) }
        };
        items.into_iter().map(held).collect()
    }
}

/// An item of a page, and a feed that shows it, if any still does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Held {
    pub item: Listed,
    pub feed: Option<FeedId>,
}

/// The contents of items, in order, each with the feed that holds it; or that held it, of a starred item that all feeds
/// have let go of. Items that are damaged or gone are left out.
pub fn contents(
    archive: &Archive,
    items: Vec<Held>,
) -> Result<Vec<(Listed, FeedId, Published)>, ArchiveError> {
    let mut places = Vec::with_capacity(items.len());
    let mut entries: BTreeMap<FeedId, Vec<(u64, Entry)>> = BTreeMap::new();
    let mut found: HashMap<(FeedId, u64), Published> = HashMap::new();
    for Held { item, feed } in items {
        let held = match feed {
            Some(feed) => entry_of(archive, feed, &item)?.map(|entry| (feed, entry)),
            None => None,
        };
        if let Some((feed, entry)) = held {
            places.push((item, feed, entry.0));
            entries.entry(feed).or_default().push(entry);
        } else if let Some(copy) =
            archive.starred(ItemNumber(item.number))?.filter(|_| item.starred)
        {
            let (feed, sequence) = (copy.feed, copy.sequence);
            places.push((item, feed, sequence));
            found.insert(
                (feed, sequence),
                Published { sequence, entry: copy.entry, item: copy.item },
            );
        }
    }
    for (feed, entries) in entries {
        let items = archive.with_items(entries)?.into_iter();
        found.extend(items.map(|published| ((feed, published.sequence), published)));
    }
    let contents = places.into_iter().filter_map(|(item, feed, sequence)| {
        let published = found.get(&(feed, sequence)).cloned()?;
        Some((item, feed, published))
    });
    Ok(contents.collect())
}

/// The entry of an item in a feed, with its number.
fn entry_of(
    archive: &Archive,
    feed: FeedId,
    item: &Listed,
) -> Result<Option<(u64, Entry)>, ArchiveError> {
    let sequence = match item.entry {
        Some((_, sequence)) => Some(sequence),
        None => archive.member_with(feed, ItemNumber(item.number))?.map(|(_, sequence)| sequence),
    };
    let Some(sequence) = sequence else { return Ok(None) };
    match archive.entry(feed, sequence) {
        Ok(entry) => Ok(entry.map(|entry| (sequence, entry))),
        Err(ArchiveError::Damaged { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
