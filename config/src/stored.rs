//! What was set while a node ran: `settings.toml` in the data folder.
//!
//! It overrides the file, and the environment overrides it. Only keys that a running node takes over can be set,
//! so what is stored always holds. Values are text, as in variables. The file is replaced as a whole, and nobody
//! else can read it.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use pergola_query::nearest;
use toml::Value;

use crate::document::Section;
use crate::mistake::{ConfigError, Mistake};
use crate::origin::Origin;
use crate::setting::{Raw, Setting};
use crate::table::Key;
use crate::tables;

const FILE: &str = "settings.toml";
const HEADING: &str = "\
# Set with `pergola config set`, which overrides the configuration file. `pergola config unset` removes a line.
";

/// What was set while a node ran.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Stored {
    file: PathBuf,
    /// By the full names of keys.
    values: BTreeMap<String, String>,
}

/// Why a key cannot be set while a node runs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotSettable {
    /// There is no such key, or it stands in a table of which there can be many.
    #[error("there is no key `{key}` that can be set")]
    Unknown {
        key: String,
        /// The most similar one.
        nearest: Option<String>,
    },
    /// A running node does not take it over.
    #[error("`{key}` needs a restart, so it can only be set in the configuration file")]
    NeedsRestart { key: String },
}

impl Stored {
    /// What is stored in a data folder, which need not exist.
    pub fn read(data: &Path) -> Result<Self, ConfigError> {
        let file = data.join(FILE);
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            // Who may not look into the folder talks to a node elsewhere, or is told when it is opened.
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) =>
            {
                return Ok(Self { file, ..Self::default() });
            }
            Err(reason) => return Err(ConfigError::Unreadable { path: file, reason }),
        };
        let values = toml::from_str(&text).map_err(|error| {
            let origin = Origin::Stored { file: file.display().to_string() };
            let message = format!("{} cannot be read: {}", file.display(), error.message());
            ConfigError::Invalid(vec![Mistake { origin, message }])
        })?;
        Ok(Self { file, values })
    }

    /// Sets a key. Whether the value is allowed is found out when the configuration is read.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), NotSettable> {
        settable(key)?;
        self.values.insert(key.to_owned(), value.to_owned());
        Ok(())
    }

    /// Forgets a key; says whether it was stored.
    pub fn unset(&mut self, key: &str) -> Result<bool, NotSettable> {
        match self.values.remove(key) {
            Some(_) => Ok(true),
            None => settable(key).map(|_| false),
        }
    }

    /// Writes the file, or removes it if nothing is stored. It is on the disk when this returns.
    pub fn write(&self) -> io::Result<()> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        if self.values.is_empty() {
            return match fs::remove_file(&self.file) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
                _ => File::open(folder)?.sync_all(),
            };
        }
        let text = toml::to_string(&self.values).map_err(io::Error::other)?;
        let unfinished = self.file.with_extension("toml.new");
        // A crash may have left one behind.
        let _ = fs::remove_file(&unfinished);
        let mut file =
            OpenOptions::new().create_new(true).write(true).mode(0o600).open(&unfinished)?;
        file.write_all(format!("{HEADING}{text}").as_bytes())?;
        file.sync_all()?;
        fs::rename(&unfinished, &self.file)?;
        File::open(folder)?.sync_all()
    }
}

impl Raw {
    /// Lays what is stored over what is set.
    pub(crate) fn add_stored(&mut self, stored: &Stored, mistakes: &mut Vec<Mistake>) {
        let origin = Origin::Stored { file: stored.file.display().to_string() };
        let folder = stored.file.parent().unwrap_or(Path::new("")).to_path_buf();
        for (name, text) in &stored.values {
            match settable(name) {
                Ok((section, key)) => {
                    let value = Value::String(text.clone());
                    let written = key.masked(value.to_string());
                    let (origin, folder) = (origin.clone(), folder.clone());
                    let setting = Setting { value, written, origin, folder };
                    self.only(section.name).set.insert(key.name.clone(), setting);
                }
                Err(error) => {
                    let message =
                        format!("{error}; remove its line from {}", stored.file.display());
                    mistakes.push(Mistake { origin: origin.clone(), message });
                }
            }
        }
    }
}

/// The key of a full name, if a running node takes it over.
fn settable(name: &str) -> Result<(&'static Section, &'static Key), NotSettable> {
    match tables::find(name) {
        Some((section, key)) if key.reloads => Ok((section, key)),
        Some(_) => Err(NotSettable::NeedsRestart { key: name.to_owned() }),
        None => {
            let all = tables::once().flat_map(|section| {
                section.keys.iter().map(|key| format!("{}.{}", section.name, key.name))
            });
            Err(NotSettable::Unknown { key: name.to_owned(), nearest: nearest(name, all) })
        }
    }
}
