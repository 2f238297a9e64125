//! Power cuts, full disks and flipped bits under redb.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::*;
use crate::archive::{Archive, Commit, SourceId};
use crate::engine::{Batch, Order, Store, Table};
use crate::testing::MemoryStore;
use pergola_feed::Item;

/// Power cuts in a usual test run. `PERGOLA_POWER_CUTS=1000` asks for more.
const CUTS: u64 = 60;

fn cuts() -> u64 {
    std::env::var("PERGOLA_POWER_CUTS").map_or(CUTS, |text| text.parse().expect("a number of cuts"))
}

type Rows = BTreeMap<(u8, Vec<u8>), Vec<u8>>;

fn rows(store: &dyn Store) -> Rows {
    let mut rows = Rows::new();
    for table in Table::ALL {
        let mut visit = |key: &[u8], value: &[u8]| {
            rows.insert((table as u8, key.to_vec()), value.to_vec());
            ControlFlow::Continue(())
        };
        store.scan(table, &[], None, Order::Ascending, &mut visit).unwrap();
    }
    rows
}

/// New rows, replaced ones and deletions in two tables, some of them large.
fn batch(number: u64, disk: &Disk) -> Batch {
    let mut batch = Batch::default();
    for row in 0..disk.random(1..=8) {
        let length = [0, 20, 300, 3_000, 20_000][disk.random(0..=4) as usize];
        batch.put(
            Table::Entry,
            [number.to_be_bytes(), row.to_be_bytes()].concat(),
            vec![number as u8; length],
        );
        batch.put(Table::Chunk, row.to_be_bytes(), vec![!number as u8; length / 2]);
        batch.delete(
            Table::Entry,
            [(number - number.min(9)).to_be_bytes(), row.to_be_bytes()].concat(),
        );
    }
    batch.put(Table::Meta, "last", number.to_be_bytes().to_vec());
    batch
}

/// Commits until the power fails; returns the rows that were acknowledged, and those that the last batch would have
/// led to.
fn commit_until_off(disk: &Disk, model: &MemoryStore, number: &mut u64) -> (Rows, Rows) {
    let Ok(opened) = disk.open() else {
        assert!(disk.is_off(), "it does not open with power");
        return (rows(model), rows(model));
    };
    if model.get(Table::Meta, b"schema").unwrap().is_none() {
        let mut first = Batch::default();
        let schema = opened.store.get(Table::Meta, b"schema").unwrap().unwrap();
        first.put(Table::Meta, "schema", schema);
        model.commit(&first).unwrap();
    }
    loop {
        *number += 1;
        let batch = batch(*number, disk);
        let committed = opened.store.commit(&batch);
        let before = rows(model);
        if committed.is_ok() {
            model.commit(&batch).unwrap();
            continue;
        }
        assert!(disk.is_off(), "a commit failed with power: {committed:?}");
        let after = model.copy();
        after.commit(&batch).unwrap();
        return (before, rows(&after));
    }
}

#[test]
fn a_power_cut_at_any_moment_loses_nothing_acknowledged_and_tears_no_batch() {
    let (mut done, mut acknowledged, mut seed) = (0, 0, 0);
    while done < cuts() {
        seed += 1;
        let (mut disk, model) = (Disk::new(seed), MemoryStore::default());
        let mut number = 0;
        // The first life may end while the store is made; each disk lives through several cuts.
        for life in 0..5 {
            match (seed + life) % 4 {
                0 => disk.lose_unsynced(),
                1 => disk.keep_unsynced(),
                2 => disk.keep_part(false),
                _ => disk.keep_part(true),
            }
            let operations = disk.random(0..=if life % 2 == 0 { 400 } else { 40 });
            disk.cut_after(operations);
            let (before, after) = commit_until_off(&disk, &model, &mut number);
            acknowledged = acknowledged.max(number);
            done += 1;
            disk = disk.after_power_cut();
            let opened =
                disk.open().unwrap_or_else(|error| panic!("seed {seed}, life {life}: {error}"));
            let found = rows(&*opened.store);
            let whole = found == before || found == after;
            // A store that was never finished is made anew.
            assert!(
                whole || before.is_empty(),
                "seed {seed}, life {life}: batch {number} is torn or lost"
            );
            if found == after && before != after {
                let mut rest = Batch::default();
                let changes = [&before, &after].into_iter().flat_map(Rows::keys);
                for (table, key) in changes {
                    let table = Table::numbered(*table).unwrap();
                    match after.get(&(table as u8, key.clone())) {
                        Some(value) => rest.put(table, key.clone(), value.clone()),
                        None => rest.delete(table, key.clone()),
                    }
                }
                model.commit(&rest).unwrap();
            }
        }
    }
    assert!(acknowledged > 20, "hardly anything was committed: {acknowledged}");
    println!("{done} power cuts, up to {acknowledged} batches on one disk");
}

#[test]
fn a_disk_that_loses_what_was_synced_is_noticed() {
    // The test above can fail: the same with a disk that lies about its syncs.
    let disk = Disk::new(1);
    let opened = disk.open().unwrap();
    let made = disk.lock().durable.clone();
    opened.store.commit(&batch(1, &disk)).unwrap();
    disk.lose_unsynced();
    let mut state = disk.lock();
    (state.durable, state.off) = (made, true);
    drop(state);
    drop(opened);
    let found = disk.after_power_cut().open().unwrap();
    assert_eq!(found.store.get(Table::Meta, b"last").unwrap(), None);
}

#[test]
fn a_disk_that_runs_full_in_the_middle_of_a_commit_refuses_it_and_takes_the_next_when_there_is_room()
 {
    for seed in 0..20 {
        let (disk, model) = (Disk::new(seed), MemoryStore::default());
        let store = disk.open().unwrap().store;
        model.commit(&copy_of(&*store)).unwrap();
        disk.full_at(Some(disk.length() + disk.random(0..=400_000)));
        let mut refused = 0;
        for number in 1..60 {
            let mut batch = batch(number, &disk);
            batch.put(Table::History, number.to_be_bytes(), vec![7; 100_000]);
            match store.commit(&batch) {
                Ok(()) => model.commit(&batch).unwrap(),
                Err(StoreError::Full { .. }) => refused += 1,
                Err(error) => panic!("seed {seed}, batch {number}: {error}"),
            }
            assert!(rows(&*store) == rows(&model), "seed {seed}, batch {number}");
        }
        assert!(refused > 0, "seed {seed}: it never ran full");
        disk.full_at(None);
        let batch = batch(60, &disk);
        store.commit(&batch).unwrap();
        model.commit(&batch).unwrap();
        assert!(rows(&*store) == rows(&model), "seed {seed}");
        drop(store);
        assert!(rows(&*disk.open().unwrap().store) == rows(&model), "seed {seed}, opened again");
    }
}

fn copy_of(store: &dyn Store) -> Batch {
    let mut batch = Batch::default();
    for ((table, key), value) in rows(store) {
        batch.put(Table::numbered(table).unwrap(), key, value);
    }
    batch
}

#[test]
fn a_flipped_bit_never_becomes_a_wrong_item() {
    let disk = Disk::new(3);
    let archive = Archive::new(disk.open().unwrap().store);
    let item = |number: u32| Item {
        title: Some("word ".repeat(40)),
        ..Item::new(format!("item {number}"))
    };
    for number in 0..200 {
        let mut commit = Commit::new();
        commit.source(SourceId(1)).put_chunk(number, 1.0, &[&item(number)]);
        archive.commit(commit).unwrap();
    }
    drop(archive);
    let (mut found, mut refused, mut gone) = (0, 0, 0);
    for seed in 0..150 {
        let copy = Disk::holding(disk.lock().durable.clone(), Kept::Everything, seed);
        copy.flip(copy.random(0..=copy.length() - 1), copy.random(0..=7) as u8);
        let Ok(opened) = copy.open() else {
            refused += 1;
            continue;
        };
        let archive = Archive::new(opened.store);
        let checked = archive.check();
        for number in 0..200 {
            match archive.chunk(SourceId(1), number) {
                Ok(items) if items.is_empty() => gone += 1,
                Ok(items) => assert_eq!(items, [item(number)], "seed {seed}: another item"),
                Err(_) => {}
            }
        }
        found += usize::from(checked.is_err() || !archive.damage().is_empty());
    }
    println!(
        "150 flipped bits: {found} found by checking, {refused} refused to open, {gone} rows silently gone"
    );
    assert!(found > 0);
}
