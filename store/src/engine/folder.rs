//! The data folder: which engine and version it holds, and who is using it.
//!
//! ```text
//! format.json              {"schema": 3, "backend": "redb"}: read before any engine is started
//! store.sled/, store.redb  the engine's own files
//! lock                     locked as long as the store is open
//! creating                 there is no store yet, but one is being made
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
    private,
    recovery::recover,
    redb_store::RedbStore,
    safeguard,
    sled_store::SledStore,
    space::{self, FreeBytes},
};

/// Where a backup is unpacked, inside the data folder. After a crash it is removed.
pub(super) const RESTORING: &str = "restoring";

/// A store is being made for the first time. What a crash leaves of it is removed: nothing was stored yet.
const CREATING: &str = "creating";

/// A store that is ready.
pub struct Opened {
    /// The store; the folder is locked until the last handle is dropped.
    pub store: Arc<dyn Store>,
    /// What the operator should know, such as a damaged store that was rebuilt.
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

/// Opens a redb store that is not in a folder.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn open_on_redb(opener: super::redb_store::Opener) -> Result<Opened, StoreError> {
    let store = RedbStore::with(opener, Path::new("a simulated disk"), 1 << 20)?;
    if migrate::schema_of(&store)?.is_none() {
        let mut batch = Batch::default();
        migrate::record(&mut batch, migrate::latest(migrate::STEPS));
        store.commit(&batch)?;
    }
    Ok(Opened { store: Arc::new(store), notice: None })
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
        private::create_folder(folder).map_err(StoreError::io(folder))?;
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
        if let Some(format) = &format {
            format.finish_discarding(folder)?;
        }
        let path = folder.join(backend.file_name());
        let (store, schema, notice) = match format.is_some() || held.is_some() {
            true => self.open_held(&path, backend, format.is_some())?,
            false => self.create(&path, backend)?,
        };
        private::tighten(folder);
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
                return Err(safeguard::newer(folder, found, latest));
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
        format.write(folder)?;
        remove(&folder.join(CREATING))
    }

    /// Makes a store where there was none.
    fn create(&self, path: &Path, backend: Backend) -> Result<Fresh, StoreError> {
        let folder = path.parent().unwrap_or(path);
        space::check(folder, &Batch::default(), self.free_bytes)?;
        let marker = folder.join(CREATING);
        private::create_file(&marker).map_err(StoreError::io(&marker))?;
        sync_folder(folder)?;
        let (store, schema) = open_engine(path, backend, self.cache_bytes)?;
        Ok((store, schema, None))
    }

    /// Opens a store that is there. On a full disk, too: it is read, and commits are refused until there is room.
    fn open_held(&self, path: &Path, backend: Backend, named: bool) -> Result<Fresh, StoreError> {
        if named && !path.exists() {
            return Err(store_is_missing(path));
        }
        let unfinished = !named && path.with_file_name(CREATING).exists();
        let opened = open_engine(path, backend, self.cache_bytes);
        let cause = match &opened {
            Ok((_, None)) if !unfinished => "its contents are gone".to_owned(),
            Err(StoreError::Corrupt { cause, .. }) => cause.clone(),
            _ => return opened.map(|(store, schema)| (store, schema, None)),
        };
        // The engine lets go of its files before they are touched.
        drop(opened);
        if unfinished {
            remove(path)?;
            return self.create(path, backend);
        }
        let recovered = recover(path, backend, self.cache_bytes, &cause, self.free_bytes);
        recovered.map(|(store, schema, notice)| (store, schema, Some(notice)))
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
    let aside = free_name(path, why);
    fs::rename(path, &aside).map_err(StoreError::io(path))?;
    path.parent().map_or(Ok(()), sync_folder)?;
    Ok(aside)
}

/// The first free name of `store.….why-1`, `-2` and so on.
pub(super) fn free_name(path: &Path, why: &str) -> PathBuf {
    let name = |number: u32| PathBuf::from(format!("{}.{why}-{number}", path.display()));
    (1..).map(name).find(|name| !name.exists()).unwrap_or_else(|| name(0))
}
