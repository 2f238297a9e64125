//! Where a feed ends: the cursor that a fetch of everything would end with.
//!
//! Everybody who watches a feed is told it after every change, so it is read once for each and shared.

use std::collections::HashMap;
use std::sync::Arc;

use pergola_store::archive::{Archive, ArchiveError, Edit, FeedId, FeedTally};
use tokio::sync::OnceCell;

use crate::peer::cursor::Cursor;
use pergola_outside::locks::Mutex;
use pergola_outside::surroundings::Blocking;

/// Feeds of which the end is remembered; beyond, all are forgotten and read again.
const REMEMBERED: usize = 20_000;

/// The ends of feeds.
pub(super) struct Heads {
    archive: Archive,
    /// What cursors of this node say of it.
    node: u32,
    blocking: Blocking,
    ends: Mutex<HashMap<FeedId, End>>,
}

/// The end of a feed that has come so far, found by the first who asks.
#[derive(Default)]
struct End {
    next: u64,
    edition: u64,
    cursor: Arc<OnceCell<String>>,
}

impl Heads {
    pub(super) fn new(archive: Archive, node: u32, blocking: Blocking) -> Self {
        Self { archive, node, blocking, ends: Mutex::default() }
    }

    /// The end of a feed that has come so far, as a cursor is sent.
    pub(super) async fn head(
        &self,
        feed: FeedId,
        tally: FeedTally,
    ) -> Result<String, ArchiveError> {
        let cursor = self.cursor(feed, tally);
        let written = cursor.get_or_try_init(|| async {
            let archive = self.archive.clone();
            let read = self.blocking.run(move || last_before(&archive, feed, tally.next));
            let last = read.await.unwrap_or_else(|panicked| panic!("{panicked}"))?;
            let (next, edits) = (tally.next, Edit::end_of(tally.edition));
            Ok(Cursor { node: self.node, feed, next, last, edits }.to_string())
        });
        written.await.cloned()
    }

    fn cursor(&self, feed: FeedId, tally: FeedTally) -> Arc<OnceCell<String>> {
        let FeedTally { next, edition, .. } = tally;
        let mut ends = self.ends.lock();
        if ends.len() >= REMEMBERED {
            ends.clear();
        }
        let end = ends.entry(feed).or_default();
        if (end.next, end.edition) != (next, edition) {
            *end = End { next, edition, cursor: Arc::default() };
        }
        Arc::clone(&end.cursor)
    }
}

/// What a cursor says of the entry before a number.
pub(super) fn last_before(archive: &Archive, feed: FeedId, next: u64) -> Result<u32, ArchiveError> {
    let Some(last) = next.checked_sub(1) else { return Ok(0) };
    match archive.entry(feed, last) {
        Ok(entry) => Ok(entry.map_or(0, |entry| Cursor::of_entry(entry.key))),
        // Like one that is gone, it proves nothing.
        Err(ArchiveError::Damaged { .. }) => Ok(0),
        Err(error) => Err(error),
    }
}
