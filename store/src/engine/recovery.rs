//! A store that does not open: what can be rebuilt is rebuilt, and nothing else is started in its place.
//!
//! sled keeps its rows in a log (`db`). Its snapshots (`snap.…`) only save it from reading the whole log, and its
//! settings (`conf`) are those that it writes into a new folder. So a store whose snapshot or settings are damaged is
//! complete without them. The files as they were are kept beside it.
//!
//! redb has one file and repairs it by itself as far as it can.

use std::{
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use super::{
    Backend, Store, StoreError,
    folder::{free_name, open_engine},
    format::{remove, sync_folder, tree_bytes},
    space::{self, FreeBytes},
};

/// A store with its schema, and what the operator should know.
pub(super) type Recovered = (Box<dyn Store>, Option<u32>, String);

/// Tries to rebuild a store that does not open because of `cause`; if that fails, its files are as they were.
pub(super) fn recover(
    path: &Path,
    backend: Backend,
    cache_bytes: u64,
    cause: &str,
    free_bytes: FreeBytes,
) -> Result<Recovered, StoreError> {
    let lost = || lost(path, cause);
    if backend != Backend::Sled {
        return Err(lost());
    }
    let room = tree_bytes(path).saturating_add(space::LEAST_FREE);
    let free = free_bytes(path).map_err(StoreError::io(path))?;
    if free < room {
        return Err(StoreError::Full { free, needed: room });
    }
    let aside = free_name(path, "damaged");
    copy_tree(path, &aside).map_err(StoreError::io(&aside))?;
    for expendable in [&["snap."][..], &["snap.", "conf"]] {
        without(path, expendable)?;
        if let Ok((store, Some(schema))) = open_engine(path, backend, cache_bytes) {
            let notice = format!(
                "{} was damaged ({cause}): it was rebuilt from its log, and holds all that the log holds; its \
                 files as they were are in {}, to be deleted when nothing is missing",
                path.display(),
                aside.display(),
            );
            return Ok((store, Some(schema), notice));
        }
    }
    remove(path)?;
    fs::rename(&aside, path).map_err(StoreError::io(path))?;
    path.parent().map_or(Ok(()), sync_folder)?;
    Err(lost())
}

/// Removes the files of a folder whose names begin so.
fn without(folder: &Path, starts: &[&str]) -> Result<(), StoreError> {
    for entry in fs::read_dir(folder).map_err(StoreError::io(folder))? {
        let path = entry.map_err(StoreError::io(folder))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if starts.iter().any(|start| name.starts_with(start)) {
            remove(&path)?;
        }
    }
    Ok(())
}

fn copy_tree(from: &Path, to: &Path) -> std::io::Result<()> {
    super::private::create_folder(to)?;
    for entry in fs::read_dir(from)? {
        let (path, to) = entry.map(|entry| (entry.path(), to.join(entry.file_name())))?;
        match path.is_dir() {
            true => copy_tree(&path, &to)?,
            false => {
                fs::copy(&path, &to)?;
                fs::File::open(&to)?.sync_all()?;
            }
        }
    }
    fs::File::open(to)?.sync_all()
}

/// A store that cannot be opened, with the way to get its data back.
pub(super) fn lost(path: &Path, cause: &str) -> StoreError {
    let folder = path.parent().unwrap_or(path).to_owned();
    let backup = newest_backup(&folder);
    StoreError::Lost {
        path: path.to_owned(),
        cause: cause.to_owned(),
        advice: advice(&folder, backup),
    }
}

fn advice(folder: &Path, backup: Option<PathBuf>) -> String {
    let folder = folder.display();
    match backup {
        Some(file) => format!(
            "the newest backup is {file}: `pergola restore {file} --replace --data {folder}` takes it and keeps the \
             damaged store beside it",
            file = file.display(),
        ),
        None => format!(
            "no backup is known: `pergola restore FILE --replace --data {folder}` takes one and keeps the damaged \
             store beside it"
        ),
    }
}

/// The file in which `pergola backup` says where it wrote the last backup of a folder.
pub const LAST_BACKUP: &str = "last-backup";

/// The newest backup that is in a data folder or was made of it.
pub fn newest_backup(folder: &Path) -> Option<PathBuf> {
    let inside = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let inside = inside.filter(|path| path.extension().is_some_and(|end| end == "backup"));
    let named = fs::read_to_string(folder.join(LAST_BACKUP)).ok();
    let named = named.map(|text| PathBuf::from(text.trim_end()));
    let written =
        |path: &PathBuf| -> Option<SystemTime> { fs::metadata(path).ok()?.modified().ok() };
    let all = inside.chain(named).filter_map(|path| Some((written(&path)?, path)));
    all.max().map(|(_, path)| path)
}
