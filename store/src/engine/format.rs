//! `format.json`, the lock, and changes to a folder that survive a power cut.
//!
//! `format.json` is written last, when the store it names is complete, and always replaced as a whole. While a
//! store moves to the other engine, it also names the engine whose files are to be removed (`discard`), so the
//! next start cleans up after an interrupted move.
//!
//! The version is a number. After a migration it is a text that begins with the number and names the backup from
//! before it. Programs from before schema 3 expect a number and quote what they find instead, so they refuse the
//! folder with the name of that backup; they would not name it otherwise.

use std::{
    fs::{self, File, TryLockError},
    io::{ErrorKind, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::Path,
};

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

use super::{Backend, StoreError, private, safeguard};

/// What `format.json` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Format {
    #[serde(deserialize_with = "version")]
    pub(super) schema: u32,
    pub(super) backend: Backend,
    /// The engine whose files are not used any more, or not yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) discard: Option<Backend>,
}

impl Format {
    /// Reads it, if it is there; an error if a newer version wrote it.
    pub(super) fn read(folder: &Path, latest: u32) -> Result<Option<Self>, StoreError> {
        #[derive(Deserialize)]
        struct Version {
            #[serde(deserialize_with = "version")]
            schema: u32,
        }
        let path = folder.join("format.json");
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io(path)(error)),
        };
        let damaged = |error| StoreError::corrupt(&path, error);
        // A newer version may write more fields, but always its number.
        let Version { schema: found } = serde_json::from_slice(&text).map_err(damaged)?;
        if found > latest {
            return Err(safeguard::newer(folder, found, latest));
        }
        serde_json::from_slice(&text).map(Some).map_err(damaged)
    }

    /// Replaces `format.json` as a whole; it is on the disk when this returns.
    pub(super) fn write(&self, folder: &Path) -> Result<(), StoreError> {
        if Self::read(folder, u32::MAX).ok().flatten().as_ref() == Some(self) {
            return Ok(());
        }
        let (path, new) = (folder.join("format.json"), folder.join("format.json.new"));
        let text = self.text(folder).expect("two names and a number are always JSON");
        let written = private::create_file(&new).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        });
        written.and_then(|()| fs::rename(&new, &path)).map_err(StoreError::io(path))?;
        sync_folder(folder)
    }

    fn text(&self, folder: &Path) -> serde_json::Result<String> {
        let backup = safeguard::path(folder, self.schema);
        if !backup.exists() {
            return serde_json::to_string(self);
        }
        let mut value = serde_json::to_value(self)?;
        let backup = backup.file_name().unwrap_or_default().to_string_lossy();
        value["schema"] = format!(
            "{}: a newer pergola has upgraded this folder; to go back, restore {backup}, which is in \
             this folder, with `pergola restore` and --replace",
            self.schema
        )
        .into();
        serde_json::to_string(&value)
    }

    /// Removes the files that an earlier move left behind.
    pub(super) fn finish_discarding(&self, folder: &Path) -> Result<(), StoreError> {
        let Some(discard) = self.discard else { return Ok(()) };
        remove(&folder.join(discard.file_name()))?;
        Self { discard: None, ..self.clone() }.write(folder)
    }
}

/// Reads a version: a number, or a text that begins with one.
fn version<'de, D: Deserializer<'de>>(input: D) -> Result<u32, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Version {
        Number(u32),
        Text(String),
    }
    match Version::deserialize(input)? {
        Version::Number(number) => Ok(number),
        Version::Text(text) => {
            let number = text.split(':').next().unwrap_or_default();
            number.parse().map_err(|_| D::Error::custom(format!("{text:?} is no version")))
        }
    }
}

/// Locks a folder for this process until the file is dropped.
pub(super) fn lock(folder: &Path) -> Result<File, StoreError> {
    let path = folder.join("lock");
    let file = File::options().create(true).truncate(false).write(true).mode(0o600).open(&path);
    let file = file.map_err(StoreError::io(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::Locked { folder: folder.to_owned() }),
        Err(TryLockError::Error(error)) => Err(StoreError::io(path)(error)),
    }
}

/// Removes a file or a folder, if it is there.
pub(super) fn remove(path: &Path) -> Result<(), StoreError> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(StoreError::io(path)(error)),
        _ => Ok(()),
    }
}

/// Makes the names in a folder survive a power cut.
pub(super) fn sync_folder(folder: &Path) -> Result<(), StoreError> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(StoreError::io(folder))
}

/// Bytes that a file, or all files of a folder, occupy on the disk. What cannot be read counts as nothing.
pub(super) fn tree_bytes(path: &Path) -> u64 {
    let Ok(metadata) = fs::symlink_metadata(path) else { return 0 };
    let inside = fs::read_dir(path).into_iter().flatten().flatten();
    metadata.blocks() * 512 + inside.map(|entry| tree_bytes(&entry.path())).sum::<u64>()
}
