//! The search index of all stored items.
//!
//! A chunk and a row that says that it *waits* are committed together. In the background, the items of waiting chunks
//! become a segment ([`Indexer`]); the rows of the segment are written first, and then one commit names the segment
//! in the *manifest* and removes the waiting rows. A search reads the segments of the manifest and the chunks that
//! still wait, so that every item is found as soon as it is stored.
//!
//! The index follows from the chunks. Whatever is wrong with it, a segment is dropped, and what it held is indexed
//! again: a chunk that neither is in a segment nor waits is found by comparing.
//!
//! Never: a search that fails because of the index; a segment in the manifest whose rows are not all there; rows of a
//! segment deleted while the manifest names it.

mod documents;
mod find;
mod indexer;
mod segments;
#[cfg(test)]
mod tests;
mod waiting;

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use pergola_manners::source::{ItemNumber, SourceId};

use super::{ALL, Archive, ArchiveError, or_again};
use crate::commit::Commit;
use crate::engine::{Order, Table};
use crate::records::Manifest;
use crate::rows::keys::{self, MANIFEST};

pub use find::{Find, Finding};
pub use indexer::Indexer;
pub use pergola_index::{Asked, AskedError, Cursor, NotACursor, Piece};

/// What searches share.
#[derive(Default)]
pub(super) struct Shared {
    waiting: waiting::Cache,
    /// Chunks were deleted since documents without one were last counted.
    stale: AtomicBool,
    /// As long as the manifest is whole, there are no rows of segments that it does not name.
    tidy: AtomicBool,
}

/// An item that was found, and where it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// The item.
    pub item: ItemNumber,
    /// The source that delivered it …
    pub source: SourceId,
    /// … the chunk …
    pub chunk: u32,
    /// … and its index there.
    pub index: u16,
    /// Its date, in seconds since 1970: what its publisher says, if that can be true, or when it was first seen.
    pub date: i64,
    /// When it was delivered, in seconds since 1970.
    pub arrived: i64,
}

/// How large the index is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IndexSize {
    /// Segments.
    pub segments: usize,
    /// Documents: an item counts once for each source and each version.
    pub documents: u64,
    /// Bytes of the rows.
    pub bytes: u64,
    /// Chunks that are not indexed yet.
    pub waiting: usize,
    /// Every chunk is indexed or known to wait.
    pub whole: bool,
}

impl Archive {
    /// How large the search index is.
    pub fn index_size(&self) -> Result<IndexSize, ArchiveError> {
        let manifest = self.manifest()?;
        let mut waiting = 0;
        self.store.scan(Table::Arrival, &[], None, Order::Ascending, &mut |_, _| {
            waiting += 1;
            ControlFlow::Continue(())
        })?;
        Ok(IndexSize {
            segments: manifest.segments.len(),
            documents: manifest.segments.iter().map(|segment| u64::from(segment.documents)).sum(),
            bytes: manifest.segments.iter().map(|segment| segment.bytes).sum(),
            waiting,
            whole: manifest.whole,
        })
    }

    /// Chunks were deleted: documents without one are counted when there is time.
    pub fn index_is_stale(&self) {
        self.index.stale.store(true, Relaxed);
    }

    /// What the index consists of: nothing, if that is damaged or there is none.
    fn manifest(&self) -> Result<Manifest, ArchiveError> {
        Ok(or_again(self.row(Table::Index, MANIFEST), || Ok(None))?.unwrap_or_default())
    }

    /// Takes damaged rows of the index away, with the segments they belong to. What these held is indexed again.
    /// Returns the numbers of these segments.
    pub(super) fn without_damaged_index(
        &self,
        commit: &mut Commit,
    ) -> Result<HashSet<u32>, ArchiveError> {
        let mut dropped = HashSet::new();
        if self.damage.is_empty() {
            return Ok(dropped);
        }
        let mut any = false;
        for (table, key) in self.damage.rows() {
            match table {
                Table::Index => {
                    dropped.extend(keys::segment_of(&key).map(|(segment, _)| segment));
                    commit.index().delete_row(&key);
                }
                Table::Arrival => commit.index().delete_arrival(&key),
                _ => continue,
            }
            any = true;
        }
        if any {
            let mut manifest = self.manifest()?;
            manifest.whole = false;
            manifest.segments.retain(|segment| !dropped.contains(&segment.number));
            manifest.next = manifest.next.max(self.next_segment()?);
            commit.index().put_manifest(&manifest);
        }
        Ok(dropped)
    }

    /// A number after those of all segments of which there are rows.
    fn next_segment(&self) -> Result<u32, ArchiveError> {
        let mut last = None;
        self.store.scan(Table::Index, ALL.0, ALL.1, Order::Descending, &mut |key, _| {
            last = keys::segment_of(key).map(|(segment, _)| segment);
            ControlFlow::Break(())
        })?;
        Ok(last.map_or(0, |last| last.saturating_add(1)))
    }
}
