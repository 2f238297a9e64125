//! A backup of a data folder before it is migrated.
//!
//! A migration rewrites rows, and an older program cannot read them afterwards. So all rows are written to
//! `before-schema-N.backup` first, where N is the version they are migrated to. It is a backup like any other:
//! `pergola restore` takes it, also that of the older program. Only the newest one is kept.
//!
//! Never: a migration without a backup; half a backup under its final name; a backup of rows that are migrated
//! in part.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use super::{
    Batch, Store, StoreError,
    backup::{schema_of_backup, write_backup},
    format::{Format, remove, sync_folder},
    space::{self, FreeBytes},
};

/// A backup that is being written. After a crash it is removed.
pub(super) const UNFINISHED: &str = "before-schema.unfinished";

/// After so many bytes the space on the disk is looked at again.
const CHECKED_EVERY: u64 = 1 << 20;

/// The backup that was made before a migration to a version.
pub(super) fn path(folder: &Path, version: u32) -> PathBuf {
    folder.join(format!("before-schema-{version}.backup"))
}

/// Backs up a store of version `from` before it is migrated to version `to`, unless that was done already.
pub(super) fn back_up(
    store: &dyn Store,
    folder: &Path,
    format: Option<&Format>,
    (from, to): (u32, u32),
    free_bytes: FreeBytes,
) -> Result<(), StoreError> {
    let file = path(folder, to);
    // `format.json` names the new version from the beginning of a migration on.
    let begun = match format {
        Some(format) => format.schema > from,
        None => file.exists(),
    };
    if begun {
        return Ok(());
    }
    let unfinished = folder.join(UNFINISHED);
    let written = write(store, folder, &unfinished, free_bytes).and_then(|()| {
        fs::rename(&unfinished, &file)?;
        sync_folder(folder).map_err(io::Error::other)
    });
    if let Err(error) = written {
        // The first error says more than a second one about what it left.
        let _ = remove(&unfinished);
        let (folder, cause) = (folder.to_owned(), error.to_string());
        return Err(StoreError::NotBackedUp { folder, version: to, cause });
    }
    tracing::info!(file = %file.display(), "backed up before the migration to a newer schema");
    remove_others(folder, &file)
}

/// The backups from before a migration that a folder holds.
pub fn backups_before_migration(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let made_here = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let version = name.strip_prefix("before-schema-").and_then(|n| n.strip_suffix(".backup"));
        version.is_some_and(|version| version.parse::<u32>().is_ok())
    };
    entries.map(|entry| entry.path()).filter(made_here).collect()
}

/// The refusal of a folder that a newer program wrote. It names the newest backup in it that a program which knows
/// versions up to `known` can restore.
pub(super) fn newer(folder: &Path, found: u32, known: u32) -> StoreError {
    let readable = |path: &PathBuf| {
        let file = File::open(path).ok();
        file.and_then(|file| schema_of_backup(file).ok()).is_some_and(|schema| schema <= known)
    };
    let backup = backups_before_migration(folder).into_iter().filter(readable).max();
    let way_back = match backup {
        Some(file) => format!(
            "go back to {file}, from before the upgrade, with `pergola restore {file} --replace --data {}`; the \
             newer store stays beside it",
            folder.display(),
            file = file.display(),
        ),
        None => "restore a backup of this version (there is none in the folder)".to_owned(),
    };
    StoreError::Newer { folder: folder.to_owned(), found, known, way_back }
}

fn remove_others(folder: &Path, newest: &Path) -> Result<(), StoreError> {
    backups_before_migration(folder)
        .iter()
        .filter(|path| *path != newest)
        .try_for_each(|p| remove(p))
}

/// Writes a backup that only its owner can read; it is on the disk when this returns.
fn write(store: &dyn Store, folder: &Path, path: &Path, free: FreeBytes) -> io::Result<()> {
    let file = File::options().create(true).truncate(true).write(true).mode(0o600).open(path)?;
    let careful = Careful { file, folder, free, unchecked: CHECKED_EVERY };
    let mut out = BufWriter::new(careful);
    write_backup(store, &mut out, |_| ()).map_err(io::Error::other)?;
    let careful = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    careful.file.sync_all()
}

/// A file that is not written to when the disk is nearly full: the store needs the rest.
struct Careful<'a> {
    file: File,
    folder: &'a Path,
    free: FreeBytes,
    /// Bytes written since the space was last looked at.
    unchecked: u64,
}

impl Write for Careful<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.unchecked >= CHECKED_EVERY {
            space::check(self.folder, &Batch::default(), self.free).map_err(io::Error::other)?;
            self.unchecked = 0;
        }
        let written = self.file.write(bytes)?;
        self.unchecked += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
