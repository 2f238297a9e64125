//! What a node keeps: bytes under ordered keys, and what they mean.
//!
//! # Modules, from the bottom up
//! - `engine`: ordered rows of bytes with atomic, durable batches, over sled or redb
//! - `archive`: what the rows mean: sources, items, feeds, entries

pub mod archive;
pub mod engine;

pub use engine::{
    Backend, Batch, Change, MAX_KEY_BYTES, MAX_VALUE_BYTES, Opened, Order, SCHEMA_KEY, Store,
    StoreError, Table, Visit, backup, open,
};
