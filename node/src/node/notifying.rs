//! What the notifier needs of the node.

use std::sync::Arc;

use pergola_notify::{FeedNow, Stand};
use pergola_outside::surroundings::Pending;
use pergola_store::Order;
use pergola_store::archive::{Archive, ArchiveError, Commit, FeedId, Published};

use crate::publish::{Publisher, Shelf};
use crate::writer::Writer;

/// The feeds of the node, and its writer.
pub(super) struct Feeds {
    pub(super) archive: Archive,
    pub(super) shelf: Arc<Shelf>,
    pub(super) writer: Writer,
}

impl Stand for Feeds {
    fn feed(&self, feed: FeedId) -> Option<FeedNow> {
        let listing = self.shelf.listing_of(feed)?;
        let base = self.shelf.imprint().public_url.as_str().trim_end_matches('/');
        let url = format!("{base}/feeds/{}", listing.name);
        Some(FeedNow { url, name: listing.name, next: listing.tally.next })
    }

    fn entries(&self, feed: FeedId, from: u64, to: u64) -> Result<Vec<Published>, ArchiveError> {
        let entries = self.archive.entries(feed, from, to, Order::Ascending, usize::MAX)?;
        let archived = self.archive.with_items(entries)?;
        Publisher::new(&self.archive, self.shelf.imprint()).publish_all(feed, archived)
    }

    fn commit(&self, commit: Commit) -> Pending<'_, Result<(), String>> {
        Box::pin(async move {
            self.writer.commit(commit).await.map(drop).map_err(|error| error.to_string())
        })
    }
}
