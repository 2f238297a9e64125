//! A store that a test can watch and make fail.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, mpsc};

use pergola_store::{Backend, Batch, Order, Store, StoreError, Table, Visit};

/// Counts scans, and fails or waits when told to.
pub(crate) struct Watched {
    inner: Arc<dyn Store>,
    pub(crate) scans: AtomicUsize,
    /// Whether scans fail.
    pub(crate) failing: AtomicBool,
    gate: Mutex<Option<mpsc::Receiver<()>>>,
    refuses: Mutex<Refuses>,
}

/// Says whether to refuse a commit.
type Refuses = Box<dyn FnMut(&Batch) -> bool + Send>;

impl Watched {
    pub(crate) fn over(inner: Arc<dyn Store>) -> Self {
        let (scans, failing) = (AtomicUsize::new(0), AtomicBool::new(false));
        let refuses: Refuses = Box::new(|_| false);
        Self { inner, scans, failing, gate: Mutex::new(None), refuses: Mutex::new(refuses) }
    }

    /// The next scan waits until what is returned here is dropped.
    pub(crate) fn hold_next_scan(&self) -> mpsc::Sender<()> {
        let (sender, receiver) = mpsc::channel();
        *self.gate.lock().unwrap() = Some(receiver);
        sender
    }

    /// Refuses these commits from now on, as if the disk were full.
    pub(crate) fn refuse(&self, refuses: impl FnMut(&Batch) -> bool + Send + 'static) {
        *self.refuses.lock().unwrap() = Box::new(refuses);
    }
}

/// Whether a commit changes a row of this table.
pub(crate) fn touches(batch: &Batch, table: Table) -> bool {
    batch.iter().any(|(changed, ..)| changed == table)
}

impl Store for Watched {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
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
        self.scans.fetch_add(1, SeqCst);
        let held = self.gate.lock().unwrap().take();
        if let Some(gate) = held {
            assert!(gate.recv().is_err(), "nothing is ever sent");
        }
        if self.failing.load(SeqCst) {
            return Err(StoreError::Corrupt { path: "store".into(), cause: "a test".into() });
        }
        self.inner.scan(table, from, to, order, visit)
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        if (self.refuses.lock().unwrap())(batch) {
            return Err(StoreError::Full { free: 1, needed: 2 });
        }
        self.inner.commit(batch)
    }

    fn bytes_on_disk(&self) -> u64 {
        self.inner.bytes_on_disk()
    }

    fn backend(&self) -> Backend {
        self.inner.backend()
    }
}
