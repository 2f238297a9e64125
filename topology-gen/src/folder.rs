//! A folder of results that appears whole or not at all.
//!
//! It is filled under another name beside its place and then renamed, so whoever looks sees nothing or
//! everything. What is there already is never touched: a folder that is not empty is refused.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Why a folder could not be written.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the parts are")]
pub enum FolderError {
    #[error(
        "{} is not empty; name a folder that does not exist yet, or empty it first", path.display()
    )]
    NotEmpty { path: PathBuf },
    #[error("{} is not a folder; name one that does not exist yet", path.display())]
    NotAFolder { path: PathBuf },
    #[error("cannot write {}", path.display())]
    Write {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// Refuses what can surely not be written; call it before long work, not only after.
///
/// # Errors
/// When something is there that would have to be overwritten.
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

/// Makes the folder `path` of what `fill` writes into the folder it is given.
///
/// # Errors
/// When the place is taken, or something cannot be written; then nothing is left behind.
pub fn write(path: &Path, fill: impl FnOnce(&Path) -> io::Result<()>) -> Result<(), FolderError> {
    check(path)?;
    let failed = |source| FolderError::Write { path: path.to_owned(), source };
    // `.` and the like have no name to build on, but they exist, so their full path has.
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let name = place.file_name().ok_or_else(|| failed(io::ErrorKind::InvalidInput.into()))?;
    let part = format!(".{}.{}.part", name.to_string_lossy(), std::process::id());
    let part = place.with_file_name(part);
    if let Some(above) = place.parent() {
        fs::create_dir_all(above).map_err(failed)?;
    }
    let filled = fs::create_dir(&part).and_then(|()| fill(&part));
    // On to an empty folder a rename takes its place.
    filled.and_then(|()| fs::rename(&part, &place)).map_err(|source| {
        let _ = fs::remove_dir_all(&part); // the first error is the one worth telling
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
