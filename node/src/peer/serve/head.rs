//! Where a feed ends: the cursor that a fetch of everything would end with.
//!
//! Everybody who watches a feed is told it after every change, so it is read once for each and shared.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;

use crate::archive::{Archive, ArchiveError, Edit, FeedId, FeedTally};
use crate::peer::cursor::Cursor;

/// Feeds of which the end is remembered; beyond, all are forgotten and read again.
const REMEMBERED: usize = 20_000;

/// The ends of feeds.
pub(super) struct Heads {
    archive: Archive,
    ends: Mutex<HashMap<FeedId, (u64, End)>>,
}

/// The entry before a number, read by the first who asks.
type End = Arc<OnceCell<u32>>;

impl Heads {
    pub(super) fn new(archive: Archive) -> Self {
        Self { archive, ends: Mutex::default() }
    }

    /// The end of a feed that has come so far.
    pub(super) async fn head(
        &self,
        node: u32,
        feed: FeedId,
        tally: FeedTally,
    ) -> Result<Cursor, ArchiveError> {
        let end = self.end(feed, tally.next);
        let last = end.get_or_try_init(|| async {
            let archive = self.archive.clone();
            let read = tokio::task::spawn_blocking(move || last_before(&archive, feed, tally.next));
            match read.await {
                Ok(read) => read,
                Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
            }
        });
        let last = *last.await?;
        Ok(Cursor { node, feed, next: tally.next, last, edits: Edit::end_of(tally.edition) })
    }

    fn end(&self, feed: FeedId, next: u64) -> End {
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        if ends.len() >= REMEMBERED {
            ends.clear();
        }
        let (known, end) = ends.entry(feed).or_default();
        if *known != next {
            (*known, *end) = (next, End::default());
        }
        Arc::clone(end)
    }
}

/// What a cursor says of the entry before a number.
pub(super) fn last_before(archive: &Archive, feed: FeedId, next: u64) -> Result<u32, ArchiveError> {
    let Some(last) = next.checked_sub(1) else { return Ok(0) };
    Ok(archive.entry(feed, last)?.map_or(0, |entry| Cursor::of_entry(entry.key)))
}
