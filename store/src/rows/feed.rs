//! Feeds and their entries.

use std::borrow::Cow;

use super::{List, inside, row};
use crate::records::{Entry, FeedId, FeedRecord, FeedTally, OldIds};

inside!(FeedId(u32));

row!(FeedRecord as FeedRow<'a> {
    name: Cow<'a, str>,
    statement: Cow<'a, str>,
    created_at: f64,
    declared: bool,
});

row!(FeedTally as FeedTallyRow { next: u64, edition: u64, changed_at: f64 });

row!(OldIds as OldIdsRow<'a> { before: u64, except: List<'a, u64> });

row!(Entry as EntryRow {
    key: u128,
    source: u32,
    chunk: u32,
    index: u16,
    at: f64,
    changed_at: f64,
    dated: f64,
});

impl EntryRow {
    /// The date by which people find the item, and when it arrived.
    pub(super) fn dates(&self) -> (f64, f64) {
        (self.dated, self.at)
    }
}
