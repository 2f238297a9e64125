//! Backups, restoring, and moving from one engine to the other.

use std::fs;

use super::{
    super::{
        backup::{
            BackupError, Replace, Summary, bytes_by_table, move_backend, read_backup, restore,
            transfer::{Done, move_in_steps},
            write_backup,
        },
        format::Format,
    },
    *,
};

/// The tables of which backups hold the rows.
const KEPT: [Table; 20] = *Table::ALL.first_chunk().unwrap();

/// Fills a folder with rows of all sizes in several tables.
fn fill(folder: &Path, backend: Backend) {
    let store = open_store(folder, backend);
    let mut batch = Batch::default();
    for number in 0..300_u64 {
        let length = [0, 10, 900, 30_000][number as usize % 4];
        let table = KEPT[number as usize % KEPT.len()];
        batch.put(table, number.to_be_bytes(), content(length, number));
    }
    store.commit(&batch).unwrap();
}

fn everything(store: &dyn Store) -> Vec<Rows> {
    Table::ALL.into_iter().map(|table| all_rows(store, table)).collect()
}

fn contents(folder: &Path) -> Vec<Rows> {
    everything(&*open(folder, None, 1 << 20).unwrap().store)
}

fn backup_of(folder: &Path) -> (Vec<u8>, Summary) {
    let mut file = Vec::new();
    let store = open(folder, None, 1 << 20).unwrap().store;
    let summary = write_backup(&*store, &mut file, |_| ()).unwrap();
    (file, summary)
}

fn stores_in(folder: &Path) -> Vec<Backend> {
    let there = |backend: &Backend| folder.join(backend.file_name()).exists();
    Backend::ALL.into_iter().filter(there).collect()
}

#[test]
fn a_backup_leaves_out_what_is_made_again_by_itself() {
    on_each_backend(|backend, folder| {
        fill(folder, backend);
        let without = backup_of(folder);
        let store = open_store(folder, backend);
        let mut batch = Batch::default();
        batch.put(Table::Arrival, b"chunk", content(10, 1));
        batch.put(Table::Index, b"segment", content(10, 2));
        store.commit(&batch).unwrap();
        drop(store);
        assert!(backup_of(folder) == without);
    });
}

#[test]
fn a_backup_restores_every_row_into_either_engine() {
    on_each_backend(|backend, folder| {
        fill(folder, backend);
        let (file, summary) = backup_of(folder);
        assert_eq!(summary.rows, 301);
        let bytes = bytes_by_table(&file[..]).unwrap();
        assert_eq!(bytes.iter().sum::<u64>(), summary.bytes);
        let histories = everything(&*open(folder, None, 1 << 20).unwrap().store);
        let history = histories[Table::History as usize].iter();
        let history: usize = history.map(|(key, value)| key.len() + value.len()).sum();
        assert_eq!(bytes[Table::History as usize], history as u64);
        for other in Backend::ALL {
            let target = tempfile::tempdir().unwrap();
            let mut last = 0;
            let progress = |rows| last = rows;
            let restored =
                restore(target.path(), other, Replace::Never, &file[..], progress).unwrap();
            assert_eq!((restored, last), (summary, 301));
            assert!(contents(target.path()) == contents(folder));
            assert_eq!(stores_in(target.path()), [other]);
            assert!(!target.path().join("restoring").exists());
        }
    });
}

#[test]
fn a_backup_that_was_cut_off_anywhere_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), Backend::Redb);
    let (file, _) = backup_of(folder.path());
    let target = tempfile::tempdir().unwrap();
    for length in [0, 5, 14, 15, 20, file.len() / 2, file.len() - 30, file.len() - 1] {
        let cut = &file[..length];
        let error = restore(target.path(), Backend::Redb, Replace::Never, cut, |_| ()).unwrap_err();
        assert!(
            matches!(error, BackupError::NotABackup | BackupError::Damaged(_)),
            "{length}: {error}"
        );
        assert!(bytes_by_table(cut).is_err(), "{length}");
        assert_eq!(stores_in(target.path()), []);
        assert!(!target.path().join("restoring").exists());
    }
}

#[test]
fn a_restore_that_fails_leaves_no_folder_that_it_made() {
    let place = tempfile::tempdir().unwrap();
    let there = place.path().join("there");
    fs::create_dir(&there).unwrap();
    for folder in [there.join("new/data"), there.join("data"), there.clone()] {
        let restored = restore(&folder, Backend::Redb, Replace::Never, &b"nonsense"[..], |_| ());
        assert!(matches!(restored, Err(BackupError::NotABackup)), "{restored:?}");
    }
    let left: Vec<_> = fs::read_dir(&there).unwrap().map(|left| left.unwrap().path()).collect();
    assert_eq!(left, [there.join("lock")], "only in a folder that was there before");
}

#[test]
fn a_backup_with_a_changed_byte_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), Backend::Redb);
    let (file, _) = backup_of(folder.path());
    let target = tempfile::tempdir().unwrap();
    // Before that come the settings of the zstd frame, of which a change may be harmless.
    for place in (21..file.len()).step_by(file.len() / 40) {
        let mut changed = file.clone();
        changed[place] ^= 0x10;
        let restored = restore(target.path(), Backend::Redb, Replace::Never, &changed[..], |_| ());
        assert!(
            matches!(restored, Err(BackupError::Damaged(_) | BackupError::Newer { .. })),
            "{place}: {restored:?}"
        );
        assert_eq!(stores_in(target.path()), []);
    }
}

#[test]
fn what_is_no_backup_or_a_newer_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let restore = |file: &[u8]| {
        restore(folder.path(), Backend::Redb, Replace::Never, file, |_| ()).unwrap_err()
    };
    assert!(matches!(restore(b"<rss version=\"2.0\"/>"), BackupError::NotABackup));
    let newer = restore(b"pergola-backup\x02 and so on");
    assert!(matches!(newer, BackupError::Newer { found: 2, known: 1 }), "{newer}");
    let mut newer_schema = b"pergola-backup\x01".to_vec();
    newer_schema.extend(zstd::encode_all(&9_u32.to_be_bytes()[..], 3).unwrap());
    let newer = restore(&newer_schema);
    assert!(matches!(newer, BackupError::Newer { found: 9, known: LATEST }), "{newer}");
}

#[test]
fn a_row_of_absurd_length_is_refused_without_making_room_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_store(folder.path(), Backend::Redb);
    let rows = [0, 0, 0, 1, 1, 4, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, b'k'];
    let mut file = b"pergola-backup\x01".to_vec();
    file.extend(zstd::encode_all(&rows[..], 3).unwrap());
    let error = read_backup(&*store, &file[..], |_| ()).unwrap_err();
    assert!(matches!(error, BackupError::Damaged(_)), "{error}");
}

#[test]
fn a_store_that_is_there_is_replaced_only_on_request_and_kept_aside() {
    on_each_backend(|backend, folder| {
        fill(folder, backend);
        let (file, _) = backup_of(folder);
        let target = tempfile::tempdir().unwrap();
        let target = target.path();
        put(&*open_store(target, Backend::Sled), Table::Feed, b"old", b"1");

        let refused = restore(target, backend, Replace::Never, &file[..], |_| ());
        assert!(matches!(refused, Err(BackupError::InUse { .. })), "{refused:?}");
        let cut = &file[..file.len() - 1];
        assert!(restore(target, backend, Replace::SetAside, cut, |_| ()).is_err());
        let store = open_store(target, Backend::Sled);
        assert_eq!(store.get(Table::Feed, b"old").unwrap().unwrap(), b"1");
        let busy = restore(target, backend, Replace::SetAside, &file[..], |_| ());
        assert!(matches!(busy, Err(BackupError::Store(_))), "{busy:?}");
        drop(store);

        restore(target, backend, Replace::SetAside, &file[..], |_| ()).unwrap();
        assert!(contents(target) == contents(folder));
        assert!(target.join("store.sled.replaced-1").exists());
    });
}

#[test]
fn an_interrupted_restore_is_cleared_away_or_said() {
    on_each_backend(|backend, folder| {
        fill(folder, backend);
        let before = contents(folder);
        // It stopped while it was unpacking.
        fs::create_dir(folder.join("restoring")).unwrap();
        fs::write(folder.join("restoring/part"), "of a backup").unwrap();
        assert!(contents(folder) == before);
        assert!(!folder.join("restoring").exists());

        // It stopped after the old store was set aside.
        let (file, _) = backup_of(folder);
        let path = folder.join(backend.file_name());
        let aside = folder.join(format!("{}.replaced-1", backend.file_name()));
        fs::rename(&path, &aside).unwrap();
        let error = open(folder, None, 1 << 20).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("as .replaced-1: rename it"), "{error}");
        restore(folder, backend, Replace::SetAside, &file[..], |_| ()).unwrap();
        assert!(contents(folder) == before);
    });
}

#[test]
fn a_moved_folder_holds_the_same_rows_in_the_other_engine() {
    on_each_backend(|backend, folder| {
        fill(folder, backend);
        let before = contents(folder);
        let other = other_than(backend);
        let summary = move_backend(folder, other, |_| ()).unwrap();
        assert_eq!(summary.rows, 301);
        assert_eq!(stores_in(folder), [other]);
        assert!(contents(folder) == before);
        // Again is harmless.
        assert_eq!(move_backend(folder, other, |_| ()).unwrap(), summary);
        assert!(contents(folder) == before);
    });
}

fn other_than(backend: Backend) -> Backend {
    match backend {
        Backend::Sled => Backend::Redb,
        Backend::Redb => Backend::Sled,
    }
}

#[test]
fn a_move_that_stops_anywhere_leaves_one_whole_store_and_can_be_repeated() {
    for stop in Done::ALL {
        on_each_backend(|backend, folder| {
            fill(folder, backend);
            let before = contents(folder);
            let other = other_than(backend);
            let stopped = move_in_steps(
                folder,
                other,
                |_| (),
                |done| {
                    if done == stop { Err(BackupError::NotABackup) } else { Ok(()) }
                },
            );
            assert!(matches!(stopped, Err(BackupError::NotABackup)));

            let store = open(folder, None, 1 << 20).unwrap();
            assert_eq!(store.notice, None);
            let flipped = matches!(stop, Done::Flipped | Done::Removed);
            assert_eq!(store.store.backend(), if flipped { other } else { backend });
            assert!(everything(&*store.store) == before, "stopped after {stop:?}");
            drop(store);
            assert_eq!(stores_in(folder).len(), 1);
            assert_eq!(Format::read(folder, LATEST).unwrap().unwrap().discard, None);
            move_backend(folder, other, |_| ()).unwrap();
            assert!(contents(folder) == before);
        });
    }
}

#[test]
fn a_move_never_writes_over_a_store_that_it_did_not_make() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), Backend::Sled);
    fs::write(folder.path().join("store.redb"), "somebody's").unwrap();
    let error = move_backend(folder.path(), Backend::Redb, |_| ()).unwrap_err();
    assert!(error.to_string().contains("in the way"), "{error}");
    assert_eq!(fs::read(folder.path().join("store.redb")).unwrap(), b"somebody's");
}

#[test]
fn a_backup_carries_the_schema_of_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), Backend::Redb);
    let (file, _) = backup_of(folder.path());
    let target = tempfile::tempdir().unwrap();
    restore(target.path(), Backend::Sled, Replace::Never, &file[..], |_| ()).unwrap();
    let store = open_store(target.path(), Backend::Sled);
    assert_eq!(migrate::schema_of(&*store).unwrap(), Some(LATEST));
}
