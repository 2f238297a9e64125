//! The part of a commit that belongs to one source.

use pergola_feed::Item;
use pergola_manners::Cooperation;
use pergola_manners::link::Link;
use pergola_manners::source::{Known, Loop, SourceId, SourceRecord, SourceState};
use pergola_refresh::Source;

use super::set;
use crate::engine::{Batch, Table, seal};
use crate::records::{Channel, ProfileRecord, Push, Removed};
use crate::rows::chunk::{Chunk, row_of};
use crate::rows::keys::{RowKey, chunk_key, link_key, removed_source_key, wish_key};
use crate::rows::{Nonsense, Stored};

/// Changes to the rows of one source.
#[derive(Debug)]
pub struct SourcePart {
    id: SourceId,
    pub(super) rows: Batch,
}

impl SourcePart {
    /// Nothing of this source changes yet.
    pub fn new(id: SourceId) -> Self {
        Self { id, rows: Batch::default() }
    }

    /// Which source.
    pub fn id(&self) -> SourceId {
        self.id
    }

    /// What was asked for.
    pub fn put_record(&mut self, record: &SourceRecord) {
        self.set(Table::Source, Some(record));
    }

    /// How the source is after a refresh. Its model has a row of its own.
    pub fn put_state(&mut self, state: &SourceState) {
        self.set(Table::State, Some(state));
    }

    /// What the scheduler believes about when the source publishes.
    pub fn put_model(&mut self, schedule: &Source) {
        self.set(Table::Model, Some(schedule));
    }

    /// What was seen of its items.
    pub fn put_known(&mut self, known: &Known) {
        self.set(Table::Known, Some(known));
    }

    /// Forgets what was seen of its items.
    pub fn delete_known(&mut self) {
        self.set::<Known>(Table::Known, None);
    }

    /// Items that the source delivered together. They wait to be indexed.
    pub fn put_chunk(&mut self, chunk: u32, at: f64, items: &[&Item]) {
        let (key, count) = (chunk_key(self.id, chunk), items.len() as u32);
        self.rows.put_sealed(Table::Chunk, key, row_of(at, items));
        set(&mut self.rows, Table::Arrival, key, Some(&count));
    }

    /// Deletes items that no feed refers to.
    pub fn delete_chunk(&mut self, chunk: u32) {
        self.rows.delete(Table::Chunk, chunk_key(self.id, chunk));
        self.rows.delete(Table::Arrival, chunk_key(self.id, chunk));
    }

    /// What is known of the peer that publishes the source.
    pub fn put_link(&mut self, link: &Link) {
        set(&mut self.rows, Table::Peer, link_key(self.id), Some(link));
    }

    /// What is asked of that peer; `None` for the usual.
    pub fn set_wish(&mut self, wish: Option<&Cooperation>) {
        set(&mut self.rows, Table::Peer, wish_key(self.id), wish);
    }

    /// The circle by which its items come back to this node, if they do.
    pub fn set_loop(&mut self, found: Option<&Loop>) {
        self.set(Table::Loop, found);
    }

    /// The hub that tells us of the source by the callback with this token; `None` if it does no longer.
    pub fn set_push(&mut self, token: &str, push: Option<&Push>) {
        debug_assert!(push.is_none_or(|push| push.source == self.id), "a row of another source");
        set(&mut self.rows, Table::Push, token.as_bytes(), push);
    }

    /// What the source is about; `None` if nothing is known any more.
    pub fn set_profile(&mut self, profile: Option<&ProfileRecord>) {
        let key = Channel::Source(self.id).to_key();
        set(&mut self.rows, Table::Profile, key, profile);
    }

    /// The source is crawled no longer, but can be restored: how it is, what was seen of its items and its
    /// chunks stay.
    pub fn remove(&mut self, removed: &Removed<SourceRecord>) {
        self.set::<SourceRecord>(Table::Source, None);
        self.set_loop(None);
        self.rows.delete(Table::Peer, link_key(self.id));
        set(&mut self.rows, Table::Removed, removed_source_key(self.id), Some(removed));
    }

    /// A source that was removed is crawled again.
    pub fn restore(&mut self, record: &SourceRecord) {
        self.put_record(record);
        self.rows.delete(Table::Removed, removed_source_key(self.id));
    }

    /// The source is crawled no longer and cannot be restored. Its chunks stay as long as a feed refers to
    /// them, and what was seen of its items stays until then.
    pub fn delete(&mut self) {
        self.rows.delete(Table::Removed, removed_source_key(self.id));
        for table in [Table::Source, Table::State, Table::Model, Table::Loop] {
            self.rows.delete(table, self.id.to_key());
        }
        self.rows.delete(Table::Peer, link_key(self.id));
        self.rows.delete(Table::Peer, wish_key(self.id));
    }

    fn set<T: Stored>(&mut self, table: Table, value: Option<&T>) {
        set(&mut self.rows, table, self.id.to_key(), value);
    }

    /// The items of a chunk, if this part stores it.
    pub(super) fn chunk(&self, chunk: u32) -> Result<Option<Vec<Item>>, Nonsense> {
        let wanted = chunk_key(self.id, chunk);
        let chunks = self.rows.iter().filter(|(table, ..)| *table == Table::Chunk);
        let row = chunks.filter(|(_, key, _)| *key == wanted).last().and_then(|(.., row)| row);
        row.map(|row| Chunk::of_row(seal::unchecked(row))?.items()).transpose()
    }
}
