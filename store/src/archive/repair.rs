//! Repairing a data folder that no node uses: from its own rows, then from a backup.
//!
//! The backup is unpacked into a folder of its own and migrated there, so a backup of any version will do. Only
//! damaged rows are replaced: what came after the backup stays.

use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use pergola_manners::source::SourceId;

use super::{Archive, ArchiveError, Commit, Row};
use crate::engine::backup::{BackupError, Replace, restore};
use crate::engine::{Backend, Batch, Order, Store, StoreError, Table, open, seal};
use crate::rows::chunk::count_of;
use crate::rows::encode;
use crate::rows::keys::RowKey;

/// Where the backup is unpacked, inside the data folder.
const REPAIRING: &str = "repairing";

/// What was done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repaired {
    /// Damaged rows that were found.
    pub found: usize,
    /// Rows that were made again from others, or will be learnt again.
    pub mended: usize,
    /// Rows that came from the backup.
    pub restored: usize,
    /// Rows that were deleted because nothing could be done.
    pub given_up: usize,
    /// Chunks of items that the next refresh of their source looks for.
    pub sought: usize,
    /// Rows that are still damaged.
    pub left: Vec<Row>,
}

/// Why nothing was repaired, or not all.
#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    /// The store cannot be read or written.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The backup cannot be used.
    #[error(transparent)]
    Backup(#[from] BackupError),
}

impl From<StoreError> for RepairError {
    fn from(error: StoreError) -> Self {
        Self::Archive(error.into())
    }
}

/// Checks every row of a folder's store and repairs what is damaged: from the store itself, from the backup if
/// there is one, and at last, if that is asked for, by deleting what is left. `now` is in seconds since 1970.
pub fn repair(
    folder: &Path,
    backend: Option<Backend>,
    backup: Option<&mut dyn Read>,
    give_up: bool,
    now: f64,
) -> Result<Repaired, RepairError> {
    let opened = open(folder, backend, 64 << 20)?;
    let archive = Archive::new(opened.store);
    archive.check()?;
    let mut done = Repaired { found: archive.damage.rows().len(), ..Repaired::default() };
    if done.found == 0 {
        return Ok(done);
    }
    done.mended = archive.derive()?;
    if let Some(backup) = backup {
        let place = folder.join(REPAIRING);
        let restored = from_backup(&archive, &place, backup);
        let removed = std::fs::remove_dir_all(&place).map_err(StoreError::io(&place));
        done.restored = restored?;
        removed?;
    }
    done.mended += archive.forget_learnt()? + archive.forget_index()?;
    let before = archive.damage.rows().len();
    for lost in archive.lost()? {
        done.sought += lost.chunks.len();
        archive.seek(&lost, now)?;
    }
    done.mended += before - archive.damage.rows().len();
    if give_up {
        done.given_up = archive.give_up()?;
    }
    done.left = archive.damage.rows();
    Ok(done)
}

/// Replaces damaged rows by those of a backup; returns how many.
fn from_backup(
    archive: &Archive,
    place: &Path,
    backup: &mut dyn Read,
) -> Result<usize, RepairError> {
    if place.exists() {
        std::fs::remove_dir_all(place).map_err(StoreError::io(place))?;
    }
    restore(place, Backend::Redb, Replace::Never, backup, |_| ())?;
    let old: Arc<dyn Store> = open(place, None, 16 << 20)?.store;
    let mut batch = Batch::default();
    let mut is_node = false;
    for (table, key) in archive.damage.rows() {
        // What was seen since the backup must not be forgotten: it is made again from the items.
        if table == Table::Known {
            continue;
        }
        let row = old.get(table, &key)?;
        if let Some(row) = row.filter(|row| seal::unseal(table, &key, row).is_some()) {
            is_node |= table == Table::Meta;
            if table == Table::Chunk {
                let items = count_of(seal::unchecked(&row)).unwrap_or(1);
                batch.put_sealed(Table::Arrival, key.clone(), encode(&items));
            }
            batch.put(table, key, row);
        }
    }
    let restored = batch.iter().filter(|(table, ..)| *table != Table::Arrival).count();
    archive.write(&batch)?;
    if is_node {
        raise_numbers(archive)?;
    }
    Ok(restored)
}

/// The node's record is as old as the backup: numbers that were given since must not be given again.
fn raise_numbers(archive: &Archive) -> Result<(), ArchiveError> {
    let Some(mut record) = archive.node()? else { return Ok(()) };
    for (table, prefix) in
        [(Table::Source, 0), (Table::Known, 0), (Table::State, 0), (Table::Chunk, 0)]
    {
        let last = last_number(archive, table, prefix)?;
        record.next_source = record.next_source.max(last.map_or(0, |id| id.saturating_add(1)));
    }
    for (table, prefix) in [(Table::Feed, 1), (Table::Entry, 0), (Table::Reader, 0)] {
        let last = last_number(archive, table, prefix)?;
        record.next_feed = record.next_feed.max(last.map_or(0, |id| id.saturating_add(1)));
    }
    let mut commit = Commit::new();
    commit.node().put_record(&record);
    archive.commit(commit)
}

/// The highest number of a table; in keys it follows so many bytes.
fn last_number(archive: &Archive, table: Table, after: usize) -> Result<Option<u32>, ArchiveError> {
    let mut last = None;
    archive.visit_keys(table, (&[], None), Order::Ascending, |key| {
        last = last.max(key.get(after..).map(|key| SourceId::from_key(key).0));
        ControlFlow::Continue(())
    })?;
    Ok(last)
}
