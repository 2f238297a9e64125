//! Reading sources: how they were asked for, how they are, what they have shown.

use std::ops::ControlFlow;

use pergola_feed::Item;
use pergola_manners::Cooperation;
use pergola_manners::link::Link;
use pergola_manners::source::{Known, Loop, SourceId, SourceRecord, SourceState};

use super::{ALL, Archive, ArchiveError, damaged};
use crate::commit::Commit;
use crate::engine::{Order, Table};
use crate::records::Push;
use crate::rows::chunk::{Chunk, delivered_at};
use crate::rows::keys::{self, RowKey};

impl Archive {
    /// A source as it was asked for.
    pub fn source(&self, id: SourceId) -> Result<Option<SourceRecord>, ArchiveError> {
        self.row(Table::Source, &id.to_key())
    }

    /// All sources in order of their ids.
    pub fn sources(&self) -> Result<Vec<(SourceId, SourceRecord)>, ArchiveError> {
        self.rows(Table::Source, ALL, SourceId::from_key)
    }

    /// The sources after an id in order of their ids, at most `limit` of them.
    pub fn sources_after(
        &self,
        after: Option<SourceId>,
        limit: usize,
    ) -> Result<Vec<(SourceId, SourceRecord)>, ArchiveError> {
        let mut some = Vec::new();
        let Some(from) = after.map_or(Some(0), |id| id.0.checked_add(1)) else { return Ok(some) };
        let from = SourceId(from).to_key();
        self.visit(Table::Source, (&from, None), Order::Ascending, |key, record| {
            some.push((SourceId::from_key(key), record));
            if some.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        Ok(some)
    }

    /// Visits every source in order of their ids, without holding them all.
    pub fn each_source(
        &self,
        mut visit: impl FnMut(SourceId, SourceRecord),
    ) -> Result<(), ArchiveError> {
        self.visit(Table::Source, ALL, Order::Ascending, |key, record| {
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

    /// How a source is, with its model.
    pub fn state(&self, id: SourceId) -> Result<Option<SourceState>, ArchiveError> {
        self.state_alone(id)?.map(|state| self.with_model(id, state)).transpose()
    }

    /// How a source is, without its model; for whoever has that in memory.
    pub fn state_alone(&self, id: SourceId) -> Result<Option<SourceState>, ArchiveError> {
        self.row(Table::State, &id.to_key())
    }

    /// Visits the state of every source without its model, without holding them all.
    pub fn each_state_alone(
        &self,
        mut visit: impl FnMut(SourceId, SourceState),
    ) -> Result<(), ArchiveError> {
        // The state of a source that was removed stays until it cannot be restored any more.
        let there = self.source_ids()?;
        self.visit(Table::State, ALL, Order::Ascending, |key, state| {
            let id = SourceId::from_key(key);
            if there.binary_search(&id).is_ok() {
                visit(id, state);
            }
            ControlFlow::Continue(())
        })
    }

    /// Visits the state of every source, without holding them all.
    pub fn each_state(
        &self,
        mut visit: impl FnMut(SourceId, SourceState),
    ) -> Result<(), ArchiveError> {
        let mut outcome = Ok(());
        self.each_state_alone(|id, state| {
            if outcome.is_ok() {
                outcome = self.with_model(id, state).map(|state| visit(id, state));
            }
        })?;
        outcome
    }

    /// The numbers of all sources, in order.
    fn source_ids(&self) -> Result<Vec<SourceId>, ArchiveError> {
        let mut all = Vec::new();
        self.store.scan(Table::Source, &[], None, Order::Ascending, &mut |key, _| {
            all.push(SourceId::from_key(key));
            ControlFlow::Continue(())
        })?;
        Ok(all)
    }

    fn with_model(&self, id: SourceId, state: SourceState) -> Result<SourceState, ArchiveError> {
        let table = Table::Model;
        let missing = || ArchiveError::Damaged { table, reason: "a model is missing".into() };
        let schedule = self.row(table, &id.to_key())?.ok_or_else(missing)?;
        state.with_schedule(schedule).map_err(|invalid| damaged(table)(invalid.into()))
    }

    /// What was seen of a source's items.
    pub fn known(&self, id: SourceId) -> Result<Option<Known>, ArchiveError> {
        self.row(Table::Known, &id.to_key())
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

    /// The items of one chunk; none if it is not there.
    pub fn chunk(&self, source: SourceId, chunk: u32) -> Result<Vec<Item>, ArchiveError> {
        self.unpacked(source, chunk)?.items().map_err(damaged(Table::Chunk))
    }

    /// The items of one chunk as they will be after a commit.
    pub fn chunk_after(
        &self,
        commit: &Commit,
        source: SourceId,
        chunk: u32,
    ) -> Result<Vec<Item>, ArchiveError> {
        let pending = commit.chunk(source, chunk).map_err(damaged(Table::Chunk))?;
        pending.map_or_else(|| self.chunk(source, chunk), Ok)
    }

    /// One chunk, empty if it is not there.
    pub(super) fn unpacked(&self, source: SourceId, chunk: u32) -> Result<Chunk, ArchiveError> {
        let row = self.store.get(Table::Chunk, &keys::chunk_key(source, chunk))?;
        let chunk = row.map_or(Ok(Chunk::default()), |row| Chunk::of_row(&row));
        chunk.map_err(damaged(Table::Chunk))
    }

    /// Visits every chunk: its source, its number and when it was delivered.
    pub fn each_chunk(
        &self,
        mut visit: impl FnMut(SourceId, u32, f64),
    ) -> Result<(), ArchiveError> {
        let mut failed = None;
        self.store.scan(Table::Chunk, &[], None, Order::Ascending, &mut |key, row| {
            let (source, number) = keys::chunk_of(key);
            match delivered_at(row) {
                Ok(at) => visit(source, number, at),
                Err(nonsense) => failed = Some(damaged(Table::Chunk)(nonsense)),
            }
            ControlFlow::Continue(())
        })?;
        failed.map_or(Ok(()), Err)
    }

    /// What is known of the peers that publish sources.
    pub fn links(&self) -> Result<Vec<(SourceId, Link)>, ArchiveError> {
        self.rows(Table::Peer, (&[0], Some(&[1])), |key| SourceId::from_key(&key[1..]))
    }

    /// What is asked of the peers that publish sources, where it is not the usual.
    pub fn wishes(&self) -> Result<Vec<(SourceId, Cooperation)>, ArchiveError> {
        self.rows(Table::Peer, (&[1], Some(&[2])), |key| SourceId::from_key(&key[1..]))
    }

    /// The sources whose items come back to this node.
    pub fn loops(&self) -> Result<Vec<(SourceId, Loop)>, ArchiveError> {
        self.rows(Table::Loop, ALL, SourceId::from_key)
    }

    /// Every source of which a hub tells us, by the last part of our callback.
    pub fn pushes(&self) -> Result<Vec<(String, Push)>, ArchiveError> {
        self.rows(Table::Push, ALL, |key| String::from_utf8_lossy(key).into_owned())
    }
}
