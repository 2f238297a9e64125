//! Only the owner of a data folder can read what is in it.
//!
//! Items of closed feeds, credentials of sources and tokens of readers are stored there. Folders that an earlier
//! version made are tightened when they are opened.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::Path,
};

/// Makes a folder, and those above it that are missing.
pub(super) fn create_folder(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Makes or empties a file.
pub(super) fn create_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(path)
}

/// Takes the permissions of others from a data folder and from what the store keeps in it. What cannot be changed is
/// said in the log and stops nobody.
pub(super) fn tighten(folder: &Path) {
    let mut changed = 0;
    let result = tightened(folder, &mut changed);
    if changed > 0 {
        tracing::warn!(
            folder = %folder.display(),
            files = changed,
            "others could read the data folder or files in it: now only its owner can"
        );
    }
    if let Err(error) = result {
        tracing::warn!(folder = %folder.display(), %error, "cannot keep others from reading the data folder");
    }
}

fn tightened(folder: &Path, changed: &mut usize) -> io::Result<()> {
    restrict(folder, changed)?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if is_own(&entry.file_name().to_string_lossy()) {
            tighten_tree(&entry.path(), changed)?;
        }
    }
    Ok(())
}

/// Whether the store has made a file of this name.
fn is_own(name: &str) -> bool {
    ["store.", "format.json", "lock", "before-schema", "last-backup"]
        .iter()
        .any(|start| name.starts_with(start))
        || name.ends_with(".backup")
}

fn tighten_tree(path: &Path, changed: &mut usize) -> io::Result<()> {
    let kind = fs::symlink_metadata(path)?.file_type();
    if kind.is_symlink() {
        return Ok(());
    }
    restrict(path, changed)?;
    if kind.is_dir() {
        for entry in fs::read_dir(path)? {
            tighten_tree(&entry?.path(), changed)?;
        }
    }
    Ok(())
}

fn restrict(path: &Path, changed: &mut usize) -> io::Result<()> {
    let mode = fs::metadata(path)?.permissions().mode();
    if mode & 0o077 != 0 {
        fs::set_permissions(path, Permissions::from_mode(mode & 0o700))?;
        *changed += 1;
    }
    Ok(())
}
