//! Reading what a node stores, in the types that the rest of the program works with.
//!
//! Changes are collected in a [`Commit`] and made by one writer, so everything that a refresh brought (its
//! items, their identities, validators, the model, new entries of feeds) is stored together or not at all.
//! An item is stored once, in a *chunk* of its source; the entries of feeds refer to it.
//!
//! A row that is damaged stops nobody. It is noted ([`Damage`]), a range is read without it, and what follows
//! from other rows is made from them again.
//!
//! Never: a row written except through a [`Commit`], or by whoever mends or repairs; an entry whose chunk is
//! gone; two entries of one feed with the same item key (the member rows prevent it); a closed feed that damage
//! opens.

mod again;
mod cards;
mod damage;
mod expired;
mod feeds;
mod index;
mod mend;
mod node;
mod people;
mod removed;
mod repair;
mod scrub;
mod sources;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::engine::{Order, Store, StoreError, Table, seal};
use crate::rows::{Nonsense, Stored, decode};
use cards::Cards;

pub use crate::commit::{Commit, FeedPart, NodePart, SourcePart, UserPart};
pub use crate::records::{
    Channel, Edit, Entry, Every, FeedId, FeedRecord, FeedTally, HostTally, HubTally, Lease, Mark,
    NodeRecord, Notification, OldIds, ProfileRecord, Push, Removed, Sample, Starred, Subscription,
    Suspect, Trouble, Way,
};
pub use cards::SourceCard;
pub use damage::{Damage, Row};
pub use feeds::Published;
pub use index::{
    Asked, AskedError, Cursor, Find, Finding, Found, IndexSize, Indexer, NotACursor, Piece,
};
pub use mend::Lost;
pub use pergola_manners::source::{
    ItemKey, ItemNumber, Known, KnownItem, Loop, NOT_KEPT, PastRefresh, SourceId, SourceKind,
    SourceRecord, SourceState, Standing, Tally, item_key, origin_of_item, unknown,
};

pub use repair::{RepairError, Repaired, repair};
pub use scrub::Place;

/// Why something stored could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A row that cannot be read.
    #[error(
        "a row of {table:?} is damaged: {reason}; if it is not mended by itself, stop the node and run \
         `pergola store repair --from BACKUP`"
    )]
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
    damage: Arc<Damage>,
    cards: Arc<Cards>,
    index: Arc<index::Shared>,
}

impl Archive {
    /// Reads from a store and writes to it.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, damage: Arc::default(), cards: Arc::default(), index: Arc::default() }
    }

    /// The store underneath.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Makes all changes of a commit or none; they are on the disk when it returns.
    pub fn commit(&self, commit: Commit) -> Result<(), ArchiveError> {
        let sources: Vec<SourceId> = commit.source_ids().collect();
        let batch = commit.into_batch();
        self.store.commit(&batch)?;
        self.damage.forget_all(&batch);
        self.cards.mark(sources);
        Ok(())
    }

    /// What was found damaged so far.
    pub fn damage(&self) -> &Damage {
        &self.damage
    }

    fn row<T: Stored>(&self, table: Table, key: &[u8]) -> Result<Option<T>, ArchiveError> {
        let Some(row) = self.store.get(table, key)? else { return Ok(None) };
        self.decoded(table, key, &row).map(Some)
    }

    /// What a row says; one that is damaged is noted.
    fn decoded<T: Stored>(&self, table: Table, key: &[u8], row: &[u8]) -> Result<T, ArchiveError> {
        let value = self.whole(table, key, row).and_then(decode);
        value.map_err(|nonsense| self.damaged(table, key, &nonsense))
    }

    /// A row's value without its seal.
    fn whole<'a>(&self, table: Table, key: &[u8], row: &'a [u8]) -> Result<&'a [u8], Nonsense> {
        seal::unseal(table, key, row).ok_or_else(|| Nonsense("its checksum does not fit".into()))
    }

    /// Notes a damaged row.
    fn damaged(&self, table: Table, key: &[u8], nonsense: &Nonsense) -> ArchiveError {
        let reason = nonsense.to_string();
        self.damage.note(table, key, &reason);
        ArchiveError::Damaged { table, reason }
    }

    /// Visits the rows of a range until the visitor breaks. Damaged ones are noted and passed over.
    fn visit<T: Stored>(
        &self,
        table: Table,
        range: (&[u8], Option<&[u8]>),
        order: Order,
        mut visit: impl FnMut(&[u8], T) -> ControlFlow<()>,
    ) -> Result<(), ArchiveError> {
        self.visit_all(table, range, order, |key, row| match row {
            Ok(row) => visit(key, row),
            Err(_) => ControlFlow::Continue(()),
        })
    }

    /// Visits the rows of a range, damaged ones included, until the visitor breaks.
    fn visit_all<T: Stored>(
        &self,
        table: Table,
        (from, to): (&[u8], Option<&[u8]>),
        order: Order,
        mut visit: impl FnMut(&[u8], Result<T, ArchiveError>) -> ControlFlow<()>,
    ) -> Result<(), ArchiveError> {
        Ok(self.store.scan(table, from, to, order, &mut |key, row| {
            visit(key, self.decoded(table, key, row))
        })?)
    }

    /// Visits rows of which only the key matters. Damaged ones are noted and passed over: the key may be wrong.
    fn visit_keys(
        &self,
        table: Table,
        (from, to): (&[u8], Option<&[u8]>),
        order: Order,
        mut visit: impl FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<(), ArchiveError> {
        Ok(self.store.scan(table, from, to, order, &mut |key, row| match self
            .whole(table, key, row)
        {
            Ok(_) => visit(key),
            Err(nonsense) => {
                self.damaged(table, key, &nonsense);
                ControlFlow::Continue(())
            }
        })?)
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

/// What was read, or what there is instead if it is damaged.
fn or_again<T>(
    read: Result<T, ArchiveError>,
    again: impl FnOnce() -> Result<T, ArchiveError>,
) -> Result<T, ArchiveError> {
    match read {
        Err(ArchiveError::Damaged { .. }) => again(),
        read => read,
    }
}
