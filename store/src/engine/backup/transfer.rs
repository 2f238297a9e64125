//! Moving a data folder from one engine to the other.
//!
//! `format.json` says at every moment which store is valid and which one is to be removed, so a crash leaves
//! the old store or the new one, and the next start removes the other.

use std::path::Path;

use super::{BackupError, GROUP_BYTES, Summary, visit_rows};
use crate::engine::{
    Backend, Batch, Store, StoreError, Table,
    folder::{open_engine, store_is_missing},
    format::{Format, lock, remove},
    migrate::{self, STEPS},
    private, safeguard, space,
};

/// Copies a folder's rows into the other engine, compares, and removes the old store. `progress` gets the
/// number of rows copied. A folder that already has the engine is left as it is.
pub fn move_backend(
    folder: &Path,
    to: Backend,
    progress: impl FnMut(u64),
) -> Result<Summary, BackupError> {
    move_in_steps(folder, to, progress, |_| Ok(()))
}

/// What has just been done; the tests stop after each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) enum Done {
    Announced,
    Copied,
    Verified,
    Flipped,
    Removed,
}

impl Done {
    #[cfg(test)]
    pub(in crate::engine) const ALL: [Self; 5] =
        [Self::Announced, Self::Copied, Self::Verified, Self::Flipped, Self::Removed];
}

pub(in crate::engine) fn move_in_steps(
    folder: &Path,
    to: Backend,
    progress: impl FnMut(u64),
    mut after: impl FnMut(Done) -> Result<(), BackupError>,
) -> Result<Summary, BackupError> {
    let _lock = lock(folder)?;
    let format = Format::read(folder, migrate::latest(STEPS))?;
    let format = format.ok_or_else(|| {
        StoreError::corrupt(folder.join("format.json"), "it is missing, so nothing can be moved")
    })?;
    format.finish_discarding(folder)?;
    let (old_path, new_path) =
        (folder.join(format.backend.file_name()), folder.join(to.file_name()));
    if !old_path.exists() {
        return Err(store_is_missing(&old_path).into());
    }
    let (old, schema) = open_engine(&old_path, format.backend, 16 << 20)?;
    let (found, known) = (schema.unwrap_or(format.schema), migrate::latest(STEPS));
    if found > known {
        return Err(safeguard::newer(folder, found, known).into());
    }
    if format.backend == to {
        return visit_rows(&*old, Table::ALL, progress, |_, _, _| Ok(()));
    }
    if new_path.exists() {
        let cause = "it is in the way of the new store: move it elsewhere first";
        return Err(StoreError::corrupt(new_path, cause).into());
    }

    Format { discard: Some(to), ..format.clone() }.write(folder)?;
    after(Done::Announced)?;
    let (new, _) = open_engine(&new_path, to, 16 << 20)?;
    let original = copy(folder, &*old, &*new, progress)?;
    after(Done::Copied)?;
    let copy = visit_rows(&*new, Table::ALL, |_| (), |_, _, _| Ok(()))?;
    if original != copy {
        return Err(BackupError::Different { original, copy });
    }
    drop((old, new));
    after(Done::Verified)?;
    let flipped = Format { backend: to, discard: Some(format.backend), ..format };
    flipped.write(folder)?;
    after(Done::Flipped)?;
    remove(&old_path)?;
    after(Done::Removed)?;
    flipped.finish_discarding(folder)?;
    private::tighten(folder);
    Ok(copy)
}

fn copy(
    folder: &Path,
    old: &dyn Store,
    new: &dyn Store,
    progress: impl FnMut(u64),
) -> Result<Summary, BackupError> {
    let mut batch = Batch::default();
    let commit = |batch: &mut Batch| -> Result<(), BackupError> {
        let batch = std::mem::take(batch);
        space::check(folder, &batch, space::free_bytes)?;
        Ok(new.commit(&batch)?)
    };
    let summary = visit_rows(old, Table::ALL, progress, |table, key, value| {
        batch.put(table, key, value.to_vec());
        if batch.bytes() >= GROUP_BYTES { commit(&mut batch) } else { Ok(()) }
    })?;
    commit(&mut batch)?;
    Ok(summary)
}
