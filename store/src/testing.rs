//! A store that can be watched, held up and made to fail, for tests of whatever uses a store.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use crate::engine::redb_store::RedbStore;
use crate::engine::{Backend, Batch, Order, Store, StoreError, Table, Visit};

/// A redb store over a file of the caller's own, such as a simulated one.
pub fn redb_over(backend: impl redb::StorageBackend) -> Result<Arc<dyn Store>, StoreError> {
    Ok(Arc::new(RedbStore::over(backend, std::path::Path::new("store.redb"))?))
}

/// Says whether to refuse a commit.
type Refuses = Box<dyn FnMut(&Batch) -> bool + Send>;

/// Another store, with faults.
pub struct FaultyStore {
    inner: Arc<dyn Store>,
    scans: AtomicUsize,
    refuses: Mutex<Refuses>,
    fails_scans: AtomicBool,
    gate: Mutex<Option<mpsc::Receiver<()>>>,
}

impl FaultyStore {
    /// Works like `inner` until it is told otherwise.
    pub fn over(inner: Arc<dyn Store>) -> Self {
        Self {
            inner,
            scans: AtomicUsize::new(0),
            refuses: Mutex::new(Box::new(|_| false)),
            fails_scans: AtomicBool::new(false),
            gate: Mutex::new(None),
        }
    }

    /// From now on commits are refused as if the disk were full, or no longer.
    pub fn refuse_commits(&self, refuse: bool) {
        self.refuse_commits_where(move |_| refuse);
    }

    /// From now on these commits are refused as if the disk were full.
    pub fn refuse_commits_where(&self, refuses: impl FnMut(&Batch) -> bool + Send + 'static) {
        *self.refuses.lock().unwrap_or_else(PoisonError::into_inner) = Box::new(refuses);
    }

    /// From now on scans fail as if the store were damaged, or no longer.
    pub fn fail_scans(&self, fail: bool) {
        self.fails_scans.store(fail, SeqCst);
    }

    /// Scans so far.
    pub fn scans(&self) -> usize {
        self.scans.load(SeqCst)
    }

    /// The next scan waits until what is returned here is dropped.
    pub fn hold_next_scan(&self) -> mpsc::Sender<()> {
        let (sender, receiver) = mpsc::channel();
        *self.gate.lock().unwrap_or_else(PoisonError::into_inner) = Some(receiver);
        sender
    }
}

impl Store for FaultyStore {
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
        let gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(gate) = gate {
            // It returns when the sender is dropped: nothing is ever sent.
            let _ = gate.recv();
        }
        if self.fails_scans.load(SeqCst) {
            return Err(StoreError::Corrupt { path: "store".into(), cause: "a test".into() });
        }
        self.inner.scan(table, from, to, order, visit)
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        let refused = self.refuses.lock().unwrap_or_else(PoisonError::into_inner)(batch);
        if refused {
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
