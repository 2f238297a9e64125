//! A disk that can lose power, run full, flip bits and be slow, all decided by a seed.
//!
//! Like a real one, it promises nothing of what was written since the last sync. [`Disk::after_power_cut`] is the
//! disk as it is found afterwards: what was synced, and of the rest nothing, everything, or a random part in any
//! order. A write that is not kept whole may be kept in sectors of 512 bytes.
//!
//! It is one file for redb ([`Disk::open`]); the store on it is like that in a data folder, without the folder.

#[cfg(test)]
mod tests;

use std::fmt;
use std::io;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use redb::StorageBackend;

use crate::engine::{Opened, StoreError, open_on_redb};

/// What a disk writes at once.
const SECTOR: usize = 512;

/// Something that is done to a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Bytes are read.
    Read,
    /// Bytes are written.
    Write,
    /// The file gets another length.
    SetLength,
    /// What was written is made durable.
    Sync,
}

/// Called before everything that is done to a disk; a slow disk waits here.
pub type Watch = Arc<dyn Fn(Op) + Send + Sync>;

/// What becomes of writes that were not synced when the power fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    Nothing,
    Everything,
    Part { torn: bool },
}

/// A write that was not synced yet.
#[derive(Clone)]
enum Unsynced {
    Bytes { at: usize, bytes: Vec<u8> },
    Length(usize),
}

struct State {
    /// What survives a power cut.
    durable: Vec<u8>,
    /// What is read.
    seen: Vec<u8>,
    unsynced: Vec<Unsynced>,
    kept: Kept,
    /// Writes, changes of length and syncs until the power fails.
    until_cut: Option<u64>,
    off: bool,
    full_at: Option<u64>,
    watch: Option<Watch>,
    operations: u64,
    random: u64,
}

/// A simulated disk. Clones are the same disk.
#[derive(Clone)]
pub struct Disk(Arc<Mutex<State>>);

impl Disk {
    /// An empty disk. Unless it is told otherwise, it keeps a random part of what was not synced, torn.
    pub fn new(seed: u64) -> Self {
        Self::holding(Vec::new(), Kept::Part { torn: true }, seed)
    }

    fn holding(bytes: Vec<u8>, kept: Kept, seed: u64) -> Self {
        let (durable, seen) = (bytes.clone(), bytes);
        Self(Arc::new(Mutex::new(State {
            durable,
            seen,
            unsynced: Vec::new(),
            kept,
            until_cut: None,
            off: false,
            full_at: None,
            watch: None,
            operations: 0,
            random: seed,
        })))
    }

    /// The store on this disk; it is made if there is none.
    pub fn open(&self) -> Result<Opened, StoreError> {
        let disk = self.clone();
        open_on_redb(Box::new(move |builder| builder.create_with_backend(disk.clone())))
    }

    /// A power cut loses everything that was not synced.
    pub fn lose_unsynced(&self) {
        self.lock().kept = Kept::Nothing;
    }

    /// A power cut loses nothing: the process died, and the disk went on.
    pub fn keep_unsynced(&self) {
        self.lock().kept = Kept::Everything;
    }

    /// A power cut keeps a random part of what was not synced; `torn`: of each write, any sectors.
    pub fn keep_part(&self, torn: bool) {
        self.lock().kept = Kept::Part { torn };
    }

    /// The power fails after so many more writes, changes of length and syncs. From then on everything fails.
    pub fn cut_after(&self, operations: u64) {
        self.lock().until_cut = Some(operations);
    }

    /// Whether the power has failed.
    pub fn is_off(&self) -> bool {
        self.lock().off
    }

    /// Writes beyond this byte fail as on a full disk; `None` makes room.
    pub fn full_at(&self, byte: Option<u64>) {
        self.lock().full_at = byte;
    }

    /// What is called before everything that is done to the disk.
    pub fn watch(&self, watch: Option<Watch>) {
        self.lock().watch = watch;
    }

    /// Flips one bit, for good.
    pub fn flip(&self, byte: u64, bit: u8) {
        let mut state = self.lock();
        let (at, mask) = (byte as usize, 1 << (bit % 8));
        let State { durable, seen, .. } = &mut *state;
        for bytes in [durable, seen] {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= mask;
            }
        }
    }

    /// A random number from a range, by the disk's seed.
    pub fn random(&self, range: RangeInclusive<u64>) -> u64 {
        self.lock().random(range)
    }

    /// Writes, changes of length and syncs so far.
    pub fn operations(&self) -> u64 {
        self.lock().operations
    }

    /// Bytes of the file as it is read.
    pub fn length(&self) -> u64 {
        self.lock().seen.len() as u64
    }

    /// The disk as it is found when the power comes back. Whoever uses this one must be gone, or it must be off.
    pub fn after_power_cut(&self) -> Self {
        let mut state = self.lock();
        let unsynced = std::mem::take(&mut state.unsynced);
        let mut bytes = std::mem::take(&mut state.durable);
        let kept = state.kept;
        for write in unsynced {
            state.survive(&mut bytes, write);
        }
        let seed = state.next_random();
        state.off = true;
        drop(state);
        Self::holding(bytes, kept, seed)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts an operation that changes something, and lets the power fail in time.
    fn begin(&self, op: Op) -> io::Result<MutexGuard<'_, State>> {
        let watch = self.lock().watch.clone();
        if let Some(watch) = watch {
            watch(op);
        }
        let mut state = self.lock();
        if op != Op::Read {
            state.operations += 1;
            match &mut state.until_cut {
                Some(0) => state.off = true,
                Some(left) => *left -= 1,
                None => {}
            }
        }
        if state.off { Err(io::Error::other("the power has failed")) } else { Ok(state) }
    }
}

impl State {
    /// What a power cut leaves of a write.
    fn survive(&mut self, bytes: &mut Vec<u8>, write: Unsynced) {
        let whole = match self.kept {
            Kept::Nothing => return,
            Kept::Everything => true,
            Kept::Part { torn } => match self.random(0..=2) {
                0 => return,
                1 => true,
                _ => !torn,
            },
        };
        match write {
            Unsynced::Length(length) => bytes.resize(length, 0),
            Unsynced::Bytes { at, bytes: written } if whole => overwrite(bytes, at, &written),
            Unsynced::Bytes { at, bytes: written } => {
                // Sectors of the disk, not of the write.
                let first = SECTOR - at % SECTOR;
                let mut done = 0;
                while done < written.len() {
                    let length = if done == 0 { first } else { SECTOR }.min(written.len() - done);
                    if self.random(0..=1) == 1 {
                        overwrite(bytes, at + done, &written[done..done + length]);
                    }
                    done += length;
                }
            }
        }
    }

    fn check_room(&self, end: u64) -> io::Result<()> {
        match self.full_at {
            Some(full) if end > full && end > self.seen.len() as u64 => {
                Err(io::ErrorKind::StorageFull.into())
            }
            _ => Ok(()),
        }
    }

    fn random(&mut self, range: RangeInclusive<u64>) -> u64 {
        let width = range.end() - range.start() + 1;
        range.start() + self.next_random() % width
    }

    /// splitmix64
    fn next_random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

fn overwrite(bytes: &mut Vec<u8>, at: usize, written: &[u8]) {
    if bytes.len() < at + written.len() {
        bytes.resize(at + written.len(), 0);
    }
    bytes[at..at + written.len()].copy_from_slice(written);
}

impl fmt::Debug for Disk {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Disk").field("length", &self.length()).finish_non_exhaustive()
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.begin(Op::Read)?.seen.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let state = self.begin(Op::Read)?;
        let from = offset as usize;
        let bytes = state.seen.get(from..from + out.len());
        out.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut state = self.begin(Op::SetLength)?;
        state.check_room(len)?;
        state.seen.resize(len as usize, 0);
        state.unsynced.push(Unsynced::Length(len as usize));
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut state = self.begin(Op::Sync)?;
        state.unsynced.clear();
        let State { durable, seen, .. } = &mut *state;
        durable.clone_from(seen);
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut state = self.begin(Op::Write)?;
        state.check_room(offset + data.len() as u64)?;
        let at = offset as usize;
        overwrite(&mut state.seen, at, data);
        state.unsynced.push(Unsynced::Bytes { at, bytes: data.to_vec() });
        Ok(())
    }
}
