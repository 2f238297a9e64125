//! A simulated file for redb: what was not synced may be lost, in part or torn, when the power fails.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use pergola_outside::locks::Mutex;
use redb::StorageBackend;

use crate::chance::Chance;
use crate::host::{Death, Life};

/// A disk writes so many bytes as a whole or not at all.
const SECTOR: usize = 512;

/// A file on a disk.
pub(super) struct File {
    /// What programs see.
    seen: Vec<u8>,
    /// What would be there if nothing more were written to the disk.
    synced: Vec<u8>,
    /// What was written since the last sync: where, and what.
    unsynced: Vec<(usize, Vec<u8>)>,
    chance: Chance,
}

impl File {
    pub(super) fn new(chance: Chance) -> Arc<Mutex<Self>> {
        let (seen, synced, unsynced) = (Vec::new(), Vec::new(), Vec::new());
        Arc::new(Mutex::new(Self { seen, synced, unsynced, chance }))
    }

    /// The machine has died. Of what was not synced each sector may be on the disk or not.
    pub(super) fn settle(&mut self, death: Death) {
        if death == Death::Killed {
            return self.sync();
        }
        // The length of a file is not data: it is as it was when the data was synced, or as it is now.
        if self.seen.len() > self.synced.len() && self.chance.happens(0.5) {
            self.synced.resize(self.seen.len(), 0);
        }
        let kept = self.chance.share();
        for (offset, data) in std::mem::take(&mut self.unsynced) {
            for (number, sector) in data.chunks(SECTOR).enumerate() {
                let at = offset + number * SECTOR;
                if at + sector.len() <= self.synced.len() && self.chance.happens(kept) {
                    self.synced[at..at + sector.len()].copy_from_slice(sector);
                }
            }
        }
        self.seen.clone_from(&self.synced);
    }

    fn sync(&mut self) {
        if self.synced.len() != self.seen.len() {
            self.synced.resize(self.seen.len(), 0);
        }
        for (offset, data) in std::mem::take(&mut self.unsynced) {
            let end = (offset + data.len()).min(self.synced.len());
            if offset < end {
                self.synced[offset..end].copy_from_slice(&data[..end - offset]);
            }
        }
    }
}

/// The file as one life of its machine sees it.
#[derive(Clone)]
pub(super) struct Handle {
    file: Arc<Mutex<File>>,
    life: Life,
    full: Arc<AtomicBool>,
    ignores_sync: bool,
}

impl Handle {
    pub(super) fn new(
        file: &Arc<Mutex<File>>,
        life: &Life,
        full: &Arc<AtomicBool>,
        ignores_sync: bool,
    ) -> Self {
        let (file, life, full) = (Arc::clone(file), life.clone(), Arc::clone(full));
        Self { file, life, full, ignores_sync }
    }

    fn acts(&self) -> io::Result<()> {
        match self.life.survives() {
            true => Ok(()),
            false => Err(io::Error::other("the machine is dead")),
        }
    }

    fn takes_space(&self) -> io::Result<()> {
        match self.full.load(Relaxed) {
            true => Err(io::ErrorKind::StorageFull.into()),
            false => Ok(()),
        }
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Handle").finish_non_exhaustive()
    }
}

impl StorageBackend for Handle {
    fn len(&self) -> io::Result<u64> {
        Ok(self.file.lock().seen.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let file = self.file.lock();
        let offset = usize::try_from(offset).map_err(io::Error::other)?;
        let found = file.seen.get(offset..offset + out.len());
        out.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.acts()?;
        let mut file = self.file.lock();
        let len = usize::try_from(len).map_err(io::Error::other)?;
        if len > file.seen.len() {
            self.takes_space()?;
        }
        file.seen.resize(len, 0);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.acts()?;
        if !self.ignores_sync {
            self.file.lock().sync();
        }
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.acts()?;
        self.takes_space()?;
        let mut file = self.file.lock();
        let offset = usize::try_from(offset).map_err(io::Error::other)?;
        let place = file.seen.get_mut(offset..offset + data.len());
        place.ok_or(io::ErrorKind::UnexpectedEof)?.copy_from_slice(data);
        file.unsynced.push((offset, data.to_vec()));
        Ok(())
    }
}
