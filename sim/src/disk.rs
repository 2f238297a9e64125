//! The simulated disk of a machine: it outlives the machine's lives, and is slow, full or cut off when it is told to.
//!
//! Two kinds. `model` keeps rows in memory and does exactly what a [`Store`] promises. `redb` is the real engine over
//! a simulated file that loses what was not synced.

mod file;
mod model;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use pergola_outside::locks::Mutex;
use pergola_store::{Backend, Batch, Order, Store, StoreError, Table, Visit};

use crate::chance::Chance;
use crate::host::{Death, Host, Life};
use file::{File, Handle};
use model::Model;

/// What keeps the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    Model,
    Redb,
}

/// Bugs that are planted to see whether the invariants notice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Flaw {
    #[default]
    None,
    /// A sync returns before anything is on the disk.
    IgnoresSync,
    /// Of a commit during which the machine dies, half is on the disk.
    HalfBatches,
}

/// Whether a machine that is to die inside a commit may die in this one: it must store items. The others are many (the
/// index alone makes one after each of these), and have few rows that could contradict each other.
fn is_of_interest(batch: &Batch) -> bool {
    batch.iter().any(|(table, ..)| table == Table::Chunk)
}

/// The disk of a machine.
pub struct Disk {
    host: Arc<Host>,
    flaw: Flaw,
    rows: Rows,
    full: Arc<AtomicBool>,
    /// Milliseconds that work with the disk takes.
    slow: AtomicU64,
    /// How often a commit was refused.
    refused: AtomicU64,
    chance: Mutex<Chance>,
}

enum Rows {
    Model(Arc<Mutex<Model>>),
    Redb(Arc<Mutex<File>>),
}

impl Disk {
    /// An empty disk.
    pub fn new(host: &Arc<Host>, engine: Engine, flaw: Flaw, mut chance: Chance) -> Arc<Self> {
        let rows = match engine {
            Engine::Model => Rows::Model(Arc::default()),
            Engine::Redb => {
                Rows::Redb(File::new(Chance::new(chance.below(usize::MAX) as u64, "file", 0)))
            }
        };
        Arc::new(Self {
            host: Arc::clone(host),
            flaw,
            rows,
            full: Arc::default(),
            slow: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            chance: Mutex::new(chance),
        })
    }

    /// From now on there is no space left, or there is again.
    pub fn set_full(&self, full: bool) {
        self.full.store(full, Relaxed);
    }

    /// Whether there is no space left.
    pub fn is_full(&self) -> bool {
        self.full.load(Relaxed)
    }

    /// From now on whatever uses the disk takes so long.
    pub fn set_slow(&self, by: Duration) {
        self.slow.store(by.as_millis() as u64, Relaxed);
    }

    /// How long whatever uses the disk takes.
    pub fn slowness(&self) -> Duration {
        Duration::from_millis(self.slow.load(Relaxed))
    }

    /// How often a commit was refused so far.
    pub fn refusals(&self) -> u64 {
        self.refused.load(Relaxed)
    }

    /// The machine has died: what was not synced may be gone.
    pub fn settle(&self, death: Death) {
        match &self.rows {
            Rows::Model(model) => {
                if death == Death::PowerCut {
                    model.lock().lose_unsynced();
                }
            }
            Rows::Redb(file) => file.lock().settle(death),
        }
    }

    /// Opens the store for one life of the machine.
    pub fn open(self: &Arc<Self>, life: &Life) -> Result<Arc<dyn Store>, StoreError> {
        let inner: Arc<dyn Store> = match &self.rows {
            Rows::Model(model) => Arc::new(model::Rows(Arc::clone(model))),
            Rows::Redb(file) => {
                let handle = Handle::new(file, life, &self.full, self.flaw == Flaw::IgnoresSync);
                pergola_store::testing::redb_over(handle)?
            }
        };
        Ok(Arc::new(Opened { disk: Arc::clone(self), life: life.clone(), inner }))
    }

    /// What would be there if the power failed now; nothing if that is not known without trying.
    pub fn durable(&self) -> Option<Arc<dyn Store>> {
        match &self.rows {
            Rows::Model(model) => Some(Arc::new(model::Durable(Arc::clone(model)))),
            Rows::Redb(_) => None,
        }
    }

    fn commit(&self, life: &Life, inner: &dyn Store, batch: &Batch) -> Result<(), StoreError> {
        if is_of_interest(batch) && life.begins_commit() {
            // The model has no steps; redb writes and syncs its file a few times.
            let steps = match self.rows {
                Rows::Model(_) => 0,
                Rows::Redb(_) => self.chance.lock().below(12) as u32,
            };
            life.host.dies_after(steps, life.host.death());
        }
        let dies = life.acts().ok_or_else(dead)?;
        let Rows::Model(model) = &self.rows else {
            // The file itself is where the machine dies, or is out of space.
            if dies {
                return Err(dead());
            }
            return inner.commit(batch);
        };
        if self.full.load(Relaxed) {
            return Err(StoreError::Full { free: 0, needed: batch.bytes() });
        }
        let mut model = model.lock();
        let synced = self.flaw != Flaw::IgnoresSync;
        match (dies, self.flaw) {
            (false, _) => model.apply(batch.iter(), synced),
            (true, Flaw::HalfBatches) => model.apply(batch.iter().take(batch.len() / 2), true),
            // Nobody learns which of the two it was.
            (true, _) if self.chance.lock().happens(0.5) => model.apply(batch.iter(), synced),
            (true, _) => {}
        }
        if dies { Err(dead()) } else { Ok(()) }
    }
}

/// The store as one life of the machine sees it.
struct Opened {
    disk: Arc<Disk>,
    life: Life,
    inner: Arc<dyn Store>,
}

impl Store for Opened {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        if !self.life.survives() {
            return Err(dead());
        }
        self.inner.get(table, key)
    }

    fn scan(
        &self,
        table: Table,
        from: &[u8],
        to: Option<&[u8]>,
        order: Order,
        visit: &mut Visit<'_>,
    ) -> Result<(), StoreError> {
        if !self.life.survives() {
            return Err(dead());
        }
        self.inner.scan(table, from, to, order, visit)
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        if batch.is_empty() {
            return Ok(());
        }
        let committed = self.disk.commit(&self.life, &*self.inner, batch);
        if committed.is_err() {
            self.disk.refused.fetch_add(1, Relaxed);
        }
        committed
    }

    fn bytes_on_disk(&self) -> u64 {
        0
    }

    fn backend(&self) -> Backend {
        Backend::Redb
    }
}

impl std::fmt::Debug for Disk {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Disk").field("host", &self.host.name).finish_non_exhaustive()
    }
}

/// What a machine reads and writes after its death.
fn dead() -> StoreError {
    let source = std::io::Error::other("the machine is dead");
    StoreError::Io { path: "store".into(), source }
}
