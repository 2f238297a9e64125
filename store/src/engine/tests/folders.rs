//! Versions, engines, locks, damage and full disks.

use std::{fs, io, path::PathBuf};

use super::{
    super::{
        StoreError,
        folder::{Opening, holds_data, open_engine},
        format::Format,
        migrate::Step,
    },
    *,
};

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_new_folder_gets_redb_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("new/data"), None, 1 << 20).unwrap().store;
    assert_eq!(store.backend(), Backend::Redb);
    assert!(store.bytes_on_disk() > 0);
    let format = fs::read_to_string(folder.path().join("new/data/format.json")).unwrap();
    assert_eq!(format, format!(r#"{{"schema":{LATEST},"backend":"redb"}}"#));
}

#[test]
fn a_folder_keeps_the_engine_that_it_has() {
    on_each_backend(|backend, folder| {
        put(&*open_store(folder, backend), Table::Feed, b"old", b"1");
        let store = open(folder, None, 1 << 20).unwrap().store;
        assert_eq!(store.backend(), backend);
        assert_eq!(store.get(Table::Feed, b"old").unwrap().as_deref(), Some(&b"1"[..]));
    });
}

#[test]
fn whether_a_folder_holds_data_is_found_out_without_touching_it() {
    on_each_backend(|backend, folder| {
        assert!(!holds_data(&folder.join("nowhere")).unwrap());
        assert!(!holds_data(folder).unwrap());
        assert_eq!(names(folder), [""; 0]);
        drop(open_store(folder, backend));
        assert!(holds_data(folder).unwrap());
        fs::remove_file(folder.join("format.json")).unwrap();
        assert!(holds_data(folder).unwrap(), "the store itself is there");
    });
}

#[test]
fn engines_have_names_that_can_be_read_back() {
    for backend in Backend::ALL {
        assert_eq!(backend.to_string().parse(), Ok(backend));
        assert_eq!(serde_json::to_string(&backend).unwrap(), format!("\"{backend}\""));
    }
    let error = "rocks".parse::<Backend>().unwrap_err().to_string();
    assert_eq!(error, "there is no store called \"rocks\": write sled or redb");
}

#[test]
fn a_folder_is_opened_by_one_at_a_time() {
    on_each_backend(|backend, folder| {
        let store = open_store(folder, backend);
        let error = open(folder, None, 1 << 20).map(|_| ()).unwrap_err();
        assert!(matches!(error, StoreError::Locked { .. }), "{error}");
        assert!(error.to_string().starts_with("another pergola is using "));
        drop(store);
        assert_eq!(open(folder, None, 1 << 20).unwrap().store.backend(), backend);
    });
}

#[test]
fn the_other_engine_is_refused_with_the_command_that_moves_the_data() {
    let folder = tempfile::tempdir().unwrap();
    drop(open_store(folder.path(), Backend::Sled));
    let error = open(folder.path(), Some(Backend::Redb), 1 << 20).map(|_| ()).unwrap_err();
    assert!(matches!(error, StoreError::OtherBackend { .. }));
    assert!(error.to_string().contains("`pergola store move --to redb`"), "{error}");
    assert_eq!(names(folder.path()), ["format.json", "lock", "store.sled"]);
}

#[test]
fn a_newer_folder_is_refused_before_anything_is_touched() {
    let folder = tempfile::tempdir().unwrap();
    let newer = r#"{"schema": 8, "backend": "a later invention", "more": []}"#;
    fs::write(folder.path().join("format.json"), newer).unwrap();
    let error = open(folder.path(), None, 1 << 20).map(|_| ()).unwrap_err();
    assert!(matches!(error, StoreError::Newer { found: 8, known: LATEST, .. }), "{error}");
    assert_eq!(names(folder.path()), ["format.json"]);
}

#[test]
fn a_lost_format_file_is_written_again_from_what_is_there() {
    on_each_backend(|backend, folder| {
        put(&*open_store(folder, backend), Table::Feed, b"a", b"1");
        fs::remove_file(folder.join("format.json")).unwrap();
        let store = open(folder, None, 1 << 20).unwrap().store;
        assert_eq!(store.get(Table::Feed, b"a").unwrap().unwrap(), b"1");
        assert!(folder.join("format.json").exists());
    });
}

#[test]
fn a_store_that_is_not_where_the_format_says_is_an_error_and_not_an_empty_store() {
    let folder = tempfile::tempdir().unwrap();
    drop(open_store(folder.path(), Backend::Sled));
    fs::rename(folder.path().join("store.sled"), folder.path().join("elsewhere")).unwrap();
    let error = open(folder.path(), None, 1 << 20).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("format.json names it but it is not there"), "{error}");
    assert_eq!(names(folder.path()), ["elsewhere", "format.json", "lock"]);
}

/// What a disk may do to a store: a title, the file, and its new contents.
fn damages(backend: Backend) -> Vec<(PathBuf, Vec<u8>)> {
    match backend {
        Backend::Sled => vec![
            ("store.sled/db".into(), vec![0; 1 << 20]),
            ("store.sled/db".into(), content(1 << 20, 1)),
        ],
        Backend::Redb => {
            vec![("store.redb".into(), content(1 << 20, 1)), ("store.redb".into(), b"cut".to_vec())]
        }
    }
}

#[test]
fn a_damaged_store_is_refused_with_the_command_that_helps_and_stays_as_it_is() {
    on_each_backend(|backend, folder| {
        put(&*open_store(folder, backend), Table::Feed, b"a", b"1");
        for (file, garbage) in damages(backend) {
            let whole = fs::read(folder.join(&file)).unwrap();
            fs::write(folder.join(&file), &garbage).unwrap();
            let before = names(folder);
            let error = open(folder, None, 1 << 20).map(|_| ()).unwrap_err();
            assert!(matches!(error, StoreError::Lost { .. }), "{error}");
            let command = format!("`pergola restore FILE --replace --data {}`", folder.display());
            assert!(error.to_string().contains(&command), "{error}");
            assert_eq!(names(folder), before, "nothing is started in its place");
            // sled writes to its file while it finds out.
            let as_it_was = fs::read(folder.join(&file)).unwrap() == garbage;
            assert!(as_it_was || backend == Backend::Sled);

            let backup = folder.join("monday.backup");
            fs::write(&backup, "a backup").unwrap();
            let error = open(folder, None, 1 << 20).map(|_| ()).unwrap_err().to_string();
            let command = format!("`pergola restore {} --replace", backup.display());
            assert!(error.contains(&command), "{error}");
            fs::remove_file(backup).unwrap();
            fs::write(folder.join(&file), whole).unwrap();
        }
    });
}

/// The snapshot of a folder with a sled store.
fn snapshot(folder: &Path) -> PathBuf {
    let files = fs::read_dir(folder.join("store.sled")).unwrap();
    let mut files = files.map(|file| file.unwrap().path());
    files.find(|path| path.display().to_string().contains("snap.")).expect("a snapshot")
}

fn flip_a_bit(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    fs::write(path, bytes).unwrap();
}

#[test]
fn sled_is_rebuilt_from_its_log_if_a_bit_of_its_snapshot_or_settings_flips() {
    for (of_snapshot, of_settings) in [(true, false), (false, true), (true, true)] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        for round in 0..3_u32 {
            let store = open_store(folder, Backend::Sled);
            for number in 0..200_u32 {
                let key = [round, number].map(u32::to_be_bytes).concat();
                put(&*store, Table::Feed, &key, &content(3_000, number.into()));
            }
        }
        let before = all_rows(&*open_store(folder, Backend::Sled), Table::Feed);
        assert_eq!(before.len(), 600);
        if of_snapshot {
            flip_a_bit(&snapshot(folder));
        }
        if of_settings {
            flip_a_bit(&folder.join("store.sled/conf"));
        }
        let opened = open(folder, None, 1 << 20).unwrap();
        let notice = opened.notice.unwrap_or_default();
        assert!(notice.contains("rebuilt from its log"), "{notice}");
        assert!(notice.contains("store.sled.damaged-1"), "{notice}");
        assert!(all_rows(&*opened.store, Table::Feed) == before, "rows are missing");
        drop(opened.store);
        assert!(all_rows(&*open_store(folder, Backend::Sled), Table::Feed) == before);
    }
}

#[test]
fn a_store_that_was_never_finished_is_made_anew() {
    on_each_backend(|backend, folder| {
        let path = folder.join(backend.file_name());
        fs::write(folder.join("creating"), "").unwrap();
        match backend {
            Backend::Redb => fs::write(&path, content(5_000, 1)).unwrap(),
            Backend::Sled => {
                fs::create_dir(&path).unwrap();
                fs::write(path.join("conf"), "seg").unwrap();
            }
        }
        drop(open_store(folder, backend));
        assert!(!folder.join("creating").exists());
        // Without the mark it may have held data.
        fs::remove_file(folder.join("format.json")).unwrap();
        let file = if backend == Backend::Redb { path } else { path.join("db") };
        fs::write(file, content(1 << 20, 1)).unwrap();
        let error = open(folder, None, 1 << 20).map(|_| ()).unwrap_err();
        assert!(matches!(error, StoreError::Lost { .. }), "{error}");
    });
}

#[test]
fn only_the_owner_can_read_a_data_folder_also_one_that_an_earlier_version_made() {
    use std::os::unix::fs::PermissionsExt;
    let open_to_others = |folder: &Path| {
        let mut found = Vec::new();
        let mut look = vec![folder.to_owned()];
        while let Some(path) = look.pop() {
            let metadata = fs::metadata(&path).unwrap();
            if metadata.permissions().mode() & 0o077 != 0 {
                found.push(path.clone());
            }
            if metadata.is_dir() {
                look.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
        }
        found
    };
    on_each_backend(|backend, folder| {
        let folder = folder.join("data");
        drop(open_store(&folder, backend));
        assert_eq!(open_to_others(&folder), Vec::<PathBuf>::new());
        fs::write(folder.join("monday.backup"), "a backup").unwrap();
        let all = [
            &folder,
            &folder.join("format.json"),
            &folder.join("monday.backup"),
            &folder.join(backend.file_name()),
        ];
        for path in all {
            let mode = if path.is_dir() { 0o755 } else { 0o644 };
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
        drop(open_store(&folder, backend));
        assert_eq!(open_to_others(&folder), Vec::<PathBuf>::new());
    });
}

#[test]
fn a_store_that_cannot_be_read_is_an_error_and_is_not_set_aside() {
    on_each_backend(|backend, folder| {
        drop(open_store(folder, backend));
        let file = match backend {
            Backend::Sled => folder.join("store.sled/db"),
            Backend::Redb => folder.join("store.redb"),
        };
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        let before = names(folder);
        let error = open(folder, None, 1 << 20).map(|_| ()).unwrap_err();
        assert!(matches!(error, StoreError::Io { .. }), "{error}");
        assert_eq!(names(folder), before);
    });
}

/// A disk whose free space is what a file in the folder says.
fn free_by_file(folder: &Path) -> io::Result<u64> {
    let text = fs::read_to_string(folder.join("free"))?;
    text.parse().map_err(io::Error::other)
}

#[test]
fn a_nearly_full_disk_refuses_commits_and_changes_nothing() {
    on_each_backend(|backend, folder| {
        let set_free = |bytes: u64| fs::write(folder.join("free"), bytes.to_string()).unwrap();
        let opening = Opening { free_bytes: free_by_file, ..Opening::default() };
        set_free((16 << 20) - 1);
        let error = opening.open(folder, Some(backend)).map(|_| ()).unwrap_err();
        assert!(matches!(error, StoreError::Full { .. }), "no store is made: {error}");
        assert!(!folder.join(backend.file_name()).exists());

        set_free(16 << 20);
        let store = opening.open(folder, Some(backend)).unwrap().store;
        put(&*store, Table::Feed, b"a", b"fits");
        let mut large = Batch::default();
        large.put(Table::Feed, "b", vec![0; 5 << 20]);
        let error = store.commit(&large).unwrap_err();
        let (free, needed) = (16 << 20, 4 * ((5 << 20) + 1));
        assert!(
            matches!(error, StoreError::Full { free: f, needed: n } if (f, n) == (free, needed)),
            "{error}"
        );
        assert_eq!(store.get(Table::Feed, b"b").unwrap(), None);
        set_free(needed);
        store.commit(&large).unwrap();
        drop(store);

        set_free(0);
        let store = opening.open(folder, None).unwrap().store;
        assert_eq!(
            store.get(Table::Feed, b"a").unwrap().unwrap(),
            b"fits",
            "what is there is served"
        );
        let error = store.commit(&large).unwrap_err();
        assert!(matches!(error, StoreError::Full { .. }), "{error}");
        set_free(needed);
        store.commit(&large).unwrap();
    });
}

#[test]
fn a_full_disk_reported_by_the_system_is_the_same_error() {
    let error = StoreError::io("store.sled")(io::ErrorKind::StorageFull.into());
    assert!(matches!(error, StoreError::Full { .. }), "{error}");
}

/// Adds one to a counter: taken twice, it would show.
fn count_up(store: &dyn Store) -> Result<Batch, StoreError> {
    let old = store.get(Table::Meta, b"counter")?.map_or(0, |value| value[0]);
    let mut batch = Batch::default();
    batch.put(Table::Meta, "counter", vec![old + 1]);
    Ok(batch)
}

/// Stops like a crash as long as there is a certain row.
fn stop_if_told(store: &dyn Store) -> Result<Batch, StoreError> {
    match store.get(Table::Meta, b"stop")? {
        Some(_) => Err(StoreError::Full { free: 0, needed: 1 }),
        None => count_up(store),
    }
}

const TWO_STEPS: &[Step] = &[count_up, stop_if_told];
/// One step more than there really are.
const BEYOND: [Step; LATEST as usize] = [count_up; LATEST as usize];
const NEXT: u32 = LATEST + 1;

fn open_at(folder: &Path, steps: &[Step]) -> Result<Arc<dyn Store>, StoreError> {
    let opening = Opening { steps, ..Opening::default() };
    opening.open(folder, None).map(|opened| opened.store)
}

/// A folder as the first version made it.
fn open_first_version(folder: &Path, backend: Backend) -> Arc<dyn Store> {
    Opening { steps: &[], ..Opening::default() }.open(folder, Some(backend)).unwrap().store
}

fn counter(store: &dyn Store) -> u8 {
    store.get(Table::Meta, b"counter").unwrap().unwrap()[0]
}

#[test]
fn an_old_folder_is_brought_forward_once() {
    on_each_backend(|backend, folder| {
        drop(open_first_version(folder, backend));
        for _ in 0..2 {
            assert_eq!(u32::from(counter(&*open_at(folder, &BEYOND).unwrap())), LATEST);
        }
        assert_eq!(Format::read(folder, NEXT).unwrap().unwrap().schema, NEXT);
        let error = open(folder, None, 1 << 20).map(|_| ()).unwrap_err();
        assert!(matches!(error, StoreError::Newer { found: NEXT, known: LATEST, .. }), "{error}");
    });
}

#[test]
fn a_new_folder_needs_no_steps() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_at(folder.path(), TWO_STEPS).unwrap();
    assert_eq!(store.get(Table::Meta, b"counter").unwrap(), None);
}

#[test]
fn a_crash_between_two_steps_repeats_neither() {
    on_each_backend(|backend, folder| {
        put(&*open_first_version(folder, backend), Table::Meta, b"stop", b"");
        assert!(open_at(folder, TWO_STEPS).is_err());
        // Only the first step is in the store, but no program that knows less may have it.
        for steps in [&[], &TWO_STEPS[..1]] {
            let error = open_at(folder, steps).map(|_| ()).unwrap_err();
            assert!(matches!(error, StoreError::Newer { found: 3, .. }), "{error}");
        }
        let path = folder.join(backend.file_name());
        let (store, schema) = open_engine(&path, backend, 1 << 20).unwrap();
        assert_eq!((schema, counter(&*store)), (Some(2), 1));
        let mut batch = Batch::default();
        batch.delete(Table::Meta, "stop");
        store.commit(&batch).unwrap();
        drop(store);
        assert_eq!(counter(&*open_at(folder, TWO_STEPS).unwrap()), 2);
    });
}
