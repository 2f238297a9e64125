//! Which rows were found damaged, and how often readers passed one.
//!
//! Kept in memory: reading and scrubbing find damage again after a restart. A row leaves the list when it is
//! written again or deleted, or is found whole.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::engine::{Batch, Table};

/// Rows that are remembered; beyond that they are only reported again when they are read.
const MOST: usize = 100_000;

/// A row's table and key.
pub type Row = (Table, Vec<u8>);

/// What was found damaged.
#[derive(Default)]
pub struct Damage {
    rows: Mutex<BTreeSet<Row>>,
    /// How many rows there are, to be read without a lock.
    count: AtomicUsize,
    passed: AtomicU64,
    /// Why the last scrubbing stopped, if it did.
    unreadable: Mutex<Option<String>>,
}

impl Damage {
    /// Whether nothing is known to be damaged.
    pub fn is_empty(&self) -> bool {
        self.count.load(Relaxed) == 0
    }

    /// How many rows of each table are damaged.
    pub fn counts(&self) -> BTreeMap<Table, usize> {
        let mut counts = BTreeMap::new();
        self.lock().iter().for_each(|(table, _)| *counts.entry(*table).or_default() += 1);
        counts
    }

    /// The damaged rows, in order.
    pub fn rows(&self) -> Vec<Row> {
        self.lock().iter().cloned().collect()
    }

    /// Entries that were left out of what was served, because they or their items are damaged.
    pub fn passed(&self) -> u64 {
        self.passed.load(Relaxed)
    }

    /// Counts entries that are left out.
    pub fn pass(&self, entries: u64) {
        self.passed.fetch_add(entries, Relaxed);
    }

    /// Why a part of the store cannot be read at all, if the last scrubbing met such a part.
    pub fn unreadable(&self) -> Option<String> {
        self.unreadable.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set_unreadable(&self, why: Option<String>) {
        *self.unreadable.lock().unwrap_or_else(PoisonError::into_inner) = why;
    }

    /// A row is damaged.
    pub(super) fn note(&self, table: Table, key: &[u8], reason: &str) {
        let mut rows = self.lock();
        if rows.len() < MOST && rows.insert((table, key.to_vec())) {
            tracing::error!(?table, key = %hex(key), reason, "a row of the store is damaged");
        }
        self.count.store(rows.len(), Relaxed);
    }

    /// A row is whole, or gone.
    pub(super) fn forget(&self, table: Table, key: &[u8]) {
        if self.is_empty() {
            return;
        }
        let mut rows = self.lock();
        if rows.remove(&(table, key.to_vec())) {
            tracing::info!(?table, key = %hex(key), "a damaged row of the store is mended");
        }
        self.count.store(rows.len(), Relaxed);
    }

    /// What a batch has written or deleted is damaged no longer.
    pub(super) fn forget_all(&self, batch: &Batch) {
        if !self.is_empty() {
            batch.iter().for_each(|(table, key, _)| self.forget(table, key));
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<Row>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn hex(key: &[u8]) -> String {
    key.iter().map(|byte| format!("{byte:02x}")).collect()
}
