//! Stores for tests of whatever uses one: with faults, in memory, and on a disk that loses power; and any bytes read as rows.

mod disk;
mod every_row;
mod faulty;
mod memory;

use std::sync::Arc;

use crate::engine::{Store, StoreError, Table, open_on_redb, seal};

pub use disk::{Disk, Op, Watch};
pub use every_row::read_as_every_row;
pub use faulty::FaultyStore;
pub use memory::MemoryStore;

/// A redb store over a file of the caller's own, such as a simulated one.
pub fn redb_over(backend: impl redb::StorageBackend + Clone) -> Result<Arc<dyn Store>, StoreError> {
    let opener = move |builder: &redb::Builder| builder.create_with_backend(backend.clone());
    Ok(open_on_redb(Box::new(opener))?.store)
}

/// A row as it is stored: its value with a checksum. Without one, a row is damaged.
pub fn sealed(table: Table, key: &[u8], mut value: Vec<u8>) -> Vec<u8> {
    seal::seal(table, key, &mut value);
    value
}
