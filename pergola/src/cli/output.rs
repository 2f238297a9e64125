//! Files that commands write: never over another file unless that is asked for, and complete or not at all.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::failure::Failure;

// Not a doc comment: it would become the description of every command that uses it.
// Whether an existing file may be written over.
#[derive(Debug, clap::Args)]
pub(super) struct Overwrite {
    /// Overwrite the file if it exists
    #[arg(long, visible_alias = "force", alias = "replace")]
    overwrite: bool,
}

/// Standard output, or a file that appears when it is complete.
pub(super) enum Output {
    Standard(io::Stdout),
    File { path: PathBuf, unfinished: PathBuf, file: File },
}

impl Output {
    /// Opens a file for writing; `-` is standard output.
    pub(super) fn open(path: &Path, overwrite: &Overwrite) -> anyhow::Result<Self> {
        if path.as_os_str() == "-" {
            return Ok(Self::Standard(io::stdout()));
        }
        if path.exists() && !overwrite.overwrite {
            return Err(Failure::new(format!("{} exists already", path.display()))
                .code("file-exists")
                .hint("choose another name, or overwrite it with --overwrite")
                .into());
        }
        let (path, unfinished) = (path.to_owned(), format!("{}.unfinished", path.display()));
        let unfinished = PathBuf::from(unfinished);
        let file = File::create(&unfinished).with_context(|| cannot_write(&path))?;
        Ok(Self::File { path, unfinished, file })
    }

    /// Lets nobody but the owner read the file.
    pub(super) fn make_private(&self) -> anyhow::Result<()> {
        match self {
            Self::Standard(_) => Ok(()),
            Self::File { path, file, .. } => file
                .set_permissions(fs::Permissions::from_mode(0o600))
                .with_context(|| cannot_write(path)),
        }
    }

    /// Writes more.
    pub(super) fn write(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        match self {
            Self::Standard(out) => Ok(out.write_all(bytes)?),
            Self::File { path, file, .. } => {
                file.write_all(bytes).with_context(|| cannot_write(path))
            }
        }
    }

    /// Lets the file appear under its name. Says which, unless it is standard output.
    pub(super) fn finish(mut self) -> anyhow::Result<Option<PathBuf>> {
        match &mut self {
            Self::Standard(out) => out.flush().map(|()| None).map_err(Into::into),
            Self::File { path, unfinished, file } => {
                let done = file.sync_all().and_then(|()| fs::rename(&*unfinished, &*path));
                done.with_context(|| cannot_write(path))?;
                Ok(Some(path.clone()))
            }
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Self::File { unfinished, .. } = self {
            // After a success it has its name and is no longer there.
            let _ = fs::remove_file(unfinished);
        }
    }
}

fn cannot_write(path: &Path) -> Failure {
    Failure::new(format!("cannot write {}", path.display()))
}
