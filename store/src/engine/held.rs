//! A store in a locked folder, which refuses commits that are too large for it or for the disk.

use std::{fs::File, path::PathBuf};

use super::{
    Backend, Batch, MAX_KEY_BYTES, MAX_VALUE_BYTES, Order, Store, StoreError, Table, Visit,
    space::{self, FreeBytes},
};

pub(super) struct HeldStore {
    pub(super) store: Box<dyn Store>,
    pub(super) folder: PathBuf,
    pub(super) free_bytes: FreeBytes,
    /// Dropped last: the store lets go before the folder does.
    pub(super) _lock: File,
}

impl Store for HeldStore {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.get(table, key)
    }

    fn get_from(&self, tables: &[Table], key: &[u8]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        self.store.get_from(tables, key)
    }

    fn scan(
        &self,
        table: Table,
        from: &[u8],
        to: Option<&[u8]>,
        order: Order,
        visit: &mut Visit<'_>,
    ) -> Result<(), StoreError> {
        self.store.scan(table, from, to, order, visit)
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        if batch.is_empty() {
            return Ok(());
        }
        for (_, key, value) in batch.iter() {
            let (key, value) = (key.len(), value.map_or(0, <[u8]>::len));
            if key > MAX_KEY_BYTES || value > MAX_VALUE_BYTES {
                return Err(StoreError::TooLarge { key, value });
            }
        }
        space::check(&self.folder, batch, self.free_bytes)?;
        self.store.commit(batch)
    }

    fn bytes_on_disk(&self) -> u64 {
        self.store.bytes_on_disk()
    }

    fn backend(&self) -> Backend {
        self.store.backend()
    }
}
