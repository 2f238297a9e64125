//! Mending what is damaged, as far as the store itself and the sources allow.
//!
//! | what is damaged | how it is mended |
//! |---|---|
//! | how far a feed has come, which items it holds, one of its entries | made again from the feed's other rows |
//! | which items a feed held until they expired | written again: the key of such a row says all |
//! | what was seen of a source's items | made again from the items that are stored |
//! | the state of a source, its model | the source starts anew, with what is known of its items |
//! | what is soon learnt again: profiles, counts, links to peers and hubs | deleted |
//! | the search index | the part that is damaged is dropped, and made again in the background |
//! | items | marked, so that they are stored again when the source, its archive or a peer shows them |
//!
//! The rest (a source or a feed as it was asked for, who may read it, everything of users) comes from a backup only:
//! `repair`.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;

use pergola_manners::link::Link;
use pergola_manners::source::{ItemKey, Known, KnownItem, LOST, NOT_KEPT, SourceId};

use super::{ALL, Archive, ArchiveError, Commit, or_again};
use crate::engine::{Batch, Order, Table};
use crate::records::{Entry, FeedId};
use crate::rows::keys::{self, RowKey};
use crate::rows::{Stored, encode};

/// Items of a source that are damaged here and may be had again.
#[derive(Debug, Clone, PartialEq)]
pub struct Lost {
    /// The source.
    pub source: SourceId,
    /// Its damaged chunks.
    pub chunks: Vec<u32>,
    /// The entries that refer to them.
    pub entries: Vec<Entry>,
}

impl Archive {
    /// Writes damaged rows again that follow from others, and deletes those that are soon learnt again. Nobody else
    /// may commit meanwhile. Returns how many rows were mended.
    pub fn mend(&self) -> Result<usize, ArchiveError> {
        Ok(self.derive()? + self.forget_learnt()? + self.forget_index()?)
    }

    /// Writes damaged rows again that follow from others.
    pub(super) fn derive(&self) -> Result<usize, ArchiveError> {
        let mut batch = Batch::default();
        let mut entries: BTreeMap<FeedId, HashSet<u64>> = BTreeMap::new();
        for (table, key) in self.damage.rows() {
            match (table, &key[..]) {
                (Table::Feed, [1, feed @ ..]) => {
                    let tally = self.tally_again(FeedId::from_key(feed))?;
                    put(&mut batch, table, key, &tally);
                }
                (Table::Member, [_, _, _, _, item @ ..]) => {
                    let item = item.first_chunk().map_or(0, |item| u128::from_be_bytes(*item));
                    match self.member_again(FeedId::from_key(&key), ItemKey(item))? {
                        Some(sequence) => put(&mut batch, table, key, &sequence),
                        None => batch.delete(table, key),
                    }
                }
                (Table::Entry, _) => {
                    let feed = entries.entry(FeedId::from_key(&key)).or_default();
                    feed.insert(keys::sequence_of(&key));
                }
                // Its key says all.
                (Table::Expired, _) => batch.put_sealed(table, key, Vec::new()),
                _ => {}
            }
        }
        self.entries_again(&entries, &mut batch)?;
        self.write(&batch)
    }

    /// Makes entries from the numbers of their items and what is known of these.
    fn entries_again(
        &self,
        damaged: &BTreeMap<FeedId, HashSet<u64>>,
        batch: &mut Batch,
    ) -> Result<(), ArchiveError> {
        let mut wanted: HashMap<ItemKey, Vec<(FeedId, u64)>> = HashMap::new();
        for (feed, numbers) in damaged {
            let range = (feed.to_key(), FeedId(feed.0.saturating_add(1)).to_key());
            let range = (&range.0[..], Some(&range.1[..]));
            self.visit(Table::Member, range, Order::Ascending, |key, sequence: u64| {
                if numbers.contains(&sequence) {
                    wanted.entry(keys::member_of(key)).or_default().push((*feed, sequence));
                }
                ControlFlow::Continue(())
            })?;
        }
        if wanted.is_empty() {
            return Ok(());
        }
        self.visit(Table::Known, ALL, Order::Ascending, |key, known: Known| {
            let source = SourceId::from_key(key);
            for item in known.items.iter().filter(|item| item.chunk != NOT_KEPT) {
                for (feed, sequence) in wanted.remove(&item.key).unwrap_or_default() {
                    let KnownItem { key, chunk, index, first_seen: at, .. } = *item;
                    let entry = Entry { key, source, chunk, index, at, changed_at: at, dated: at };
                    put(batch, Table::Entry, keys::entry_key(feed, sequence).to_vec(), &entry);
                }
            }
            ControlFlow::Continue(())
        })
    }

    /// Deletes damaged rows that are soon learnt again.
    pub(super) fn forget_learnt(&self) -> Result<usize, ArchiveError> {
        let mut batch = Batch::default();
        for (table, key) in self.damage.rows() {
            let learnt = match table {
                Table::State
                | Table::Model
                | Table::History
                | Table::Selectivity
                | Table::Host
                | Table::Edit
                | Table::Push
                | Table::Loop
                | Table::Profile => true,
                Table::Peer => key.first() == Some(&0),
                _ => false,
            };
            match table {
                // A source without a state is not crawled.
                Table::State => {
                    let id = SourceId::from_key(&key);
                    let anew = self.state_alone(id)?.filter(|_| self.has_source(id));
                    match anew {
                        Some(state) => put(&mut batch, table, key, &state),
                        None => batch.delete(table, key),
                    }
                }
                _ if learnt => batch.delete(table, key),
                _ => {}
            }
        }
        self.write(&batch)
    }

    /// Drops what is damaged of the search index: it is made again.
    pub(super) fn forget_index(&self) -> Result<usize, ArchiveError> {
        let mut commit = Commit::new();
        let before = self.damage.rows().len();
        self.without_damaged_index(&mut commit)?;
        if commit.is_empty() {
            return Ok(0);
        }
        self.commit(commit)?;
        Ok(before.saturating_sub(self.damage.rows().len()))
    }

    /// Items that are damaged here, by source; also the sources of which only what was seen is damaged. Reads all
    /// entries.
    pub fn lost(&self) -> Result<Vec<Lost>, ArchiveError> {
        let mut lost: BTreeMap<SourceId, Lost> = BTreeMap::new();
        let new = |source| Lost { source, chunks: Vec::new(), entries: Vec::new() };
        for (table, key) in self.damage.rows() {
            let source = SourceId::from_key(&key);
            match table {
                Table::Known => drop(lost.entry(source).or_insert_with(|| new(source))),
                Table::Chunk => {
                    let of = lost.entry(source).or_insert_with(|| new(source));
                    of.chunks.push(keys::chunk_of(&key).1);
                }
                _ => {}
            }
        }
        if lost.values().any(|lost| !lost.chunks.is_empty()) {
            self.visit(Table::Entry, ALL, Order::Ascending, |_, entry: Entry| {
                if let Some(of) =
                    lost.get_mut(&entry.source).filter(|of| of.chunks.contains(&entry.chunk))
                {
                    of.entries.push(entry);
                }
                ControlFlow::Continue(())
            })?;
        }
        Ok(lost.into_values().collect())
    }

    /// Marks the lost items of a source, so that its next refresh brings them back: it asks for the whole document,
    /// looks through the archives, and reads a peer from its oldest entry on. Returns how the peer is read then, if
    /// there is one. No refresh of the source may be under way.
    pub fn seek(&self, lost: &Lost, now: f64) -> Result<Option<Link>, ArchiveError> {
        let id = lost.source;
        let mut known = self.known(id)?.unwrap_or_default();
        let mut commit = Commit::new();
        if !lost.chunks.is_empty() {
            mark(&mut known, lost, now);
        }
        let part = commit.source(id);
        part.put_known(&known);
        let mut found = None;
        if self.has_source(id) && !lost.chunks.is_empty() {
            if let Some(mut state) = self.state_alone(id)? {
                state.courtesy.validators = Default::default();
                state.document = 0;
                part.put_state(&state);
            }
            let link: Option<Link> =
                or_again(self.row(Table::Peer, &keys::link_key(id)), || Ok(None))?;
            if let Some(mut link) = link.filter(|link| !link.cursor.is_empty()) {
                link.cursor.clear();
                (link.sequence, link.from_oldest) = (None, true);
                part.put_link(&link);
                found = Some(link);
            }
        }
        self.commit(commit)?;
        Ok(found)
    }

    /// Deletes what is still damaged, with the entries that nothing can be shown of.
    pub(super) fn give_up(&self) -> Result<usize, ArchiveError> {
        let rows = self.damage.rows();
        let number = rows.len();
        let mut batch = Batch::default();
        let chunks: HashSet<(SourceId, u32)> = rows
            .iter()
            .filter(|(table, _)| *table == Table::Chunk)
            .map(|(_, key)| keys::chunk_of(key))
            .collect();
        let entries: HashSet<&[u8]> = rows
            .iter()
            .filter(|(table, _)| *table == Table::Entry)
            .map(|(_, key)| &key[..])
            .collect();
        if !chunks.is_empty() {
            self.visit(Table::Entry, ALL, Order::Ascending, |key, entry: Entry| {
                if chunks.contains(&(entry.source, entry.chunk)) {
                    batch.delete(Table::Entry, key);
                    batch.delete(Table::Member, keys::member_key(FeedId::from_key(key), entry.key));
                }
                ControlFlow::Continue(())
            })?;
        }
        if !entries.is_empty() {
            self.visit(Table::Member, ALL, Order::Ascending, |key, sequence: u64| {
                if entries.contains(&keys::entry_key(FeedId::from_key(key), sequence)[..]) {
                    batch.delete(Table::Member, key);
                }
                ControlFlow::Continue(())
            })?;
        }
        rows.into_iter().for_each(|(table, key)| batch.delete(table, key));
        self.write(&batch)?;
        Ok(number)
    }

    /// Writes rows past [`Commit`]; returns how many.
    pub(super) fn write(&self, batch: &Batch) -> Result<usize, ArchiveError> {
        if !batch.is_empty() {
            self.store.commit(batch)?;
            self.damage.forget_all(batch);
        }
        Ok(batch.len())
    }

    fn has_source(&self, id: SourceId) -> bool {
        matches!(self.source(id), Ok(Some(_)))
    }
}

/// Marks the items of lost chunks; those that were forgotten already are known again.
fn mark(known: &mut Known, lost: &Lost, now: f64) {
    let is_lost = |item: &&mut KnownItem| lost.chunks.contains(&item.chunk);
    known.items.iter_mut().filter(is_lost).for_each(|item| item.digest = LOST);
    let mut there: HashSet<ItemKey> = known.items.iter().map(|item| item.key).collect();
    for entry in lost.entries.iter().filter(|entry| there.insert(entry.key)) {
        let Entry { key, chunk, index, at, .. } = *entry;
        known.items.push(KnownItem {
            key,
            digest: LOST,
            chunk,
            index,
            first_seen: at,
            seen_at: now,
        });
    }
}

fn put<T: Stored>(batch: &mut Batch, table: Table, key: Vec<u8>, value: &T) {
    batch.put_sealed(table, key, encode(value));
}
