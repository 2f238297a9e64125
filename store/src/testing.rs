//! A store that can be watched, held up and made to fail, for tests of whatever uses a store; and all kinds of rows, for
//! tests with any bytes.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use pergola_feed::Item;
use pergola_manners::Cooperation;
use pergola_manners::courtesy::Courtesy;
use pergola_manners::link::Link;
use pergola_manners::source::{Known, Loop, SourceRecord, SourceState};
use pergola_query::Selectivity;

use crate::engine::{Backend, Batch, Order, Store, StoreError, Table, Visit};
use crate::records::{
    Entry, FeedRecord, FeedTally, HostTally, NodeRecord, OldIds, ProfileRecord, Push, Sample,
    Subscription,
};
use crate::rows::chunk::{Chunk, delivered_at};
use crate::rows::{Stored, decode, encode};

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

/// Reads any bytes as every kind of row. Whatever can be read must be written and read as the same.
///
/// # Panics
/// If a row changes when it is written again, or cannot be read any more.
pub fn read_as_every_row(bytes: &[u8]) {
    survives::<Item>(bytes);
    survives::<SourceRecord>(bytes);
    survives::<SourceState>(bytes);
    survives::<Courtesy>(bytes);
    survives::<Known>(bytes);
    survives::<Loop>(bytes);
    survives::<Link>(bytes);
    survives::<Cooperation>(bytes);
    survives::<Selectivity>(bytes);
    survives::<FeedRecord>(bytes);
    survives::<FeedTally>(bytes);
    survives::<OldIds>(bytes);
    survives::<Entry>(bytes);
    survives::<NodeRecord>(bytes);
    survives::<HostTally>(bytes);
    survives::<Sample>(bytes);
    survives::<ProfileRecord>(bytes);
    survives::<Subscription>(bytes);
    survives::<Push>(bytes);
    let _ = delivered_at(bytes);
    if let Ok(chunk) = Chunk::of_row(bytes) {
        let _ = (chunk.items(), chunk.item(0), chunk.item(u16::MAX));
    }
}

fn survives<T: Stored>(bytes: &[u8]) {
    let Ok(value) = decode::<T>(bytes) else { return };
    let written = encode(&value);
    let Ok(again) = decode::<T>(&written) else { panic!("a row of ours cannot be read") };
    assert_eq!(encode(&again), written, "a row changes when it is written again");
}
