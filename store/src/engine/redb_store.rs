//! redb as a store: one table of bytes, one transaction for each commit.
//!
//! Never: a read transaction that outlives a call, because it would keep the file from reusing pages.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{PoisonError, RwLock},
};

use redb::{Database, ReadOnlyTable, ReadableDatabase, TableDefinition};

use super::{
    Backend, Batch, Order, Store, StoreError, Table, Visit,
    format::{sync_folder, tree_bytes},
    private,
};

const ROWS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("rows");

/// The table as one transaction sees it.
type Rows = ReadOnlyTable<&'static [u8], &'static [u8]>;

/// What is said if redb panics on a damaged page.
const PANICKED: &str = "redb panicked over a page of it";

/// Opens the file.
pub(crate) type Opener =
    Box<dyn Fn(&redb::Builder) -> Result<Database, redb::DatabaseError> + Send + Sync>;

pub(super) struct RedbStore {
    /// Nothing only while it is opened again, or if that failed.
    db: RwLock<Option<Database>>,
    path: PathBuf,
    cache: usize,
    opener: Opener,
}

impl RedbStore {
    pub(super) fn open(path: &Path, cache_bytes: u64) -> Result<Self, StoreError> {
        if !path.exists() {
            private::create_file(path).map_err(StoreError::io(path))?;
        }
        let file = path.to_owned();
        let store = Self::with(Box::new(move |builder| builder.create(&file)), path, cache_bytes)?;
        path.parent().map_or(Ok(()), sync_folder)?;
        Ok(store)
    }

    /// A store in whatever the opener opens.
    pub(super) fn with(opener: Opener, path: &Path, cache_bytes: u64) -> Result<Self, StoreError> {
        let cache = usize::try_from(cache_bytes.max(1 << 20)).unwrap_or(usize::MAX);
        let (db, path) = (RwLock::default(), path.to_owned());
        let store = Self { db, path, cache, opener };
        *store.db.write().unwrap_or_else(PoisonError::into_inner) = Some(store.database()?);
        match store.rows() {
            Err(redb::Error::TableDoesNotExist(_)) => {
                store.commit(&Batch::default())?;
            }
            rows => drop(rows.map_err(|error| failed(&store.path, error))?),
        }
        Ok(store)
    }

    fn database(&self) -> Result<Database, StoreError> {
        let open = || (self.opener)(Database::builder().set_cache_size(self.cache));
        match catch_unwind(AssertUnwindSafe(open)) {
            Ok(opened) => opened.map_err(|error| failed(&self.path, error)),
            Err(_) => Err(StoreError::corrupt(&self.path, "redb panicked while it opened it")),
        }
    }

    fn rows(&self) -> Result<Rows, redb::Error> {
        let db = self.db.read().unwrap_or_else(PoisonError::into_inner);
        let db = db.as_ref().ok_or(redb::Error::PreviousIo)?;
        let rows = || Ok(db.begin_read()?.open_table(ROWS)?);
        catch_unwind(AssertUnwindSafe(rows))
            .unwrap_or_else(|_| Err(redb::Error::Corrupted(PANICKED.into())))
    }

    fn write(&self, batch: &Batch) -> Result<(), redb::Error> {
        let db = self.db.read().unwrap_or_else(PoisonError::into_inner);
        let db = db.as_ref().ok_or(redb::Error::PreviousIo)?;
        // Durable at once is the default of a transaction.
        let transaction = db.begin_write()?;
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

    /// After a failed write redb refuses everything until the file is opened again, which also undoes what the write
    /// has left.
    fn open_again(&self) {
        let mut db = self.db.write().unwrap_or_else(PoisonError::into_inner);
        close(&mut db);
        match self.database() {
            Ok(opened) => *db = Some(opened),
            Err(error) => tracing::error!(%error, "the store could not be opened again"),
        }
    }
}

impl Store for RedbStore {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let rows = self.rows().map_err(|error| failed(&self.path, error))?;
        self.read(&rows, table, key)
    }

    /// In one transaction: to begin one takes as long as to read a row.
    fn get_from(&self, tables: &[Table], key: &[u8]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let rows = self.rows().map_err(|error| failed(&self.path, error))?;
        tables.iter().map(|table| self.read(&rows, *table, key)).collect()
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
        let mut range = self.caught(|| rows.range(&from[..]..&to[..]))?;
        loop {
            let next = self.caught(|| match order {
                Order::Ascending => range.next().transpose(),
                Order::Descending => range.next_back().transpose(),
            })?;
            let Some((row, value)) = next else { return Ok(()) };
            let (row, value) = self.caught(|| Ok((&row.value()[1..], value.value())))?;
            if visit(row, value).is_break() {
                return Ok(());
            }
        }
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        let written = catch_unwind(AssertUnwindSafe(|| self.write(batch)));
        match written {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => {
                self.open_again();
                Err(failed(&self.path, error))
            }
            Err(_) => {
                self.open_again();
                Err(panicked(&self.path))
            }
        }
    }

    fn bytes_on_disk(&self) -> u64 {
        tree_bytes(&self.path)
    }

    fn backend(&self) -> Backend {
        Backend::Redb
    }
}

impl RedbStore {
    fn read(&self, rows: &Rows, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let row = table.row_key(key);
        self.caught(|| rows.get(&row[..]).map(|found| found.map(|value| value.value().to_vec())))
    }

    /// Reads something. redb panics on some damaged pages.
    fn caught<T>(
        &self,
        read: impl FnOnce() -> Result<T, redb::StorageError>,
    ) -> Result<T, StoreError> {
        match catch_unwind(AssertUnwindSafe(read)) {
            Ok(read) => read.map_err(|error| failed(&self.path, error)),
            Err(_) => Err(panicked(&self.path)),
        }
    }
}

impl Drop for RedbStore {
    fn drop(&mut self) {
        close(self.db.get_mut().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Closes the file. redb panics over some damaged pages here, too.
fn close(db: &mut Option<Database>) {
    let open = db.take();
    if catch_unwind(AssertUnwindSafe(|| drop(open))).is_err() {
        tracing::error!("redb panicked while it closed a damaged file");
    }
}

fn panicked(path: &Path) -> StoreError {
    StoreError::corrupt(path, PANICKED)
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
