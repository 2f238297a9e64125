//! `[store]`: where the node keeps items, and for how long.

use std::time::Duration;

use pergola_store::Backend;

use crate::codec::one_of;
use crate::table::Table;
use crate::units::{duration, size};

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(86_400);
const YEAR: Duration = Duration::from_secs(365 * 86_400);

/// `[store]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    /// Without it: the backend that the data folder uses, or redb in a new folder.
    pub backend: Option<Backend>,
    pub keep: Duration,
    /// In bytes.
    pub cache: u64,
}

impl Store {
    pub(crate) fn declare(table: &mut Table<'_, Self>) -> Self {
        table.about("Where the node keeps items, and for how long.");
        let backends = [("redb", Backend::Redb), ("sled", Backend::Sled)];
        Self {
            backend: table
                .key(
                    "backend",
                    "The storage engine. Left out, it is the one that the data folder uses, and redb \
                     in a new folder.",
                )
                .optional(one_of(backends), "redb", |store| store.backend),
            keep: table
                .key("keep", "How long the node keeps an item.")
                .reloads()
                .required(duration(MINUTE..=100 * YEAR), "90 days", |store| store.keep),
            cache: table
                .key("cache", "Memory for the cache of the storage engine.")
                .required(size(1 << 20..=1 << 40), "32 MiB", |store| store.cache),
        }
    }

    /// How long the node waits between two cleanups: a day at most, and so that what has expired is about an eighth
    /// of what is kept. The work of a cleanup grows with what is kept, too.
    pub fn cleared_every(&self) -> Duration {
        (self.keep / 8).clamp(HOUR, DAY)
    }
}

#[cfg(test)]
#[test]
fn what_is_kept_for_days_is_cleared_out_more_often_than_what_is_kept_for_months() {
    let every = |days: u32| Store { backend: None, keep: days * DAY, cache: 0 }.cleared_every();
    assert_eq!([0, 1, 2, 8, 90].map(every), [HOUR, 3 * HOUR, 6 * HOUR, DAY, DAY]);
}
