//! What a node stores: bytes under ordered keys, and what they mean.
//!
//! Knows nothing of HTTP or gRPC, and of feeds only what their parts are called.
//!
//! # Modules, from the bottom up
//! - `engine`: ordered rows of bytes with atomic, durable batches, over sled or redb
//! - `records`: what is stored that belongs to no other crate: feeds, entries, hosts, subscriptions
//! - `rows`: the layout of every row on the disk, and the keys that rows are found by
//! - `commit`: changes, one part for each source, each feed and the node
//! - `archive`: reading sources, items, feeds and entries
//! - `people`: what is done for the people who read here
//! - `testing`: a store that fails when a test wants it to, a store in memory, and a disk that loses power

pub mod archive;
pub mod commit;
pub mod engine;
pub mod people;
pub mod records;
mod rows;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use engine::{
    Backend, Batch, Change, LAST_BACKUP, MAX_KEY_BYTES, MAX_VALUE_BYTES, Opened, Order, SCHEMA_KEY,
    Store, StoreError, Table, Visit, backup, backups_before_migration, holds_data, newest_backup,
    open,
};
