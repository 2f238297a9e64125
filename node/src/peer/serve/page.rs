//! One page of a feed: the entries after a cursor, then what was edited before it.
//!
//! How far the feed has come is read first, and nothing beyond it is told: whatever is committed meanwhile
//! is found by the next page. A page ends where its limits are reached and its cursor stands exactly there.
//!
//! Entries that are damaged, or whose items are, are passed over and counted: numbers have no gaps, so what is missing
//! between two of them was damaged or deleted meanwhile.

mod lately;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;

use bytes::Bytes;
use pergola_feed::Item;
use pergola_proto::v1;
use pergola_store::Order;
use pergola_store::archive::{Archive, ArchiveError, Edit, Entry, SourceId};
use prost::Message;

use super::head::last_before;
use super::recent::Recent;
use crate::peer::cursor::Cursor;
use crate::publish::{Imprint, Listing, Publisher};
use lately::{Lately, Made};
use pergola_peers::wire::{Delivered, ENTRY_BYTES, append_entry, entry_to_wire};

/// The part of an answer that is left for what is said around the entries.
const AROUND: usize = 16;
/// Edits read in one go.
const EDITS: usize = 1_000;

/// What somebody wants to know.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Asked {
    /// How far it has come; nothing at a first refresh.
    pub(super) cursor: Option<Cursor>,
    /// Entries at most.
    pub(super) limit: usize,
    /// Only the newest, if not 0.
    pub(super) newest: u32,
    /// Bytes of the answer, unless a single entry is larger.
    pub(super) bytes: usize,
}

/// What it is told.
#[derive(Debug)]
pub(super) struct Page {
    /// Encoded, shared by all answers.
    pub(super) entries: Bytes,
    /// How many entries these are.
    pub(super) count: usize,
    pub(super) cursor: Cursor,
    pub(super) more: bool,
    pub(super) expired: u64,
    pub(super) skipped: u64,
    /// Entries that are not in it because they cannot be read.
    pub(super) damaged: u64,
    pub(super) restarted: bool,
}

/// Reads pages. Everything here blocks.
pub(super) struct Pager {
    archive: Archive,
    imprint: Imprint,
    node: u32,
    recent: Recent,
    lately: Lately,
}

impl Pager {
    pub(super) fn new(archive: Archive, imprint: Imprint) -> Self {
        let node = Cursor::of_node(&imprint.node);
        let (recent, lately) = Default::default();
        Self { archive, node, imprint, recent, lately }
    }

    /// What cursors of this node say of it.
    pub(super) fn node(&self) -> u32 {
        self.node
    }

    /// The number of the first entry that somebody with this cursor has not seen.
    pub(super) fn place(
        &self,
        feed: &Listing,
        cursor: Option<&Cursor>,
    ) -> Result<u64, ArchiveError> {
        match cursor {
            None => Ok(feed.tally.next),
            Some(cursor) if self.fits(feed, cursor)? => Ok(cursor.next),
            Some(_) => self.oldest(feed, 0),
        }
    }

    /// One page.
    pub(super) fn page(&self, feed: &Listing, asked: &Asked) -> Result<Arc<Page>, ArchiveError> {
        let made = Made {
            feed: feed.id,
            asked: asked.clone(),
            next: feed.tally.next,
            edition: feed.tally.edition,
            oldest: self.oldest(feed, 0)?,
        };
        if let Some(page) = self.lately.page(&made) {
            return Ok(page);
        }
        let page = Arc::new(self.attempt(feed, asked)?);
        self.lately.keep(made, &page);
        Ok(page)
    }

    fn attempt(&self, feed: &Listing, asked: &Asked) -> Result<Page, ArchiveError> {
        let end = feed.tally.next;
        let mut page = self.begin(feed, asked)?;
        let mut sheet = Sheet::new(self, asked.limit, asked.bytes - asked.bytes / AROUND);
        let entries =
            self.archive.entries(feed.id, page.cursor.next, end, Order::Ascending, asked.limit)?;
        let all_read = entries.len() < asked.limit;
        let mut full = false;
        for (sequence, entry) in entries {
            match sheet.add(sequence, &entry, false)? {
                Added::NoRoom => {
                    full = true;
                    break;
                }
                added => {
                    page.damaged +=
                        sequence - page.cursor.next + u64::from(added == Added::Unreadable);
                    page.cursor.next = sequence + 1;
                }
            }
        }
        if all_read && !full {
            // What is left up to the end cannot be read.
            page.damaged += end - page.cursor.next;
            page.cursor.next = end;
        }
        self.archive.damage().pass(page.damaged);
        page.more = page.cursor.next < end;
        if !page.more && page.cursor.edits < Edit::end_of(feed.tally.edition) {
            let seen = asked.cursor.map_or(0, |cursor| cursor.next);
            page.more = self.add_edits(feed, seen, &mut page.cursor, &mut sheet)?;
        }
        page.cursor.last = last_before(&self.archive, feed.id, page.cursor.next)?;
        // A cached page takes no more memory than its bytes.
        sheet.entries.shrink_to_fit();
        (page.entries, page.count) = (sheet.entries.into(), sheet.count);
        Ok(page)
    }

    /// An empty page that stands where the first entry comes.
    fn begin(&self, feed: &Listing, asked: &Asked) -> Result<Page, ArchiveError> {
        let (end, edition) = (feed.tally.next, feed.tally.edition);
        let fitting = match asked.cursor {
            Some(cursor) if self.fits(feed, &cursor)? => Some(cursor),
            _ => None,
        };
        let from = fitting.map_or(0, |cursor| cursor.next);
        let oldest = self.oldest(feed, from)?;
        let newest = match (asked.cursor, asked.newest) {
            (None, 0) => feed.window as u64,
            (Some(_), 0) => u64::MAX,
            (_, newest) => u64::from(newest),
        };
        let first = oldest.max(end.saturating_sub(newest));
        let edits = fitting.map_or(Edit::end_of(edition), |cursor| cursor.edits);
        Ok(Page {
            entries: Bytes::new(),
            count: 0,
            cursor: Cursor { node: self.node, feed: feed.id, next: first, last: 0, edits },
            more: false,
            expired: if fitting.is_some() { oldest - from } else { 0 },
            skipped: if asked.cursor.is_some() { first - oldest } else { 0 },
            damaged: 0,
            restarted: asked.cursor.is_some() && fitting.is_none(),
        })
    }

    /// Whether a cursor belongs to the feed as it is now.
    fn fits(&self, feed: &Listing, cursor: &Cursor) -> Result<bool, ArchiveError> {
        let numbers = cursor.node == self.node
            && cursor.feed == feed.id
            && cursor.next <= feed.tally.next
            && cursor.edits.edition <= feed.tally.edition;
        if !numbers || cursor.last == 0 {
            return Ok(numbers);
        }
        let last = last_before(&self.archive, feed.id, cursor.next)?;
        // An entry that is gone proves nothing.
        Ok(last == 0 || last == cursor.last)
    }

    /// The number of the oldest entry kept, from a number on; the end of the feed if there is none.
    fn oldest(&self, feed: &Listing, from: u64) -> Result<u64, ArchiveError> {
        let end = feed.tally.next;
        let first = self.archive.entries(feed.id, from, end, Order::Ascending, 1)?;
        Ok(first.first().map_or(end, |(sequence, _)| *sequence))
    }

    /// Adds what was edited of the entries below a number; says whether there is more.
    fn add_edits(
        &self,
        feed: &Listing,
        below: u64,
        cursor: &mut Cursor,
        sheet: &mut Sheet<'_>,
    ) -> Result<bool, ArchiveError> {
        let mut told = HashSet::new();
        loop {
            let edits = self.archive.edits(feed.id, cursor.edits, feed.tally.edition, EDITS)?;
            if edits.is_empty() {
                cursor.edits = Edit::end_of(feed.tally.edition);
                return Ok(false);
            }
            for edit in edits {
                // What is not below came with what it says now.
                if edit.sequence < below
                    && !told.contains(&edit.sequence)
                    && let Ok(Some(entry)) = self.archive.entry(feed.id, edit.sequence)
                {
                    if sheet.add(edit.sequence, &entry, true)? == Added::NoRoom {
                        return Ok(true);
                    }
                    told.insert(edit.sequence);
                }
                cursor.edits = edit;
            }
        }
    }
}

/// What became of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Added {
    InPage,
    NoRoom,
    Unreadable,
}

/// A page being filled, within its limits.
struct Sheet<'a> {
    pager: &'a Pager,
    /// Encoded.
    entries: Vec<u8>,
    count: usize,
    limit: usize,
    most_bytes: usize,
    bytes: usize,
    publisher: Publisher<'a>,
    /// The chunk of the last entry: the next one is most likely in it, too.
    open: Option<(Place, Arc<Vec<Item>>)>,
}

/// A chunk of a source.
type Place = (SourceId, u32);

impl<'a> Sheet<'a> {
    fn new(pager: &'a Pager, limit: usize, most_bytes: usize) -> Self {
        let publisher = Publisher::new(&pager.archive, &pager.imprint);
        let (entries, count, bytes) = Default::default();
        Self { pager, entries, count, limit, most_bytes, bytes, publisher, open: None }
    }

    /// Adds an entry, if there is room for it.
    fn add(&mut self, sequence: u64, entry: &Entry, edited: bool) -> Result<Added, ArchiveError> {
        if self.count >= self.limit {
            return Ok(Added::NoRoom);
        }
        let Some(delivered) = self.delivered(sequence, entry, edited)? else {
            return Ok(Added::Unreadable);
        };
        let (message, length) = fitted(entry_to_wire(delivered));
        let bytes = length + 8;
        if self.count > 0 && self.bytes + bytes > self.most_bytes {
            return Ok(Added::NoRoom);
        }
        self.bytes += bytes;
        self.count += 1;
        append_entry(&mut self.entries, message);
        Ok(Added::InPage)
    }

    /// An entry with its item, as this node publishes it; nothing if the item is damaged or gone.
    fn delivered(
        &mut self,
        sequence: u64,
        entry: &Entry,
        edited: bool,
    ) -> Result<Option<Delivered>, ArchiveError> {
        let archive = &self.pager.archive;
        let place = (entry.source, entry.chunk);
        let items = match &self.open {
            Some((open, items)) if *open == place => Arc::clone(items),
            _ => {
                let items = match self.pager.recent.chunk(archive, entry.source, entry.chunk) {
                    Err(ArchiveError::Damaged { .. }) => Arc::default(),
                    read => read?,
                };
                self.open = Some((place, Arc::clone(&items)));
                items
            }
        };
        let Some(item) = items.get(usize::from(entry.index)).cloned() else { return Ok(None) };
        let item = self.publisher.publish(entry, item)?;
        Ok(Some(Delivered { sequence, published_at: entry.at, edited, cut: false, item }))
    }
}

/// An entry that is too large for any message goes without its texts, so that those after it get through.
/// With the bytes that it takes.
fn fitted(mut entry: v1::Entry) -> (v1::Entry, usize) {
    let length = entry.encoded_len();
    if length <= ENTRY_BYTES {
        return (entry, length);
    }
    entry.cut = true;
    if let Some(item) = &mut entry.item {
        (item.content, item.summary) = (None, None);
    }
    if entry.encoded_len() > ENTRY_BYTES {
        entry.item = entry.item.map(|item| {
            let v1::Item { id, hops, .. } = item;
            // The id may mean something within its feed only.
            let identity = item.origin.and_then(|origin| origin.identity);
            let origin = Some(v1::Origin { identity, ..v1::Origin::default() });
            v1::Item { id, hops, origin, ..v1::Item::default() }
        });
    }
    let length = entry.encoded_len();
    (entry, length)
}
