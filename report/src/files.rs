//! Writes result files: a reader sees the old content or the new, never half of it.
//!
//! A run may take minutes, and a plot that a full disk has cut off must not replace a good one.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use crate::error::ReportError;

/// Replaces `path` by `bytes` in one step: a temporary file beside it, then a rename.
/// A pipe or device (`/dev/stdout`) cannot be replaced and is written directly.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), ReportError> {
    check_target(path)?;
    let failed = |source| ReportError::Write { path: path.to_owned(), source };
    if path.metadata().is_ok_and(|existing| !existing.is_file()) {
        return fs::write(path, bytes).map_err(failed);
    }
    let Some(name) = path.file_name() else {
        return Err(ReportError::NotAFile { path: path.to_owned() });
    };
    let part = format!(".{}.{}.part", name.to_string_lossy(), std::process::id());
    let part = path.with_file_name(part);
    write_whole(&part, bytes).and_then(|()| fs::rename(&part, path)).map_err(|source| {
        let _ = fs::remove_file(&part); // the first error matters
        failed(source)
    })
}

/// Fails if `path` cannot become a file.
pub(super) fn check_target(path: &Path) -> Result<(), ReportError> {
    if path.file_name().is_none() || path.is_dir() {
        return Err(ReportError::NotAFile { path: path.to_owned() });
    }
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            Err(ReportError::MissingFolder { path: path.to_owned(), folder: folder.to_owned() })
        }
        _ => Ok(()),
    }
}

fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// How a plot is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlotFormat {
    /// Vector graphics, for the browser and for print.
    Svg,
    /// Pixels, at twice the nominal size.
    Png,
}

impl PlotFormat {
    /// The format that a path asks for, if a file can be there.
    pub(super) fn of(path: &Path) -> Result<Self, ReportError> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        let format = match extension.as_deref() {
            Some("svg") => Self::Svg,
            Some("png") => Self::Png,
            _ => return Err(ReportError::UnknownPlotFormat { path: path.to_owned() }),
        };
        check_target(path)?;
        Ok(format)
    }
}
