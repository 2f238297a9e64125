//! The data folder: which engine and version it holds, and who is using it.
//!
//! ```text
//! format.json              {"schema": 3, "backend": "redb"}: read before any engine is started
//! store.sled/, store.redb  the engine's own files
//! lock                     locked as long as the store is open
//! restoring/               a backup that is being unpacked
//! before-schema-N.backup   the rows as they were before they were migrated to version N
//! ```

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    Backend, Batch, Store, StoreError,
    format::{Format, lock, remove, sync_folder},
    held::HeldStore,
    migrate::{self, Step},
    redb_store::RedbStore,
    safeguard,
    sled_store::SledStore,
    space::{self, FreeBytes},
};

/// Where a backup is unpacked, inside the data folder. After a crash it is removed.
pub(super) const RESTORING: &str = "restoring";

/// A store that is ready.
pub struct Opened {
    /// The store; the folder is locked until the last handle is dropped.
    pub store: Arc<dyn Store>,
    /// What the operator should know, such as a damaged store that was set aside.
    pub notice: Option<String>,
}

/// Opens the store of a data folder, or makes one. `wanted` of `None` takes what is there, or in a
/// new folder the usual engine.
pub fn open(
    folder: &Path,
    wanted: Option<Backend>,
    cache_bytes: u64,
) -> Result<Opened, StoreError> {
    let opening = Opening { cache_bytes, ..Opening::default() };
    opening.open(folder, wanted)
}

/// Whether a folder holds the data of a node. Looking changes nothing.
pub fn holds_data(folder: &Path) -> Result<bool, StoreError> {
    let engines = Backend::ALL.map(Backend::file_name);
    for name in engines.into_iter().chain(["format.json"]) {
        let path = folder.join(name);
        if path.try_exists().map_err(StoreError::io(&path))? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// How a store is opened. Only tests change more than the cache.
pub(super) struct Opening<'a> {
    pub(super) cache_bytes: u64,
    pub(super) steps: &'a [Step],
    pub(super) free_bytes: FreeBytes,
}

impl Default for Opening<'_> {
    fn default() -> Self {
        let (cache_bytes, steps) = (16 << 20, migrate::STEPS);
        Self { cache_bytes, steps, free_bytes: space::free_bytes }
    }
}

impl Opening<'_> {
    pub(super) fn open(
        &self,
        folder: &Path,
        wanted: Option<Backend>,
    ) -> Result<Opened, StoreError> {
        let latest = migrate::latest(self.steps);
        Format::read(folder, latest)?;
        fs::create_dir_all(folder).map_err(StoreError::io(folder))?;
        let lock = lock(folder)?;
        // Again, now that nobody else can change it.
        let format = Format::read(folder, latest)?;
        let held = match &format {
            Some(format) => Some(format.backend),
            None => unnamed_store(folder)?,
        };
        if let (Some(held), Some(wanted)) = (held, wanted)
            && held != wanted
        {
            return Err(StoreError::OtherBackend { folder: folder.to_owned(), held, wanted });
        }
        let backend = held.or(wanted).unwrap_or_default();
        space::check(folder, &Batch::default(), self.free_bytes)?;
        if let Some(format) = &format {
            format.finish_discarding(folder)?;
        }

        let path = folder.join(backend.file_name());
        if format.is_some() && !path.exists() {
            return Err(store_is_missing(&path));
        }
        let opened = open_engine(&path, backend, self.cache_bytes);
        let damage = match &opened {
            Ok((_, None)) if format.is_some() => Some("its contents are gone".to_owned()),
            Err(StoreError::Corrupt { cause, .. }) => Some(cause.clone()),
            _ => None,
        };
        let (store, schema, notice) = match damage {
            Some(cause) => {
                // The engine lets go of its files before they are renamed.
                drop(opened);
                self.start_again(&path, backend, &cause)?
            }
            None => opened.map(|(store, schema)| (store, schema, None))?,
        };
        remove(&folder.join(RESTORING))?;
        remove(&folder.join(safeguard::UNFINISHED))?;
        let held = HeldStore {
            store,
            folder: folder.to_owned(),
            free_bytes: self.free_bytes,
            _lock: lock,
        };
        self.bring_up_to_date(&held, schema, format.as_ref())?;
        Ok(Opened { store: Arc::new(held), notice })
    }

    /// Migrates what a store holds to the latest version, after a backup; a new store only gets the version.
    fn bring_up_to_date(
        &self,
        held: &HeldStore,
        schema: Option<u32>,
        before: Option<&Format>,
    ) -> Result<(), StoreError> {
        let (folder, latest) = (&held.folder, migrate::latest(self.steps));
        let format = Format { schema: latest, backend: held.backend(), discard: None };
        match schema {
            Some(found) if found > latest => {
                let folder = folder.to_owned();
                return Err(StoreError::Newer { folder, found, known: latest });
            }
            Some(found) => {
                if found < latest {
                    safeguard::back_up(held, folder, before, (found, latest), self.free_bytes)?;
                }
                // Before the first commit, so that no older program opens a half-migrated store.
                format.write(folder)?;
                migrate::migrate(held, found, self.steps)?;
            }
            None => {
                let mut batch = Batch::default();
                migrate::record(&mut batch, latest);
                held.commit(&batch)?;
            }
        }
        format.write(folder)
    }

    /// Sets a damaged store aside and starts an empty one.
    fn start_again(&self, path: &Path, backend: Backend, cause: &str) -> Result<Fresh, StoreError> {
        // Without format.json, a folder left by a crash in here is started again, not refused.
        remove(&path.with_file_name("format.json"))?;
        let aside = set_aside(path, "damaged")?;
        let (store, schema) = open_engine(path, backend, self.cache_bytes)?;
        let notice = format!(
            "{} was damaged ({cause}): it was set aside as {} and an empty store started; restore a \
             backup if there is one",
            path.display(),
            aside.display(),
        );
        Ok((store, schema, Some(notice)))
    }
}

/// A store that `format.json` names but that is not there. An empty one is not started instead.
pub(super) fn store_is_missing(path: &Path) -> StoreError {
    let cause = "format.json names it but it is not there (an interrupted restore leaves the old one \
                 beside it, as .replaced-1: rename it, or restore again)";
    StoreError::corrupt(path, cause)
}

type Fresh = (Box<dyn Store>, Option<u32>, Option<String>);

/// Opens an engine's files, and reads the schema version of what they hold.
pub(super) fn open_engine(
    path: &Path,
    backend: Backend,
    cache_bytes: u64,
) -> Result<(Box<dyn Store>, Option<u32>), StoreError> {
    let store: Box<dyn Store> = match backend {
        Backend::Sled => Box::new(SledStore::open(path, cache_bytes)?),
        Backend::Redb => Box::new(RedbStore::open(path, cache_bytes)?),
    };
    let schema = migrate::schema_of(&*store)?;
    Ok((store, schema))
}

/// The store in a folder without `format.json`: it was lost, or not written yet.
fn unnamed_store(folder: &Path) -> Result<Option<Backend>, StoreError> {
    let there = |backend: &Backend| folder.join(backend.file_name()).exists();
    let mut found = Backend::ALL.into_iter().filter(there);
    match (found.next(), found.next()) {
        (first, None) => Ok(first),
        _ => {
            let cause = "it is missing, and there are two stores to choose from";
            Err(StoreError::corrupt(folder.join("format.json"), cause))
        }
    }
}

/// Renames a store to the first free name of `store.….why-1`, `-2` and so on.
pub(super) fn set_aside(path: &Path, why: &str) -> Result<PathBuf, StoreError> {
    let mut number = 1;
    let aside = loop {
        let aside = PathBuf::from(format!("{}.{why}-{number}", path.display()));
        if !aside.exists() {
            break aside;
        }
        number += 1;
    };
    fs::rename(path, &aside).map_err(StoreError::io(path))?;
    path.parent().map_or(Ok(()), sync_folder)?;
    Ok(aside)
}
