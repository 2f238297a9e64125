//! Reading what a node stores, in the types that the rest of the program works with.
//!
//! Changes are collected in a [`Commit`] and made by one writer, so everything that a refresh brought (its
//! items, their identities, validators, the model, new entries of feeds) is stored together or not at all.
//! An item is stored once, in a *chunk* of its source; the entries of feeds refer to it.
//!
//! Never: a row written except through a [`Commit`]; an entry whose chunk is gone; two entries of one feed
//! with the same item key (the member rows prevent it).

mod feeds;
mod node;
mod removed;
mod sources;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::engine::{Order, Store, StoreError, Table};
use crate::rows::{Nonsense, Stored, decode};

pub use crate::commit::{Commit, FeedPart, NodePart, SourcePart};
pub use crate::records::{
    Channel, Edit, Entry, FeedId, FeedRecord, FeedTally, HostTally, HubTally, Lease, NodeRecord,
    OldIds, ProfileRecord, Push, Removed, Sample, Subscription, Suspect,
};
pub use feeds::Published;
pub use pergola_manners::source::{
    ItemKey, Known, KnownItem, Loop, NOT_KEPT, PastRefresh, SourceId, SourceKind, SourceRecord,
    SourceState, Tally, item_key, origin_of_item, unknown,
};

/// Why something stored could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A row that cannot be read.
    #[error("row of {table:?} cannot be read: {reason}; restore a backup if this persists")]
    Damaged {
        /// The table.
        table: Table,
        /// What is wrong with it.
        reason: String,
    },
}

/// What a node stores.
#[derive(Clone)]
pub struct Archive {
    store: Arc<dyn Store>,
}

impl Archive {
    /// Reads from a store and writes to it.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// The store underneath.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Makes all changes of a commit or none; they are on the disk when it returns.
    pub fn commit(&self, commit: Commit) -> Result<(), ArchiveError> {
        Ok(self.store.commit(&commit.into_batch())?)
    }

    fn row<T: Stored>(&self, table: Table, key: &[u8]) -> Result<Option<T>, ArchiveError> {
        let row = self.store.get(table, key)?;
        row.map(|bytes| decode(&bytes).map_err(damaged(table))).transpose()
    }

    /// Visits the rows of a range until the visitor breaks or a row cannot be read.
    fn visit<T: Stored>(
        &self,
        table: Table,
        (from, to): (&[u8], Option<&[u8]>),
        order: Order,
        mut visit: impl FnMut(&[u8], T) -> ControlFlow<()>,
    ) -> Result<(), ArchiveError> {
        let mut failed = None;
        self.store.scan(table, from, to, order, &mut |key, bytes| match decode(bytes) {
            Ok(row) => visit(key, row),
            Err(nonsense) => {
                failed = Some(damaged(table)(nonsense));
                ControlFlow::Break(())
            }
        })?;
        failed.map_or(Ok(()), Err)
    }

    /// All rows of a range, in order of their keys.
    fn rows<K, T: Stored>(
        &self,
        table: Table,
        range: (&[u8], Option<&[u8]>),
        key_of: impl Fn(&[u8]) -> K,
    ) -> Result<Vec<(K, T)>, ArchiveError> {
        let mut all = Vec::new();
        self.visit(table, range, Order::Ascending, |key, row| {
            all.push((key_of(key), row));
            ControlFlow::Continue(())
        })?;
        Ok(all)
    }
}

/// All rows of a table.
const ALL: (&[u8], Option<&[u8]>) = (&[], None);

/// For `map_err`: a row of a table that cannot be read.
fn damaged(table: Table) -> impl FnOnce(Nonsense) -> ArchiveError {
    move |nonsense| ArchiveError::Damaged { table, reason: nonsense.to_string() }
}
