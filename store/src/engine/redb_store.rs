//! redb as a store: one table of bytes, one transaction for each commit.
//!
//! Never: a read transaction that outlives a call, because it would keep the file from reusing pages.

use std::{
    io,
    path::{Path, PathBuf},
};

use redb::{Database, ReadOnlyTable, ReadableDatabase, TableDefinition};

use super::{
    Backend, Batch, Order, Store, StoreError, Table, Visit,
    format::{sync_folder, tree_bytes},
};

const ROWS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("rows");

pub(crate) struct RedbStore {
    db: Database,
    path: PathBuf,
}

impl RedbStore {
    pub(super) fn open(path: &Path, cache_bytes: u64) -> Result<Self, StoreError> {
        let cache = usize::try_from(cache_bytes.max(1 << 20)).unwrap_or(usize::MAX);
        let opened =
            std::panic::catch_unwind(|| Database::builder().set_cache_size(cache).create(path));
        let db = match opened {
            Ok(opened) => opened.map_err(|error| failed(path, error))?,
            Err(_) => return Err(StoreError::corrupt(path, "redb panicked while it opened it")),
        };
        let (store, new) = Self::ready(db, path)?;
        if new {
            path.parent().map_or(Ok(()), sync_folder)?;
        }
        Ok(store)
    }

    /// The same over a file that is none of the system's; `name` is for messages.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn over(
        backend: impl redb::StorageBackend,
        name: &Path,
    ) -> Result<Self, StoreError> {
        let db = Database::builder().set_cache_size(1 << 20).create_with_backend(backend);
        Ok(Self::ready(db.map_err(|error| failed(name, error))?, name)?.0)
    }

    /// The store of an engine, and whether it is new.
    fn ready(db: Database, path: &Path) -> Result<(Self, bool), StoreError> {
        let store = Self { db, path: path.to_owned() };
        let new = match store.rows() {
            Err(redb::Error::TableDoesNotExist(_)) => {
                store.write(&Batch::default()).map_err(|error| failed(path, error))?;
                true
            }
            rows => {
                drop(rows.map_err(|error| failed(path, error))?);
                false
            }
        };
        Ok((store, new))
    }

    fn rows(&self) -> Result<ReadOnlyTable<&'static [u8], &'static [u8]>, redb::Error> {
        Ok(self.db.begin_read()?.open_table(ROWS)?)
    }

    fn write(&self, batch: &Batch) -> Result<(), redb::Error> {
        // Durable at once is the default of a transaction.
        let transaction = self.db.begin_write()?;
        let mut rows = transaction.open_table(ROWS)?;
        let mut row = Vec::new();
        for (table, key, value) in batch.settled() {
            row.clear();
            row.push(table as u8);
            row.extend_from_slice(key);
            match value {
                Some(value) => drop(rows.insert(&row[..], value)?),
                None => drop(rows.remove(&row[..])?),
            }
        }
        drop(rows);
        Ok(transaction.commit()?)
    }
}

impl Store for RedbStore {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let rows = self.rows().map_err(|error| failed(&self.path, error))?;
        let row = table.row_key(key);
        let found = rows.get(&row[..]).map_err(|error| failed(&self.path, error))?;
        Ok(found.map(|value| value.value().to_vec()))
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
        let rows = self.rows().map_err(|error| failed(&self.path, error))?;
        let range = rows.range(&from[..]..&to[..]);
        let mut range = range.map_err(|error| failed(&self.path, error))?;
        loop {
            let next = match order {
                Order::Ascending => range.next(),
                Order::Descending => range.next_back(),
            };
            let Some(next) = next else { return Ok(()) };
            let (row, value) = next.map_err(|error| failed(&self.path, error))?;
            if visit(&row.value()[1..], value.value()).is_break() {
                return Ok(());
            }
        }
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        self.write(batch).map_err(|error| failed(&self.path, error))
    }

    fn bytes_on_disk(&self) -> u64 {
        tree_bytes(&self.path)
    }

    fn backend(&self) -> Backend {
        Backend::Redb
    }
}

fn failed(path: &Path, error: impl Into<redb::Error>) -> StoreError {
    use io::ErrorKind::{InvalidData, UnexpectedEof};
    match error.into() {
        redb::Error::Io(error) if matches!(error.kind(), InvalidData | UnexpectedEof) => {
            StoreError::corrupt(path, error)
        }
        redb::Error::Io(error) => StoreError::io(path)(error),
        redb::Error::Corrupted(cause) => StoreError::corrupt(path, cause),
        error => {
            let (path, cause) = (path.to_owned(), error.to_string());
            StoreError::Engine { backend: Backend::Redb, path, cause }
        }
    }
}
