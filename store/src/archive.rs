//! What the node keeps, in typed rows over the store's bytes.
//!
//! Reading happens here; changes are collected in a [`Changes`] and committed by the one writer, so that
//! everything a refresh brought (its items, the identities, the validators, the model, the feeds' new
//! entries) is there together or not at all. An item is stored once, in a *chunk* of its source; a
//! feed's entry only refers to it.
//!
//! Never: a row written by anybody but through [`Changes`]; an entry whose chunk is gone; two entries
//! of one feed with the same item key (the member rows see to it).

mod changes;
mod chunk;
mod feeds;
mod keys;
mod packing;
mod pushing;
mod records;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;
use std::sync::Arc;

use pergola_feed::Item;
use pergola_manners::Cooperation;
use pergola_manners::link::Link;
use serde::de::DeserializeOwned;

use crate::engine::{Order, Store, StoreError, Table};
pub use changes::Changes;
use chunk::Chunk;
pub use feeds::Published;
pub(crate) use keys::RowKey;
pub use pergola_manners::source::{
    ItemKey, Known, KnownItem, Loop, PastRefresh, SourceId, SourceKind, SourceRecord, SourceState,
    Tally, item_key, unknown,
};
pub use pushing::{HubTally, Lease, Push, Subscription, Suspect};
pub use records::{
    Edit, Entry, FeedId, FeedRecord, FeedTally, Fresh, HostTally, NodeRecord, ProfileRow, Sample,
};

/// Why something kept could not be had.
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

/// Typed reading of everything kept.
#[derive(Clone)]
pub struct Archive {
    store: Arc<dyn Store>,
}

impl Archive {
    /// Reads from a store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// The store underneath.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// What the node knows of itself, if it ever ran.
    pub fn node(&self) -> Result<Option<NodeRecord>, ArchiveError> {
        self.row(Table::Meta, b"node")
    }

    /// A source as it was asked for.
    pub fn source(&self, id: SourceId) -> Result<Option<SourceRecord>, ArchiveError> {
        self.row(Table::Source, &id.to_key())
    }

    /// How a source stands.
    pub fn state(&self, id: SourceId) -> Result<Option<SourceState>, ArchiveError> {
        let state: Option<SourceState> = self.row(Table::State, &id.to_key())?;
        state.map(|state| self.joined(id, state)).transpose()
    }

    /// How a source stands, without its model; for whoever has that in memory.
    pub fn state_alone(&self, id: SourceId) -> Result<Option<SourceState>, ArchiveError> {
        self.row(Table::State, &id.to_key())
    }

    /// A state together with the model that is kept apart from it.
    fn joined(&self, id: SourceId, state: SourceState) -> Result<SourceState, ArchiveError> {
        let table = Table::Model;
        let missing = || ArchiveError::Damaged { table, reason: "a model is missing".into() };
        let schedule = self.row(table, &id.to_key())?.ok_or_else(missing)?;
        let wrong = |invalid: pergola_refresh::Invalid| ArchiveError::Damaged {
            table,
            reason: invalid.to_string(),
        };
        state.with_schedule(schedule).map_err(wrong)
    }

    /// What was seen of a source's items.
    pub fn known(&self, id: SourceId) -> Result<Option<Known>, ArchiveError> {
        self.row(Table::Known, &id.to_key())
    }

    /// The items of one chunk.
    pub fn chunk(&self, source: SourceId, chunk: u32) -> Result<Vec<Item>, ArchiveError> {
        self.unpacked(source, chunk)?.items()
    }

    /// One chunk, empty if it is not there.
    fn unpacked(&self, source: SourceId, chunk: u32) -> Result<Chunk, ArchiveError> {
        let row = self.store.get(Table::Chunk, &keys::chunk_key(source, chunk))?;
        row.map_or(Ok(Chunk::default()), |row| Chunk::of_row(&row))
    }

    /// Shows every chunk: its source, its number and when it was delivered.
    pub fn each_chunk(
        &self,
        mut visit: impl FnMut(SourceId, u32, f64),
    ) -> Result<(), ArchiveError> {
        let mut failed = None;
        self.store.scan(Table::Chunk, &[], None, Order::Ascending, &mut |key, bytes| {
            let (source, number) = keys::chunk_of(key);
            match postcard::take_from_bytes(bytes) {
                Ok((at, _)) => visit(source, number, at),
                Err(error) => failed = Some(damaged(Table::Chunk, &error)),
            }
            ControlFlow::Continue(())
        })?;
        failed.map_or(Ok(()), Err)
    }

    /// All sources in order of their ids.
    pub fn sources(&self) -> Result<Vec<(SourceId, SourceRecord)>, ArchiveError> {
        let mut all = Vec::new();
        self.each_source(|id, record| all.push((id, record)))?;
        Ok(all)
    }

    /// The sources after a number in order of their ids, at most `limit` of them.
    pub fn sources_after(
        &self,
        after: Option<SourceId>,
        limit: usize,
    ) -> Result<Vec<(SourceId, SourceRecord)>, ArchiveError> {
        let mut some = Vec::new();
        let Some(from) = after.map_or(Some(0), |id| id.0.checked_add(1)) else { return Ok(some) };
        let from = SourceId(from).to_key();
        self.rows(Table::Source, &from, None, Order::Ascending, &mut |key, record| {
            some.push((SourceId::from_key(key), record));
            if some.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        Ok(some)
    }

    /// Shows every source, one after the other in order of their ids, without holding them all.
    pub fn each_source(
        &self,
        mut visit: impl FnMut(SourceId, SourceRecord),
    ) -> Result<(), ArchiveError> {
        self.rows(Table::Source, &[], None, Order::Ascending, &mut |key, record| {
            visit(SourceId::from_key(key), record);
            ControlFlow::Continue(())
        })
    }

    /// How many sources there are.
    pub fn count_sources(&self) -> Result<usize, ArchiveError> {
        let mut count = 0;
        self.store.scan(Table::Source, &[], None, Order::Ascending, &mut |_, _| {
            count += 1;
            ControlFlow::Continue(())
        })?;
        Ok(count)
    }

    /// The sources of which items are known, also of those that are no longer crawled.
    pub fn known_sources(&self) -> Result<Vec<SourceId>, ArchiveError> {
        let mut all = Vec::new();
        self.store.scan(Table::Known, &[], None, Order::Ascending, &mut |key, _| {
            all.push(SourceId::from_key(key));
            ControlFlow::Continue(())
        })?;
        Ok(all)
    }

    /// Shows the state of every source, one after the other, without holding them all.
    pub fn each_state(
        &self,
        mut visit: impl FnMut(SourceId, SourceState),
    ) -> Result<(), ArchiveError> {
        let mut failed = None;
        self.rows(Table::State, &[], None, Order::Ascending, &mut |key, state| {
            let id = SourceId::from_key(key);
            match self.joined(id, state) {
                Ok(state) => visit(id, state),
                Err(error) => failed = Some(error),
            }
            if failed.is_none() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        failed.map_or(Ok(()), Err)
    }

    /// What was done to each host.
    pub fn hosts(&self) -> Result<Vec<(String, HostTally)>, ArchiveError> {
        let mut all = Vec::new();
        self.rows(Table::Host, &[], None, Order::Ascending, &mut |key, tally| {
            all.push((String::from_utf8_lossy(key).into_owned(), tally));
            ControlFlow::Continue(())
        })?;
        Ok(all)
    }

    /// The sources whose items come back to this node.
    pub fn loops(&self) -> Result<Vec<(SourceId, Loop)>, ArchiveError> {
        let mut all = Vec::new();
        self.rows(Table::Loop, &[], None, Order::Ascending, &mut |key, found| {
            all.push((SourceId::from_key(key), found));
            ControlFlow::Continue(())
        })?;
        Ok(all)
    }

    /// The samples of a time, oldest first: minutes since 1970.
    pub fn history(&self, from: u64, to: u64) -> Result<Vec<(u64, Sample)>, ArchiveError> {
        let mut all = Vec::new();
        let (from, to) = (from.to_be_bytes(), to.to_be_bytes());
        self.rows(Table::History, &from, Some(&to), Order::Ascending, &mut |key, sample| {
            all.push((keys::minute_of(key), sample));
            ControlFlow::Continue(())
        })?;
        Ok(all)
    }

    /// What is known of the peers that publish sources.
    pub fn links(&self) -> Result<Vec<(SourceId, Link)>, ArchiveError> {
        let mut all = Vec::new();
        self.rows(Table::Peer, &[0], Some(&[1]), Order::Ascending, &mut |key, link| {
            all.push((SourceId::from_key(&key[1..]), link));
            ControlFlow::Continue(())
        })?;
        Ok(all)
    }

    /// What is asked of the peers that publish sources, where it is not the usual.
    pub fn wishes(&self) -> Result<Vec<(SourceId, Cooperation)>, ArchiveError> {
        let mut all = Vec::new();
        self.rows(Table::Peer, &[1], Some(&[2]), Order::Ascending, &mut |key, wish| {
            all.push((SourceId::from_key(&key[1..]), wish));
            ControlFlow::Continue(())
        })?;
        Ok(all)
    }

    /// What was learnt about who keeps how much of which source.
    pub fn selectivity(&self) -> Result<Option<pergola_query::Selectivity>, ArchiveError> {
        self.row(Table::Selectivity, b"all")
    }

    /// What sources and feeds are about.
    pub fn profiles(&self) -> Result<Vec<(u32, ProfileRow)>, ArchiveError> {
        let mut all = Vec::new();
        self.rows(Table::Profile, &[], None, Order::Ascending, &mut |key, row| {
            if let Ok(channel) = key.try_into() {
                all.push((u32::from_be_bytes(channel), row));
            }
            ControlFlow::Continue(())
        })?;
        Ok(all)
    }

    fn row<T: DeserializeOwned>(
        &self,
        table: Table,
        key: &[u8],
    ) -> Result<Option<T>, ArchiveError> {
        self.store.get(table, key)?.map(|bytes| decode(table, &bytes)).transpose()
    }

    /// Visits the rows of a range until the visitor breaks or a row cannot be read.
    fn rows<T: DeserializeOwned>(
        &self,
        table: Table,
        from: &[u8],
        to: Option<&[u8]>,
        order: Order,
        visit: &mut dyn FnMut(&[u8], T) -> ControlFlow<()>,
    ) -> Result<(), ArchiveError> {
        let mut failed = None;
        self.store.scan(table, from, to, order, &mut |key, bytes| match decode(table, bytes) {
            Ok(row) => visit(key, row),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        })?;
        failed.map_or(Ok(()), Err)
    }
}

fn decode<T: DeserializeOwned>(table: Table, bytes: &[u8]) -> Result<T, ArchiveError> {
    postcard::from_bytes(bytes).map_err(|error| damaged(table, &error))
}

fn damaged(table: Table, error: &postcard::Error) -> ArchiveError {
    ArchiveError::Damaged { table, reason: error.to_string() }
}
