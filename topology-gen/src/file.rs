//! Reads text files. Errors name the file.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("cannot read {}", path.display())]
    Unreadable {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("{}: {reason}", path.display())]
    Invalid { path: PathBuf, reason: Box<dyn Error + Send + Sync> },
}

impl FileError {
    /// The file was read, but its content is wrong.
    pub fn invalid(path: &Path, reason: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Invalid { path: path.to_owned(), reason: reason.into() }
    }
}

/// The text of a file.
///
/// # Errors
/// When it cannot be read or is not UTF-8.
pub fn read(path: &Path) -> Result<String, FileError> {
    std::fs::read_to_string(path)
        .map_err(|source| FileError::Unreadable { path: path.to_owned(), source })
}
