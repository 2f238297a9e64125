//! A part of a stream of items, in the order of their dates.
//!
//! An item that several feeds of a stream hold is shown once: as an entry of the lowest of them, so that it has one
//! place in the order. A page goes on where the one before has ended, whatever has come meanwhile.

use std::collections::BinaryHeap;
use std::fmt;
use std::str::FromStr;

use crate::library::Library;
use crate::reader::Reader;
use crate::row::{Packed, Place};
use crate::table::Table;
use crate::user::UserId;

/// Which items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Of all feeds that the reader follows.
    All,
    /// Of one of them.
    Feed(u32),
    /// Of those in a folder, and in folders inside it.
    Folder(String),
    /// Those that the reader has starred.
    Starred,
}

/// What a page is to show.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// Oldest first rather than newest first.
    pub oldest_first: bool,
    /// Only those that are read, or only those that are not.
    pub read: Option<bool>,
    /// Only those that are starred, or only those that are not.
    pub starred: Option<bool>,
    /// Only those that arrived at this instant or later.
    pub arrived_from: Option<f64>,
    /// Only those that arrived at this instant or earlier.
    pub arrived_to: Option<f64>,
    /// Only what comes after this place.
    pub after: Option<Cursor>,
    /// At most so many.
    pub limit: usize,
}

impl Wanted {
    /// Everything, newest first.
    pub fn newest(limit: usize) -> Self {
        Self {
            oldest_first: false,
            read: None,
            starred: None,
            arrived_from: None,
            arrived_to: None,
            after: None,
            limit,
        }
    }
}

/// A place in the order of dates, where the next page begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cursor(Place);

/// A text that is no place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no place in a stream: take it from the page before")]
pub struct BadCursor(String);

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}-{:x}", self.0.dated, self.0.number)
    }
}

impl FromStr for Cursor {
    type Err = BadCursor;

    fn from_str(text: &str) -> Result<Self, BadCursor> {
        let number = |digits| u64::from_str_radix(digits, 16).ok();
        let parts = text.split_once('-');
        let place = parts
            .and_then(|(dated, item)| Some(Place { dated: number(dated)?, number: number(item)? }));
        place.map(Self).ok_or_else(|| BadCursor(text.chars().take(100).collect()))
    }
}

/// An item of a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Listed {
    /// The number of the item.
    pub number: u64,
    /// A feed that holds it, and its number there; nothing of a starred item, which may be gone from all feeds.
    pub entry: Option<(u32, u64)>,
    /// The date by which it is sorted.
    pub dated: f64,
    /// When it arrived here.
    pub arrived: f64,
    pub read: bool,
    pub starred: bool,
}

/// A part of a stream.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    pub items: Vec<Listed>,
    /// Where the next page begins, if there is more.
    pub next: Option<Cursor>,
}

impl Library {
    /// A page of a reader's stream; an empty one if it does not read, or the stream is not one of its own.
    pub fn page(&self, user: UserId, scope: &Scope, wanted: &Wanted) -> Page {
        let Some(reader) = self.readers.get(&user) else { return Page::default() };
        let mut items = match scope {
            Scope::Starred => starred(reader, wanted),
            _ => self.entries_of(reader, scope, wanted),
        };
        let more = items.len() > wanted.limit;
        items.truncate(wanted.limit);
        let last = items.last().filter(|_| more);
        let next = last.map(|item| Cursor(Place::new(item.number, item.dated)));
        Page { items, next }
    }

    /// Whether an item is in a reader's stream. Everything has what is followed and what is starred.
    pub fn has(&self, user: UserId, scope: &Scope, number: u64) -> bool {
        let Some(reader) = self.readers.get(&user) else { return false };
        let folder = match scope {
            Scope::Starred => return reader.has_starred(number),
            Scope::All if reader.has_starred(number) => return true,
            Scope::Folder(name) => reader.folder(name),
            Scope::All | Scope::Feed(_) => None,
        };
        let is_one = |feed: &u32| match (scope, reader.follows.get(feed)) {
            (_, None) => false,
            (Scope::Feed(one), _) => one == feed,
            (Scope::Folder(_), Some(own)) => folder.is_some_and(|folder| own.contains(&folder)),
            _ => true,
        };
        self.index.feeds(number).iter().any(is_one)
    }

    /// The items of a stream that arrived up to an instant and are not read.
    pub fn unread_until(&self, user: UserId, scope: &Scope, until: f64) -> Vec<u64> {
        let Some(reader) = self.readers.get(&user) else { return Vec::new() };
        let is_due = |number: u64, arrived: f64| arrived <= until && !reader.has_read(number);
        let mut numbers: Vec<u64> = match scope {
            Scope::Starred => {
                let starred = reader.starred.iter();
                let due = starred.filter(|(number, (_, arrived))| is_due(**number, *arrived));
                due.map(|(number, _)| *number).collect()
            }
            _ => {
                let tables = feeds(reader, scope).filter_map(|feed| self.tables.get(&feed));
                let rows = tables.flat_map(Table::rows);
                rows.filter(|row| is_due(row.number, row.arrived())).map(|row| row.number).collect()
            }
        };
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// One item more than the page shows, if there is one.
    fn entries_of(&self, reader: &Reader, scope: &Scope, wanted: &Wanted) -> Vec<Listed> {
        let unread_only = wanted.read == Some(false);
        let folder = match scope {
            Scope::Folder(name) => reader.folder(name),
            _ => None,
        };
        let in_scope = |feed: &u32| match scope {
            Scope::Folder(_) => reader
                .follows
                .get(feed)
                .zip(folder)
                .is_some_and(|(own, folder)| own.contains(&folder)),
            _ => reader.follows(*feed),
        };
        let merges = !matches!(scope, Scope::Feed(_));
        let mut items = Vec::new();
        let heads = feeds(reader, scope)
            .filter(|feed| !unread_only || reader.unread(*feed) > 0)
            .filter_map(|feed| Head::first(feed, self.tables.get(&feed)?, wanted));
        let mut heads: BinaryHeap<Head<'_>> = heads.collect();
        while items.len() <= wanted.limit
            && let Some(mut head) = heads.peek_mut()
        {
            let (feed, table, row) = (head.feed, head.table, head.row());
            if is_wanted(reader, wanted, row.number, row.arrived())
                && (!merges
                    || self.index.feeds(row.number).into_iter().find(&in_scope) == Some(feed))
            {
                let whole = table.row(row);
                let (dated, arrived) = (whole.dated, whole.arrived);
                let entry = Some((feed, whole.sequence));
                items.push(listed(reader, row.number, entry, dated, arrived));
            }
            if !head.advance() {
                std::collections::binary_heap::PeekMut::pop(head);
            }
        }
        items
    }
}

/// The feeds of a stream.
fn feeds<'r>(reader: &'r Reader, scope: &'r Scope) -> impl Iterator<Item = u32> + 'r {
    let (folder, feed) = match scope {
        Scope::Folder(name) => (Some(reader.folder(name)), None),
        Scope::Feed(feed) => (None, Some(*feed)),
        Scope::All | Scope::Starred => (None, None),
    };
    let is_one = move |(own, folders): &(&u32, &Vec<u32>)| {
        feed.is_none_or(|feed| feed == **own)
            && folder.is_none_or(|folder| folder.is_some_and(|folder| folders.contains(&folder)))
    };
    reader.follows.iter().filter(is_one).map(|(feed, _)| *feed)
}

fn is_wanted(reader: &Reader, wanted: &Wanted, number: u64, arrived: f64) -> bool {
    wanted.arrived_from.is_none_or(|from| arrived >= from)
        && wanted.arrived_to.is_none_or(|to| arrived <= to)
        && wanted.read.is_none_or(|read| reader.has_read(number) == read)
        && wanted.starred.is_none_or(|starred| reader.has_starred(number) == starred)
}

fn listed(
    reader: &Reader,
    number: u64,
    entry: Option<(u32, u64)>,
    dated: f64,
    arrived: f64,
) -> Listed {
    let (read, starred) = (reader.has_read(number), reader.has_starred(number));
    Listed { number, entry, dated, arrived, read, starred }
}

/// Starred items, one more than the page shows, if there is one.
fn starred(reader: &Reader, wanted: &Wanted) -> Vec<Listed> {
    let after = |place: &Place| match (wanted.after, wanted.oldest_first) {
        (None, _) => true,
        (Some(Cursor(after)), true) => *place > after,
        (Some(Cursor(after)), false) => *place < after,
    };
    let mut all: Vec<(Place, f64)> = reader
        .starred
        .values()
        .copied()
        .filter(|(place, arrived)| {
            after(place) && is_wanted(reader, wanted, place.number, *arrived)
        })
        .collect();
    all.sort_unstable_by_key(|(place, _)| *place);
    if !wanted.oldest_first {
        all.reverse();
    }
    all.truncate(wanted.limit.saturating_add(1));
    let items = all.into_iter();
    items
        .map(|(place, arrived)| listed(reader, place.number, None, place.seconds(), arrived))
        .collect()
}

/// The next entry of a feed.
struct Head<'t> {
    feed: u32,
    table: &'t Table,
    /// The entries that are left, oldest first.
    left: &'t [Packed],
    oldest_first: bool,
}

impl<'t> Head<'t> {
    fn first(feed: u32, table: &'t Table, wanted: &Wanted) -> Option<Self> {
        let rows = table.rows();
        let left = match (wanted.after, wanted.oldest_first) {
            (None, _) => rows,
            (Some(Cursor(after)), false) => &rows[..table.position(after)],
            (Some(Cursor(after)), true) => {
                let from = table.position(after);
                &rows[from + usize::from(rows.get(from).is_some_and(|row| row.place() == after))..]
            }
        };
        let head = Self { feed, table, left, oldest_first: wanted.oldest_first };
        (!left.is_empty()).then_some(head)
    }

    fn row(&self) -> &'t Packed {
        match self.oldest_first {
            true => &self.left[0],
            false => &self.left[self.left.len() - 1],
        }
    }

    /// Goes on; says whether there is another entry.
    fn advance(&mut self) -> bool {
        self.left = match self.oldest_first {
            true => &self.left[1..],
            false => &self.left[..self.left.len() - 1],
        };
        !self.left.is_empty()
    }

    /// The larger of two comes first. No feed has two entries with one place, but two feeds may.
    fn rank(&self) -> (u64, u64, u32) {
        let Place { dated, number } = self.row().place();
        match self.oldest_first {
            true => (!dated, !number, !self.feed),
            false => (dated, number, !self.feed),
        }
    }
}

impl PartialEq for Head<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }
}

impl Eq for Head<'_> {}

impl PartialOrd for Head<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Head<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank().cmp(&other.rank())
    }
}
