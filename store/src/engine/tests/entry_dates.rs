//! Version 7: entries have a date; those from before have the one when they arrived.

use std::{fs, io};

use super::super::StoreError;
use super::super::folder::Opening;
use super::super::migrate::STEPS;
use super::super::seal::{seal, unseal};
use super::*;
use crate::archive::{Archive, FeedId};
use crate::rows::keys::entry_key;

const FEED: FeedId = FeedId(3);
/// More than fit into one commit of the upgrade.
const ENTRIES: u64 = 160_000;

/// A folder as version 6 left it.
fn sixth_version(folder: &Path, backend: Backend) {
    let opening = Opening { steps: &STEPS[..5], ..Opening::default() };
    let store = opening.open(folder, Some(backend)).unwrap().store;
    for some in (0..ENTRIES).collect::<Vec<_>>().chunks(20_000) {
        let mut batch = Batch::default();
        for number in some {
            let key = entry_key(FEED, *number);
            let at = 100.5 + *number as f64;
            let row = (u128::MAX - u128::from(*number), 7_u32, 8_u32, 9_u16, at, at + 1.0);
            let mut row = postcard::to_stdvec(&row).unwrap();
            seal(Table::Entry, &key, &mut row);
            batch.put(Table::Entry, key, row);
        }
        store.commit(&batch).unwrap();
    }
}

/// A disk that has room for as many commits as a file in the folder says.
fn room_by_file(folder: &Path) -> io::Result<u64> {
    let path = folder.join("room");
    let left: u64 = fs::read_to_string(&path)?.parse().map_err(io::Error::other)?;
    fs::write(&path, left.saturating_sub(1).to_string())?;
    Ok(if left == 0 { 0 } else { u64::MAX })
}

#[test]
fn entries_from_before_are_dated_by_their_arrival_however_often_that_is_interrupted() {
    on_each_backend(|backend, folder| {
        sixth_version(folder, backend);
        let opening = Opening { free_bytes: room_by_file, ..Opening::default() };
        let (mut interrupted, mut room) = (0, 3);
        let store = loop {
            fs::write(folder.join("room"), room.to_string()).unwrap();
            match opening.open(folder, None) {
                Ok(opened) => break opened.store,
                Err(StoreError::NotBackedUp { .. }) => room += 1,
                Err(StoreError::Full { .. }) => (interrupted, room) = (interrupted + 1, room + 1),
                Err(error) => panic!("{error}"),
            }
        };
        assert!(interrupted > 0, "it was done at once");
        let archive = Archive::new(store);
        let entries = archive.entries(FEED, 0, u64::MAX, Order::Ascending, usize::MAX).unwrap();
        assert_eq!(entries.len() as u64, ENTRIES);
        for (number, entry) in &entries {
            let at = 100.5 + *number as f64;
            assert_eq!((entry.at, entry.changed_at, entry.dated), (at, at + 1.0, at));
        }
        assert_eq!(all_rows(&**archive.store(), Table::Meta).len(), 1, "nothing is left of it");
    });
}

#[test]
fn a_damaged_entry_stays_as_it_is() {
    on_each_backend(|backend, folder| {
        let opening = Opening { steps: &STEPS[..5], ..Opening::default() };
        let store = opening.open(folder, Some(backend)).unwrap().store;
        let key = entry_key(FEED, 0);
        put(&*store, Table::Entry, &key, b"no entry");
        drop(store);
        let store = open_store(folder, backend);
        let row = store.get(Table::Entry, &key).unwrap().unwrap();
        assert_eq!(row, b"no entry");
        assert_eq!(unseal(Table::Entry, &key, &row), None);
    });
}
