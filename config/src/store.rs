//! `[store]`: where items are kept, and for how long.

use std::time::Duration;

use pergola_store::Backend;

use super::reader::Reader;
use super::show::{Entry, quoted};
use super::units::{duration, size, written_duration, written_size};
use super::values::one_of;

const MINUTE: Duration = Duration::from_secs(60);
const YEAR: Duration = Duration::from_secs(365 * 86_400);

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

const BACKENDS: [(&str, Backend); 2] = [("sled", Backend::Sled), ("redb", Backend::Redb)];

impl Store {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            backend: reader.optional("backend", one_of(BACKENDS)),
            keep: reader.required("keep", duration(MINUTE..=100 * YEAR)),
            cache: reader.required("cache", size(1 << 20..=1 << 40)),
        }
    }

    pub(super) fn entries(&self) -> Vec<Entry> {
        vec![
            ("backend", self.backend.map(quoted)),
            ("keep", Some(quoted(written_duration(self.keep)))),
            ("cache", Some(quoted(written_size(self.cache)))),
        ]
    }
}
