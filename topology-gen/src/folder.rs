//! Writes a folder that appears whole or not at all.
//!
//! The folder is filled under a temporary name next to its final path and then renamed. Existing files are
//! never touched: a folder that is not empty is refused.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Why a folder could not be written.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    #[error(
        "{} is not empty; choose a folder that does not exist yet, or empty it first", path.display()
    )]
    NotEmpty { path: PathBuf },
    #[error("{} is not a folder; choose one that does not exist yet", path.display())]
    NotAFolder { path: PathBuf },
    #[error("cannot write {}", path.display())]
    Write {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// Checks that a folder can be written. Call it before long work, so that an error comes early.
///
/// # Errors
/// When something exists that would have to be overwritten.
pub fn check(path: &Path) -> Result<(), FolderError> {
    let failed = |source| FolderError::Write { path: path.to_owned(), source };
    match fs::read_dir(path) {
        Ok(mut entries) => match entries.next() {
            Some(_) => Err(FolderError::NotEmpty { path: path.to_owned() }),
            None => Ok(()),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => match path.file_name() {
            Some(_) => Ok(()),
            None => Err(failed(error)),
        },
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            Err(FolderError::NotAFolder { path: path.to_owned() })
        }
        Err(error) => Err(failed(error)),
    }
}

/// Creates the folder `path` with the files that `fill` writes into the folder it is given.
///
/// # Errors
/// When the path exists and is not an empty folder, or something cannot be written. Then nothing is left
/// behind.
pub fn write(path: &Path, fill: impl FnOnce(&Path) -> io::Result<()>) -> Result<(), FolderError> {
    check(path)?;
    let failed = |source| FolderError::Write { path: path.to_owned(), source };
    // A path such as `.` has no file name, but the folder exists, so its full path has one.
    let whole = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let name = whole.file_name().ok_or_else(|| failed(io::ErrorKind::InvalidInput.into()))?;
    let part = format!(".{}.{}.part", name.to_string_lossy(), std::process::id());
    let part = whole.with_file_name(part);
    if let Some(parent) = whole.parent() {
        fs::create_dir_all(parent).map_err(failed)?;
    }
    let filled = fs::create_dir(&part).and_then(|()| fill(&part));
    // The rename replaces an empty folder.
    filled.and_then(|()| fs::rename(&part, &whole)).map_err(|source| {
        let _ = fs::remove_dir_all(&part); // report the first error, not this one
        failed(source)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_appears_whole_or_not_at_all() {
        let above = std::env::temp_dir().join(format!("pergola-folder-{}", std::process::id()));
        let place = above.join("new");
        let broken = write(&place, |folder| {
            fs::write(folder.join("half"), "x")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert!(matches!(broken, Err(FolderError::Write { .. })));
        assert_eq!(fs::read_dir(&above).unwrap().count(), 0);
        write(&place, |folder| fs::write(folder.join("whole"), "x")).unwrap();
        assert!(place.join("whole").is_file());
        assert_eq!(fs::read_dir(&above).unwrap().count(), 1);
        let again = write(&place, |_| Ok(())).unwrap_err();
        assert!(matches!(again, FolderError::NotEmpty { .. }));
        assert!(matches!(check(&place.join("whole")).unwrap_err(), FolderError::NotAFolder { .. }));
        fs::remove_dir_all(above).unwrap();
    }
}
