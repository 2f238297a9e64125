//! Reading, scanning and committing.

use std::{
    ops::ControlFlow,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

use proptest::prelude::*;

use super::{
    super::{MAX_KEY_BYTES, StoreError, parts::PART_BYTES},
    *,
};

const TABLES: [Table; 3] = [Table::Source, Table::Chunk, Table::Host];

/// One thing done to a store and to the model beside it.
#[derive(Debug, Clone)]
enum Action {
    /// Table, key, and the length of the new value (none: delete).
    Commit(Vec<(usize, Vec<u8>, Option<usize>)>),
    Scan(usize, Vec<u8>, Option<Vec<u8>>),
    Reopen,
}

fn key() -> impl Strategy<Value = Vec<u8>> {
    // Few enough to meet again; some are prefixes of others, some look like numbers of parts.
    proptest::collection::vec(prop_oneof![Just(0), Just(1), Just(0xff)], 0..6)
}

fn length() -> impl Strategy<Value = usize> {
    prop_oneof![
        4 => 0..300usize,
        2 => PART_BYTES - 2..PART_BYTES + 12,
        1 => 2 * PART_BYTES - 1..2 * PART_BYTES + 2,
        2 => 0..200_000usize,
    ]
}

fn action() -> impl Strategy<Value = Action> {
    let change = (0..3usize, key(), proptest::option::weighted(0.7, length()));
    prop_oneof![
        6 => proptest::collection::vec(change, 0..12).prop_map(Action::Commit),
        3 => (0..3usize, key(), proptest::option::of(key()))
            .prop_map(|(table, from, to)| Action::Scan(table, from, to)),
        1 => Just(Action::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_store_behaves_like_sorted_maps(actions in proptest::collection::vec(action(), 1..20)) {
        on_each_backend(|backend, folder| {
            let mut store = open_store(folder, backend);
            let mut model = [Rows::new(), Rows::new(), Rows::new()];
            for (seed, action) in (0..).zip(&actions) {
                match action {
                    Action::Commit(changes) => apply(&*store, &mut model, changes, seed),
                    Action::Scan(table, from, to) => {
                        compare(&*store, TABLES[*table], &model[*table], from, to.as_deref());
                    }
                    Action::Reopen => {
                        drop(store);
                        store = open_store(folder, backend);
                    }
                }
            }
            drop(store);
            let store = open_store(folder, backend);
            for (table, expected) in TABLES.into_iter().zip(&model) {
                compare(&*store, table, expected, &[], None);
                for (key, value) in expected {
                    assert_eq!(store.get(table, key).unwrap().as_ref(), Some(value));
                }
            }
        });
    }
}

fn apply(
    store: &dyn Store,
    model: &mut [Rows; 3],
    changes: &[(usize, Vec<u8>, Option<usize>)],
    seed: u64,
) {
    let mut batch = Batch::default();
    for (number, (table, key, length)) in (0..).zip(changes) {
        match length {
            Some(length) => {
                let value = content(*length, seed * 100 + number);
                model[*table].insert(key.clone(), value.clone());
                batch.put(TABLES[*table], key.clone(), value);
            }
            None => {
                model[*table].remove(key);
                batch.delete(TABLES[*table], key.clone());
            }
        }
    }
    store.commit(&batch).unwrap();
}

fn compare(store: &dyn Store, table: Table, model: &Rows, from: &[u8], to: Option<&[u8]>) {
    let inside = |key: &[u8]| from <= key && to.is_none_or(|to| key < to);
    let expected = model.iter().filter(|(key, _)| inside(key));
    let mut expected: Vec<_> = expected.map(|(key, value)| (key.clone(), value.clone())).collect();
    assert!(scan(store, table, from, to, Order::Ascending) == expected, "{from:?} to {to:?}");
    expected.reverse();
    assert!(scan(store, table, from, to, Order::Descending) == expected, "{from:?} to {to:?}");
}

#[test]
fn the_last_change_of_a_key_in_a_batch_counts() {
    on_each_backend(|backend, folder| {
        let store = open_store(folder, backend);
        let mut batch = Batch::default();
        batch.put(Table::Feed, "a", content(50_000, 1));
        batch.put(Table::Feed, "a", b"small".to_vec());
        batch.delete(Table::Feed, "b");
        let mut more = Batch::default();
        more.put(Table::Feed, "b", content(50_000, 2));
        more.put(Table::Feed, "c", b"gone".to_vec());
        more.delete(Table::Feed, "c");
        batch.append(more);
        assert_eq!((batch.len(), batch.is_empty()), (6, false));
        store.commit(&batch).unwrap();
        assert_eq!(store.get(Table::Feed, b"a").unwrap().unwrap(), b"small");
        assert_eq!(store.get(Table::Feed, b"b").unwrap().unwrap(), content(50_000, 2));
        assert_eq!(store.get(Table::Feed, b"c").unwrap(), None);
    });
}

#[test]
fn rows_of_several_tables_under_one_key_are_read_in_the_order_of_the_tables() {
    on_each_backend(|backend, folder| {
        let store = open_store(folder, backend);
        let long = content(3 * PART_BYTES, 1);
        put(&*store, Table::Source, b"key", b"source");
        put(&*store, Table::Chunk, b"key", &long);
        put(&*store, Table::State, b"other", b"state");
        let tables = [Table::Chunk, Table::State, Table::Source];
        let read = store.get_from(&tables, b"key").unwrap();
        assert_eq!(read, [Some(long), None, Some(b"source".to_vec())], "{backend}");
    });
}

#[test]
fn a_visitor_that_breaks_sees_no_more_rows_and_no_other_table() {
    on_each_backend(|backend, folder| {
        let store = open_store(folder, backend);
        for key in [b"a", b"b", b"c"] {
            put(&*store, Table::Entry, key, key);
        }
        put(&*store, Table::Member, b"a", b"another table");
        let mut seen = Vec::new();
        let mut visit = |key: &[u8], _: &[u8]| {
            seen.push(key.to_vec());
            if seen.len() == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        store.scan(Table::Entry, b"", None, Order::Descending, &mut visit).unwrap();
        assert_eq!(seen, [b"c", b"b"]);
        assert_eq!(all_rows(&*store, Table::Entry).len(), 3);
    });
}

#[test]
fn a_visitor_may_delete_what_it_sees() {
    on_each_backend(|backend, folder| {
        let store = open_store(folder, backend);
        let mut batch = Batch::default();
        for number in 0..100_u64 {
            batch.put(Table::Known, number.to_be_bytes(), content(100 * number as usize, number));
        }
        store.commit(&batch).unwrap();
        let mut seen = 0;
        let mut visit = |key: &[u8], _: &[u8]| {
            let mut batch = Batch::default();
            batch.delete(Table::Known, key);
            store.commit(&batch).unwrap();
            seen += 1;
            ControlFlow::Continue(())
        };
        store.scan(Table::Known, &[], None, Order::Ascending, &mut visit).unwrap();
        assert_eq!((seen, all_rows(&*store, Table::Known).len()), (100, 0));
    });
}

#[test]
fn commits_of_several_threads_are_all_kept() {
    on_each_backend(|backend, folder| {
        let store = open_store(folder, backend);
        std::thread::scope(|scope| {
            for thread in 0..4_u8 {
                let store = &*store;
                scope.spawn(move || {
                    for round in 0..20_u8 {
                        put(store, Table::Known, &[thread, round], &content(8000, round.into()));
                    }
                });
            }
        });
        drop(store);
        let rows = all_rows(&*open_store(folder, backend), Table::Known);
        assert_eq!(rows.len(), 80);
        assert!(rows.iter().all(|(key, value)| *value == content(8000, key[1].into())));
    });
}

#[test]
fn a_row_that_is_too_large_is_refused_with_its_whole_batch() {
    on_each_backend(|backend, folder| {
        let store = open_store(folder, backend);
        let mut batch = Batch::default();
        batch.put(Table::Feed, "fits", vec![1]);
        batch.put(Table::Feed, vec![7; MAX_KEY_BYTES + 1], vec![1]);
        assert!(matches!(store.commit(&batch), Err(StoreError::TooLarge { key: 385, value: 1 })));
        assert_eq!(store.get(Table::Feed, b"fits").unwrap(), None);
    });
}

#[test]
fn a_large_value_is_never_seen_half_replaced() {
    on_each_backend(|backend, folder| {
        let store = open_store(folder, backend);
        let versions = [content(40_000, 1), content(60_000, 2), b"short".to_vec()];
        put(&*store, Table::Chunk, b"k", &versions[0]);
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for round in 0..60 {
                    put(&*store, Table::Chunk, b"k", &versions[round % 3]);
                }
                done.store(true, Relaxed);
            });
            while !done.load(Relaxed) {
                let value = store.get(Table::Chunk, b"k").unwrap().unwrap();
                assert!(versions.contains(&value), "{} bytes that nobody wrote", value.len());
                let rows = all_rows(&*store, Table::Chunk);
                assert!(rows.values().all(|value| versions.contains(value)));
            }
        });
    });
}

#[test]
fn sled_keeps_no_parts_of_values_that_shrank_or_went() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_store(folder.path(), Backend::Sled);
    put(&*store, Table::Chunk, b"shrinks", &content(100_000, 1));
    put(&*store, Table::Chunk, b"goes", &content(100_000, 2));
    drop(store);
    let store = open_store(folder.path(), Backend::Sled);
    let mut batch = Batch::default();
    batch.put(Table::Chunk, "shrinks", content(PART_BYTES + 1, 3));
    batch.delete(Table::Chunk, "goes");
    store.commit(&batch).unwrap();
    drop(store);
    let engine = sled::open(folder.path().join("store.sled")).unwrap();
    // The schema's row, the head and one part.
    assert_eq!(engine.len(), 3);
}

#[test]
fn a_value_of_which_a_part_is_lost_is_damage_and_not_a_shorter_value() {
    let folder = tempfile::tempdir().unwrap();
    put(&*open_store(folder.path(), Backend::Sled), Table::Chunk, b"k", &content(20_000, 1));
    let engine = sled::open(folder.path().join("store.sled")).unwrap();
    let (last_part, _) = engine.pop_max().unwrap().unwrap();
    assert_eq!(last_part, [0xff, Table::Chunk as u8, b'k', 0, 0, 0, 3]);
    engine.flush().unwrap();
    drop(engine);
    // The engine holds the file for a moment after it was dropped.
    std::fs::File::open(folder.path().join("store.sled/db")).unwrap().lock().unwrap();
    let store = open_store(folder.path(), Backend::Sled);
    // What is handed over does not fit the row's checksum.
    let stored = store.get(Table::Chunk, b"k").unwrap().unwrap();
    assert!(!content(20_000, 1).starts_with(&stored));
    let archive = crate::archive::Archive::new(store);
    archive.check().unwrap();
    assert_eq!(archive.damage().rows(), [(Table::Chunk, b"k".to_vec())]);
}

#[test]
fn sled_never_writes_to_the_files_that_it_does_not_sync() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_store(folder.path(), Backend::Sled);
    for round in 0..12_u64 {
        let mut batch = Batch::default();
        for number in 0..60_u64 {
            let place = (number * 7919 + round * 31) % 400;
            let mut key = content(MAX_KEY_BYTES, place);
            key[..8].copy_from_slice(&place.to_be_bytes());
            match number % 6 {
                0 => batch.delete(Table::Chunk, key),
                1 => batch.put(Table::Chunk, key, content(3 * PART_BYTES, round)),
                _ => batch.put(Table::Chunk, key, content(PART_BYTES, round)),
            }
        }
        store.commit(&batch).unwrap();
        let unsynced = std::fs::read_dir(folder.path().join("store.sled/blobs")).unwrap();
        assert_eq!(unsynced.count(), 0, "after {round} rounds");
    }
}
