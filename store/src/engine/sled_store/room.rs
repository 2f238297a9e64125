//! The room of rows that are gone, which sled does not use again quickly enough by itself.
//!
//! sled appends to segments of 512 kB. When half of a segment is out of date, the pages that are left in it wait to be
//! moved; when all have been moved, the segment is used again. But sled moves one page only when it rewrites another
//! one as a whole, which is at every eleventh change of that page. With rows as large as ours, more pages begin to wait
//! than are moved, and the file grows without end. (Its own thread for this goes by the clock and not by what is
//! written, and syncs the file each time, also when nothing happens.)
//!
//! So after each commit a tiny row in a tree of its own is changed many times, and every eleventh change moves a page.
//!
//! Never: a segment that is used again before what was moved out of it is on the disk. sled does not wait for the
//! drive, so the file is synced whenever half a segment was moved.

use std::sync::{Mutex, PoisonError};

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

/// How often pages are moved after a commit, at most: so often, and once more for every few rows of the commit. Two
/// pages for each row were seen to be enough.
const TURNS: usize = 4;
const ROWS: usize = 4;

/// Bytes that are moved after a commit, at most: so many, or as many as the commit itself has. A commit is refused unless
/// there is room for several times that.
const MOST: usize = 2 << 20;

/// Bytes that are moved before the file is synced: half a segment.
const UNSYNCED: usize = 256 << 10;

pub(super) struct Room {
    tree: sled::Tree,
    /// What the row holds. A change that changes nothing would not count.
    value: Mutex<u64>,
}

impl Room {
    pub(super) fn open(db: &sled::Db) -> sled::Result<Self> {
        Ok(Self { tree: db.open_tree(TREE)?, value: Mutex::default() })
    }

    /// Moves some of the pages that wait, if there are any, after a batch was committed.
    pub(super) fn make(
        &self,
        db: &sled::Db,
        batch: &Batch,
        sync: impl Fn() -> std::io::Result<()>,
    ) -> sled::Result<()> {
        let mut value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut all, mut unsynced, mut quiet) = (0, 0, 0);
        let most = MOST.max(usize::try_from(batch.bytes()).unwrap_or(usize::MAX));
        for _ in 0..TURNS + batch.len() / ROWS {
            for _ in 0..PAGES * CHANGES {
                *value += 1;
                self.tree.insert(b"", &value.to_be_bytes())?;
            }
            let written = db.flush()?;
            all += written;
            unsynced += written;
            quiet = if written > NOTHING { 0 } else { quiet + 1 };
            if unsynced > UNSYNCED {
                sync()?;
                unsynced = 0;
            }
            if quiet == QUIET || all > most {
                break;
            }
        }
        Ok(())
    }
}
