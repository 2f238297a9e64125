//! How much of the disk must stay free before anything is written.
//!
//! An engine that runs out of space in the middle of a write may not open again (sled does not). So a commit is
//! refused while there is still room, before anything is written.

use std::{io, path::Path};

use super::{Batch, StoreError};

/// Bytes that must be free even for the smallest batch.
pub(super) const LEAST_FREE: u64 = 16 << 20;

/// Looks up the bytes that are free at a path.
pub(super) type FreeBytes = fn(&Path) -> io::Result<u64>;

/// Bytes that a process without privileges may still write on the file system of `path`.
pub(super) fn free_bytes(path: &Path) -> io::Result<u64> {
    let stat = rustix::fs::statvfs(path)?;
    Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
}

/// Refuses a batch if the disk would be too full after it.
pub(super) fn check(folder: &Path, batch: &Batch, free: FreeBytes) -> Result<(), StoreError> {
    let needed = LEAST_FREE.max(batch.bytes().saturating_mul(4));
    let free = free(folder).map_err(StoreError::io(folder))?;
    if free < needed { Err(StoreError::Full { free, needed }) } else { Ok(()) }
}
