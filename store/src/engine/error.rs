//! What can go wrong with a store: where, why, and what to do about it.

use std::{io, path::PathBuf};

use super::{Backend, MAX_KEY_BYTES, MAX_VALUE_BYTES};

/// Why the store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process has the folder.
    #[error(
        "another pergola is using {folder}: stop it, or give this one a data folder of its own"
    )]
    Locked {
        /// The data folder.
        folder: PathBuf,
    },
    /// A later version wrote the folder.
    #[error(
        "{folder} was written by a newer pergola (schema {found}, this one knows up to {known}), and nothing was \
         changed: use a newer pergola, or {way_back}"
    )]
    Newer {
        /// The data folder.
        folder: PathBuf,
        /// Its schema.
        found: u32,
        /// The latest schema that is known here.
        known: u32,
        /// How to go back to this version.
        way_back: String,
    },
    /// The folder holds the other engine's data.
    #[error(
        "{folder} holds a {held} store but {wanted} is configured: set store.backend = \"{held}\", or move \
         the data with `pergola store move --to {wanted}`"
    )]
    OtherBackend {
        /// The data folder.
        folder: PathBuf,
        /// What it holds.
        held: Backend,
        /// What was asked for.
        wanted: Backend,
    },
    /// There is no backup, so nothing is migrated.
    #[error(
        "{folder} has to be migrated to schema {version}, but the backup that is made first cannot be \
         written: {cause}; make room or correct the permissions and start again; nothing was changed"
    )]
    NotBackedUp {
        /// The data folder.
        folder: PathBuf,
        /// The schema that it would have been migrated to.
        version: u32,
        /// What went wrong.
        cause: String,
    },
    /// Too little space is left for a write that must not fail half-way.
    #[error(
        "the disk is nearly full: {free} bytes are free and {needed} are needed before anything is \
         written; free some space (after a failed write also restart)"
    )]
    Full {
        /// Bytes that are free.
        free: u64,
        /// Bytes that have to be.
        needed: u64,
    },
    /// The operating system refused.
    #[error("cannot use {path}: {source}; check that it exists, its permissions and the disk")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The store does not open, and nothing is started in its place.
    #[error(
        "{path} is damaged: {cause}; it is kept, and no empty store is started in its place; {advice}"
    )]
    Lost {
        /// The engine's folder or file.
        path: PathBuf,
        /// What was found.
        cause: String,
        /// How to get the data back.
        advice: String,
    },
    /// What is stored makes no sense.
    #[error("{path} is damaged: {cause}; restore a backup")]
    Corrupt {
        /// The file or folder.
        path: PathBuf,
        /// What was found.
        cause: String,
    },
    /// A row that no engine could keep well.
    #[error(
        "a row with a key of {key} bytes and a value of {value} bytes is too large: at most \
         {MAX_KEY_BYTES} and {MAX_VALUE_BYTES}"
    )]
    TooLarge {
        /// Bytes of its key.
        key: usize,
        /// Bytes of its value.
        value: usize,
    },
    /// The engine refused for a reason of its own.
    #[error(
        "the {backend} store in {path} failed: {cause}; restart, and report it if it comes back"
    )]
    Engine {
        /// The engine.
        backend: Backend,
        /// Its folder or file.
        path: PathBuf,
        /// What it said.
        cause: String,
    },
}

impl StoreError {
    /// For `map_err`: an I/O error at a path. A full disk is told apart.
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                let free = super::space::free_bytes(&path).unwrap_or(0);
                Self::Full { free, needed: super::space::LEAST_FREE }
            }
            _ => Self::Io { path, source },
        }
    }

    pub(crate) fn corrupt(path: impl Into<PathBuf>, cause: impl ToString) -> Self {
        Self::Corrupt { path: path.into(), cause: cause.to_string() }
    }
}
