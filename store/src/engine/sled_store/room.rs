//! The room of rows that are gone, which sled does not use again quickly enough by itself.
//!
//! sled appends to segments of 512 kB. When half of a segment is out of date, the pages that are left in it wait to be
//! moved; when all have been moved, the segment is used again. But sled moves one page only when it rewrites another
//! one as a whole, which is at every eleventh change of that page. With rows as large as ours, more pages begin to wait
//! than are moved, and the file grows without end. (Its own thread for this goes by the clock and not by what is
//! written, and syncs the file each time, also when nothing happens.)
//!
//! So once the file is larger than [`FREE`], whenever a quarter of a segment was committed, a tiny row in a tree of its
//! own is changed many times, and every eleventh change moves a page. Small commits that follow each other pay for this
//! once, not each. A smaller file may hold as much that is out of date as it likes: that costs nobody anything, and
//! moving pages costs a third of what a refresh does.
//!
//! Never: a segment that is used again before what was moved out of it is on the disk. sled does not wait for the
//! drive, so the file is synced whenever half a segment was moved.

use std::{
    fs::File,
    sync::{Mutex, PoisonError},
};

use super::Batch;

/// The tree that holds only the row that is changed.
const TREE: &str = "room";

/// Changes of one page that make the engine move another one.
const CHANGES: u32 = 11;

/// Pages that may be moved before it is looked at how much was.
const PAGES: u32 = 8;

/// What is written for so many pages if none has to be moved; it was seen to be 1.5 kB.
const NOTHING: usize = 3 << 10;

/// So many times in a row nothing had to be moved: that is enough. Once is not, because pages that were moved by other
/// changes meanwhile are still waiting, too.
const QUIET: u32 = 3;

/// How large the file may become before pages are moved.
pub(in crate::engine) const FREE: u64 = 64 << 20;

/// Bytes that are committed before pages are moved: a quarter of a segment.
const DUE: u64 = 128 << 10;

/// How often pages are moved at once, at most: so often, and once more for every few rows that were committed. Two pages
/// for each row were seen to be enough.
const TURNS: usize = 4;
const ROWS: usize = 4;

/// Bytes that are moved at once, at most: so many, or as many as were committed. A commit is refused unless there is room
/// for several times that.
const MOST: u64 = 2 << 20;

/// Bytes that are moved before the file is synced: half a segment.
const UNSYNCED: usize = 256 << 10;

pub(super) struct Room {
    tree: sled::Tree,
    written: Mutex<Written>,
}

/// What was written since pages were moved the last time.
#[derive(Default)]
struct Written {
    bytes: u64,
    rows: usize,
    /// What the tiny row holds. A change that changes nothing would not count.
    value: u64,
}

impl Room {
    pub(super) fn open(db: &sled::Db) -> sled::Result<Self> {
        Ok(Self { tree: db.open_tree(TREE)?, written: Mutex::default() })
    }

    /// Moves some of the pages that wait, if there are any, once enough was committed.
    pub(super) fn make(&self, db: &sled::Db, batch: &Batch, file: &File) -> sled::Result<()> {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        written.bytes += batch.bytes();
        written.rows += batch.len();
        if written.bytes < DUE || file.metadata()?.len() <= FREE {
            return Ok(());
        }
        let most = usize::try_from(MOST.max(written.bytes)).unwrap_or(usize::MAX);
        let turns = TURNS + written.rows / ROWS;
        (written.bytes, written.rows) = (0, 0);
        let (mut all, mut unsynced, mut quiet) = (0, 0, 0);
        for _ in 0..turns {
            for _ in 0..PAGES * CHANGES {
                written.value += 1;
                self.tree.insert(b"", &written.value.to_be_bytes())?;
            }
            let moved = db.flush()?;
            all += moved;
            unsynced += moved;
            quiet = if moved > NOTHING { 0 } else { quiet + 1 };
            if unsynced > UNSYNCED {
                file.sync_data()?;
                unsynced = 0;
            }
            if quiet == QUIET || all > most {
                break;
            }
        }
        Ok(())
    }
}
