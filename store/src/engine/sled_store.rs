//! sled 0.34 as a store that keeps its promises:
//! * its `flush` writes but does not wait for the drive, so each commit ends with our own
//!   `sync_data` on the engine's file;
//! * large records go to files that it never syncs, so values are cut into parts (`parts`);
//! * it does not use the room of rows that are gone quickly enough, so commits make some (`room`);
//! * it goes on using its file for a while after it was closed, so closing waits for that;
//! * it panics on some damaged files, so opening catches that and calls it damage.
//!
//! Its batches are a hash map inside, so the order in which a batch is filled does not matter to it.

mod room;

use std::{
    fs::File,
    io,
    panic::AssertUnwindSafe,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{
    Backend, Batch, Order, Store, StoreError, Table, Visit,
    format::{sync_folder, tree_bytes},
    parts,
};
pub(super) use room::FREE;
use room::Room;

/// For each table by its number, whether it may hold values in parts: only then does replacing a value mean
/// reading the old one.
type Split = [bool; Table::ALL.len()];

pub(super) struct SledStore {
    db: sled::Db,
    path: PathBuf,
    /// Held while a batch is applied, never while it is synced.
    writer: Mutex<Split>,
    room: Room,
    /// Dropped after the engine.
    file: EngineFile,
}

impl SledStore {
    pub(super) fn open(path: &Path, cache_bytes: u64) -> Result<Self, StoreError> {
        let db = open_engine(path, cache_bytes)?;
        for name in ["conf", "db"] {
            let synced = File::open(path.join(name)).and_then(|file| file.sync_all());
            synced.map_err(StoreError::io(path))?;
        }
        sync_folder(path)?;
        let mut split = Split::default();
        for table in Table::ALL {
            let first = db.scan_prefix(parts::prefix(table)).next().transpose();
            split[table as usize] = first.map_err(|error| failed(path, error))?.is_some();
        }
        let room = Room::open(&db).map_err(|error| failed(path, error))?;
        // Last, because it waits for the engine when it is dropped.
        let file = File::options().read(true).write(true).open(path.join("db"));
        let file = EngineFile(file.map_err(StoreError::io(path))?);
        Ok(Self { db, path: path.to_owned(), writer: Mutex::new(split), room, file })
    }

    /// Puts a value in parts together again; `None` if its row has gone meanwhile.
    fn joined(&self, row: &[u8], head: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let join = |head: &[u8]| parts::join(head, |number| self.db.get(parts::key(row, number)));
        if let Some(value) = join(head).map_err(|error| failed(&self.path, error))? {
            return Ok(Some(value));
        }
        // The value was replaced while we read. Nobody writes while we hold the lock.
        let _writer = self.lock_writer();
        let Some(stored) = self.db.get(row).map_err(|error| failed(&self.path, error))? else {
            return Ok(None);
        };
        if !parts::is_head(&stored) {
            return Ok(Some(stored.to_vec()));
        }
        let value = join(&stored).map_err(|error| failed(&self.path, error))?;
        // Without some of its parts, the row is damaged: whoever reads it finds that its checksum does not fit.
        Ok(Some(value.unwrap_or_else(|| stored.to_vec())))
    }

    /// The engine's batch: values in parts, and the parts that are no longer needed removed.
    fn engine_batch(&self, batch: &Batch, split: &mut Split) -> sled::Result<sled::Batch> {
        let mut changes = sled::Batch::default();
        let mut row = Vec::new();
        for (table, key, value) in batch.settled() {
            row.clear();
            row.push(table as u8);
            row.extend_from_slice(key);
            let may_be_split = &mut split[table as usize];
            let old = if *may_be_split { self.db.get(&row)? } else { None };
            let old_parts = old.map_or(0, |old| parts::count(&old));
            let mut new_parts = 0;
            match value {
                None => changes.remove(&row[..]),
                Some(value) if value.len() <= parts::PART_BYTES => changes.insert(&row[..], value),
                Some(value) => {
                    *may_be_split = true;
                    changes.insert(&row[..], parts::head(value));
                    for (number, part) in parts::continuations(value) {
                        changes.insert(parts::key(&row, number), part);
                        new_parts = number;
                    }
                }
            }
            for number in new_parts + 1..=old_parts {
                changes.remove(parts::key(&row, number));
            }
        }
        Ok(changes)
    }

    fn lock_writer(&self) -> MutexGuard<'_, Split> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for SledStore {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let row = table.row_key(key);
        match self.db.get(&row).map_err(|error| failed(&self.path, error))? {
            Some(stored) if parts::is_head(&stored) => self.joined(&row, &stored),
            stored => Ok(stored.map(|stored| stored.to_vec())),
        }
    }

    fn scan(
        &self,
        table: Table,
        from: &[u8],
        to: Option<&[u8]>,
        order: Order,
        visit: &mut Visit<'_>,
    ) -> Result<(), StoreError> {
        let (from, to) = table.row_range(from, to);
        if from >= to {
            return Ok(());
        }
        let mut rows = self.db.range(from..to);
        loop {
            let next = match order {
                Order::Ascending => rows.next(),
                Order::Descending => rows.next_back(),
            };
            let Some(next) = next else { return Ok(()) };
            let (row, stored) = next.map_err(|error| failed(&self.path, error))?;
            let flow = if parts::is_head(&stored) {
                let Some(value) = self.joined(&row, &stored)? else { continue };
                visit(&row[1..], &value)
            } else {
                visit(&row[1..], &stored)
            };
            if flow.is_break() {
                return Ok(());
            }
        }
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        let applied = {
            let mut split = self.lock_writer();
            self.engine_batch(batch, &mut split).and_then(|changes| self.db.apply_batch(changes))
        };
        let flushed = applied.and_then(|()| self.db.flush());
        flushed.map_err(|error| failed(&self.path, error))?;
        self.file.0.sync_data().map_err(StoreError::io(&self.path))?;
        // The batch is on the disk, whatever becomes of this.
        if let Err(error) = self.room.make(&self.db, batch, &self.file.0) {
            tracing::warn!(%error, "sled could not make room in its file");
        }
        Ok(())
    }

    fn bytes_on_disk(&self) -> u64 {
        tree_bytes(&self.path)
    }

    fn backend(&self) -> Backend {
        Backend::Sled
    }
}

fn open_engine(path: &Path, cache_bytes: u64) -> Result<sled::Db, StoreError> {
    // It counts its pages as they are on disk; in memory they were seen to take about three times that, and
    // its tables come on top.
    let cache = (cache_bytes / 4).max(1 << 20);
    let config = sled::Config::new().path(path).cache_capacity(cache).flush_every_ms(None);
    match std::panic::catch_unwind(AssertUnwindSafe(|| config.open())) {
        Ok(opened) => opened.map_err(|error| failed(path, error)),
        Err(_) => Err(StoreError::corrupt(path, "sled panicked while it opened it")),
    }
}

/// Our own handle of the engine's file, to sync it and to know when the engine has let go of it:
/// its background threads hold and lock the file for a while after the store was closed.
struct EngineFile(File);

impl Drop for EngineFile {
    fn drop(&mut self) {
        if let Err(error) = self.0.lock() {
            tracing::warn!(%error, "cannot wait until sled has closed its file");
        }
    }
}

fn failed(path: &Path, error: sled::Error) -> StoreError {
    use io::ErrorKind::{InvalidData, UnexpectedEof};
    match error {
        sled::Error::Io(error) if matches!(error.kind(), InvalidData | UnexpectedEof) => {
            StoreError::corrupt(path, error)
        }
        sled::Error::Io(error) => StoreError::io(path)(error),
        sled::Error::Corruption { .. } => StoreError::corrupt(path, error),
        _ => {
            let (path, cause) = (path.to_owned(), error.to_string());
            StoreError::Engine { backend: Backend::Sled, path, cause }
        }
    }
}
