//! The store's behaviour, the same on both engines.

mod backups;
mod entry_dates;
mod folders;
mod going_back;
mod migration;
mod published_ids;
mod room;
mod rows;

use std::{collections::BTreeMap, ops::ControlFlow, path::Path, sync::Arc};

use super::{Backend, Batch, Order, Store, Table, migrate, open};

/// The version that all steps lead to.
const LATEST: u32 = migrate::latest(migrate::STEPS);

/// Rows by key, as a test expects or finds them.
type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

/// Runs a test once for each engine, in a data folder of its own.
fn on_each_backend(test: impl Fn(Backend, &Path)) {
    for backend in Backend::ALL {
        let folder = tempfile::tempdir().unwrap();
        test(backend, folder.path());
    }
}

fn open_store(folder: &Path, backend: Backend) -> Arc<dyn Store> {
    let opened = open(folder, Some(backend), 4 << 20).unwrap();
    assert_eq!(opened.notice, None);
    opened.store
}

fn put(store: &dyn Store, table: Table, key: &[u8], value: &[u8]) {
    let mut batch = Batch::default();
    batch.put(table, key, value.to_vec());
    store.commit(&batch).unwrap();
}

/// The rows of a range in the order they are visited.
fn scan(
    store: &dyn Store,
    table: Table,
    from: &[u8],
    to: Option<&[u8]>,
    order: Order,
) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut rows = Vec::new();
    let mut visit = |key: &[u8], value: &[u8]| {
        rows.push((key.to_vec(), value.to_vec()));
        ControlFlow::Continue(())
    };
    store.scan(table, from, to, order, &mut visit).unwrap();
    rows
}

fn all_rows(store: &dyn Store, table: Table) -> Rows {
    scan(store, table, &[], None, Order::Ascending).into_iter().collect()
}

/// Bytes that look like no other row's.
fn content(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    (0..length).map(next).collect()
}
