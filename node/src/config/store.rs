//! `[store]`: where items are kept, and for how long.

use std::time::Duration;

/// `[store]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    /// The store that was asked for; without it whatever the folder holds, sled in a new one.
    pub backend: Option<Backend>,
    /// How long an item is kept.
    pub keep: Duration,
    /// Bytes of memory for the store's cache.
    pub cache: u64,
}

/// The stores there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// sled.
    Sled,
    /// redb.
    Redb,
}
