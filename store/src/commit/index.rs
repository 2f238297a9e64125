//! The part of a commit that belongs to the search index.

use pergola_manners::source::SourceId;

use super::set;
use crate::engine::{Batch, Table};
use crate::records::Manifest;
use crate::rows::keys::{MANIFEST, chunk_key, segment_key};

/// Changes to the search index.
#[derive(Debug, Default)]
pub(crate) struct IndexPart {
    pub(super) rows: Batch,
}

impl IndexPart {
    /// What the index consists of from now on.
    pub(crate) fn put_manifest(&mut self, manifest: &Manifest) {
        set(&mut self.rows, Table::Index, MANIFEST, Some(manifest));
    }

    /// A row of a segment.
    pub(crate) fn put_row(&mut self, segment: u32, key: &[u8], value: Vec<u8>) {
        self.rows.put_sealed(Table::Index, segment_key(segment, key), value);
    }

    /// Deletes a row of a segment that the index no longer consists of.
    pub(crate) fn delete_row(&mut self, key: &[u8]) {
        self.rows.delete(Table::Index, key);
    }

    /// A chunk waits to be indexed; it holds so many items.
    pub(crate) fn put_arrival(&mut self, source: SourceId, chunk: u32, items: u32) {
        set(&mut self.rows, Table::Arrival, chunk_key(source, chunk), Some(&items));
    }

    /// A chunk does not wait any more.
    pub(crate) fn delete_arrival(&mut self, key: &[u8]) {
        self.rows.delete(Table::Arrival, key);
    }

    /// The bytes of all changes.
    pub(crate) fn bytes(&self) -> u64 {
        self.rows.bytes()
    }
}
