//! A backup replaces the store of a data folder.
//!
//! The new store is built in `restoring/` inside the data folder (which may be a mounted volume, so the folder
//! itself cannot be renamed) and moved into place when the whole backup has been read and checked.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use super::{BackupError, Summary, read_backup};
use crate::engine::{
    Backend, StoreError,
    folder::{RESTORING, open_engine, set_aside},
    format::{Format, lock, remove, sync_folder},
    held::HeldStore,
    migrate::{self, STEPS},
    private, space,
};

/// What to do with a store that is already there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replace {
    /// Refuse to restore.
    Never,
    /// Set it aside as `store.….replaced-1` (or -2 and so on) and restore.
    SetAside,
}

/// Makes a data folder hold what a backup holds, in the given engine. If that fails, the folder is unchanged, and
/// one that was not there is not there afterwards.
pub fn restore(
    folder: &Path,
    backend: Backend,
    replace: Replace,
    input: impl Read,
    progress: impl FnMut(u64),
) -> Result<Summary, BackupError> {
    let missing: Vec<PathBuf> =
        folder.ancestors().take_while(|part| !part.exists()).map(Path::to_owned).collect();
    private::create_folder(folder).map_err(StoreError::io(folder))?;
    let restored = restore_into(folder, backend, replace, input, progress);
    if restored.is_err() && !missing.is_empty() {
        // What cannot be removed has been used by somebody else meanwhile.
        let _ = fs::remove_file(folder.join("lock"));
        missing.iter().for_each(|made| drop(fs::remove_dir(made)));
    }
    restored
}

fn restore_into(
    folder: &Path,
    backend: Backend,
    replace: Replace,
    input: impl Read,
    progress: impl FnMut(u64),
) -> Result<Summary, BackupError> {
    let _lock = lock(folder)?;
    let there: Vec<_> = Backend::ALL
        .iter()
        .map(|held| folder.join(held.file_name()))
        .filter(|p| p.exists())
        .collect();
    let in_use = !there.is_empty() || Format::read(folder, u32::MAX)?.is_some();
    if in_use && replace == Replace::Never {
        return Err(BackupError::InUse { folder: folder.to_owned() });
    }

    let new_folder = folder.join(RESTORING);
    remove(&new_folder)?;
    fs::create_dir(&new_folder).map_err(StoreError::io(&new_folder))?;
    let new_store = new_folder.join(backend.file_name());
    let filled = fill(&new_folder, backend, input, progress);
    let (summary, schema) = match filled {
        Ok(filled) => filled,
        Err(error) => {
            remove(&new_folder)?;
            return Err(error);
        }
    };

    for old in there {
        set_aside(&old, "replaced")?;
    }
    let path = folder.join(backend.file_name());
    fs::rename(&new_store, &path).map_err(StoreError::io(&path))?;
    sync_folder(folder)?;
    Format { schema, backend, discard: None }.write(folder)?;
    remove(&new_folder)?;
    private::tighten(folder);
    Ok(summary)
}

fn fill(
    folder: &Path,
    backend: Backend,
    input: impl Read,
    progress: impl FnMut(u64),
) -> Result<(Summary, u32), BackupError> {
    let (store, _) = open_engine(&folder.join(backend.file_name()), backend, 16 << 20)?;
    let (folder, free_bytes) = (folder.to_owned(), space::free_bytes);
    let store = HeldStore { store, _lock: lock(&folder)?, folder, free_bytes };
    let summary = read_backup(&store, input, progress)?;
    let schema = migrate::schema_of(&store)?.unwrap_or_else(|| migrate::latest(STEPS));
    Ok((summary, schema))
}
