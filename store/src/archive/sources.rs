//! Reading sources: how they were asked for, how they are, what they have shown.

use std::ops::ControlFlow;

use pergola_feed::Item;
use pergola_manners::Cooperation;
use pergola_manners::link::Link;
use pergola_manners::source::{Known, Loop, SourceId, SourceRecord, SourceState, unknown};
use pergola_refresh::{DAY, ModelKind, Source};

use super::{ALL, Archive, ArchiveError, or_again};
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
    /// If that is damaged, the source starts anew.
    pub fn state_alone(&self, id: SourceId) -> Result<Option<SourceState>, ArchiveError> {
        let anew = || Ok(Some(SourceState::new(unknown())));
        or_again(self.row(Table::State, &id.to_key()), anew)
    }

    /// A source as it was asked for, and how it is without its model; nothing of what is not there.
    /// As [`source`](Self::source) and [`state_alone`](Self::state_alone) say, read at once.
    pub fn source_and_state(
        &self,
        id: SourceId,
    ) -> Result<(Option<SourceRecord>, Option<SourceState>), ArchiveError> {
        let key = id.to_key();
        let mut rows = self.store.get_from(&[Table::Source, Table::State], &key)?.into_iter();
        let (record, state) = (rows.next().flatten(), rows.next().flatten());
        let record = record.map(|row| self.decoded(Table::Source, &key, &row)).transpose()?;
        let state = state.map(|row| self.decoded(Table::State, &key, &row)).transpose();
        Ok((record, or_again(state, || Ok(Some(SourceState::new(unknown()))))?))
    }

    /// Visits the state of every source without its model, without holding them all.
    pub fn each_state_alone(
        &self,
        mut visit: impl FnMut(SourceId, SourceState),
    ) -> Result<(), ArchiveError> {
        // The state of a source that was removed stays until it cannot be restored any more.
        let there = self.source_ids()?;
        self.visit_all(Table::State, ALL, Order::Ascending, |key, state| {
            let id = SourceId::from_key(key);
            if there.binary_search(&id).is_ok() {
                visit(id, state.unwrap_or_else(|_| SourceState::new(unknown())));
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
    pub(super) fn source_ids(&self) -> Result<Vec<SourceId>, ArchiveError> {
        let mut all = Vec::new();
        self.store.scan(Table::Source, &[], None, Order::Ascending, &mut |key, _| {
            all.push(SourceId::from_key(key));
            ControlFlow::Continue(())
        })?;
        Ok(all)
    }

    /// A source whose model is damaged or gone learns anew.
    fn with_model(&self, id: SourceId, state: SourceState) -> Result<SourceState, ArchiveError> {
        let (table, key) = (Table::Model, id.to_key());
        let schedule = or_again(self.row(table, &key), || Ok(None))?;
        let blank = state.clone();
        let joined = schedule.map(|schedule| state.with_schedule(schedule));
        match joined {
            Some(Ok(joined)) => Ok(joined),
            Some(Err(invalid)) => {
                self.damaged(table, &key, &invalid.into());
                Ok(SourceState { schedule: unlearnt(), ..blank })
            }
            None => Ok(SourceState { schedule: unlearnt(), ..blank }),
        }
    }

    /// What was seen of a source's items.
    pub fn known(&self, id: SourceId) -> Result<Option<Known>, ArchiveError> {
        or_again(self.row(Table::Known, &id.to_key()), || self.known_again(id).map(Some))
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
        let items = self.unpacked(source, chunk)?.items();
        items.map_err(|nonsense| {
            self.damaged(Table::Chunk, &keys::chunk_key(source, chunk), &nonsense)
        })
    }

    /// The items of one chunk as they will be after a commit.
    pub fn chunk_after(
        &self,
        commit: &Commit,
        source: SourceId,
        chunk: u32,
    ) -> Result<Vec<Item>, ArchiveError> {
        match commit.chunk(source, chunk) {
            Ok(Some(pending)) => Ok(pending),
            _ => self.chunk(source, chunk),
        }
    }

    /// One chunk, empty if it is not there.
    pub(super) fn unpacked(&self, source: SourceId, chunk: u32) -> Result<Chunk, ArchiveError> {
        let key = keys::chunk_key(source, chunk);
        let Some(row) = self.store.get(Table::Chunk, &key)? else { return Ok(Chunk::default()) };
        let chunk = self.whole(Table::Chunk, &key, &row).and_then(Chunk::of_row);
        chunk.map_err(|nonsense| self.damaged(Table::Chunk, &key, &nonsense))
    }

    /// Visits every chunk that is whole: its source, its number and when it was delivered.
    pub fn each_chunk(
        &self,
        mut visit: impl FnMut(SourceId, u32, f64),
    ) -> Result<(), ArchiveError> {
        Ok(self.store.scan(Table::Chunk, &[], None, Order::Ascending, &mut |key, row| {
            let (source, number) = keys::chunk_of(key);
            match self.whole(Table::Chunk, key, row).and_then(delivered_at) {
                Ok(at) => visit(source, number, at),
                Err(nonsense) => drop(self.damaged(Table::Chunk, key, &nonsense)),
            }
            ControlFlow::Continue(())
        })?)
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

/// What the scheduler starts with if it has forgotten a source: an item a day, twenty in a document.
fn unlearnt() -> Source {
    let model = ModelKind::Gamma.build(1.0 / DAY).expect("an item a day is a rate");
    Source::new(model, 20)
}
