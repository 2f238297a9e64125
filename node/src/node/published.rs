//! What is published: the feeds, how far each has come, and their items.

use std::collections::HashSet;

use pergola_store::Order;
use pergola_store::archive::{
    Archive, ArchiveError, Entry, FeedId, FeedTally, Published, Sample, SourceId,
};

use super::Node;
use crate::publish::{Follower, Imprint, Listing, Publisher, ShelfCounts};
use crate::select::FeedCard;

impl Node {
    /// How this node presents itself.
    pub fn imprint(&self) -> &Imprint {
        self.shelf.imprint()
    }

    /// The published feed of this name.
    pub fn listing(&self, name: &str) -> Option<Listing> {
        self.shelf.listing(name)
    }

    /// Every published feed, by name.
    pub fn listings(&self) -> Vec<Listing> {
        self.shelf.listings()
    }

    /// Every feed with its query.
    pub fn feeds(&self) -> Vec<FeedCard> {
        self.desk.feeds()
    }

    /// The feed of this name with its query.
    pub fn feed(&self, name: &str) -> Option<FeedCard> {
        self.desk.feed(name)
    }

    /// How far a feed has come; nothing if it is published no more.
    pub fn tally(&self, feed: FeedId) -> Option<FeedTally> {
        self.shelf.tally(feed)
    }

    /// Sees how far a feed comes from now on, until it is published no more.
    pub fn follow(&self, feed: FeedId) -> Option<Follower<FeedTally>> {
        self.shelf.follow(feed)
    }

    /// Sees every change of any feed from now on.
    pub fn changes(&self) -> Follower<()> {
        self.shelf.changes()
    }

    /// What was served so far.
    pub fn served(&self) -> ShelfCounts {
        self.shelf.counts()
    }

    /// Counts entries that were sent to another node.
    pub fn count_sent_entries(&self, entries: usize) {
        self.metrics.peer_entries.inc_by(entries as u64);
    }

    /// The items of a feed from a number on as this node publishes them, oldest first, at most `limit` of
    /// them. Blocks.
    pub fn items_from(
        &self,
        feed: FeedId,
        from: u64,
        limit: usize,
    ) -> Result<Vec<Published>, ArchiveError> {
        self.published(feed, || self.archive.entries(feed, from, u64::MAX, Order::Ascending, limit))
    }

    /// The newest items of a feed as this node publishes them, oldest first, at most `limit` of them.
    /// Blocks.
    pub fn newest_items(&self, feed: FeedId, limit: usize) -> Result<Vec<Published>, ArchiveError> {
        self.published(feed, || {
            let mut entries = self.archive.entries(feed, 0, u64::MAX, Order::Descending, limit)?;
            entries.reverse();
            Ok(entries)
        })
    }

    fn published(
        &self,
        feed: FeedId,
        entries: impl FnOnce() -> Result<Vec<(u64, Entry)>, ArchiveError>,
    ) -> Result<Vec<Published>, ArchiveError> {
        let archived = self.archive.with_items(entries()?)?;
        Publisher::new(&self.archive, self.imprint()).publish_all(feed, archived)
    }

    /// Renders the feeds that read these sources again when somebody asks: the sources may have other titles.
    pub(super) fn renew_readers_of(&self, sources: &[SourceId]) {
        let changed: HashSet<&SourceId> = sources.iter().collect();
        for card in self.desk.feeds() {
            if self.desk.sources_of(card.id).iter().any(|source| changed.contains(source)) {
                self.shelf.renew(card.id);
            }
        }
    }

    /// How many entries a feed has been given so far, as stored. Blocks.
    pub fn published_so_far(&self, feed: FeedId) -> Result<u64, ArchiveError> {
        Ok(self.archive.feed_tally(feed)?.next)
    }

    /// How the node stood in these minutes. Blocks.
    pub fn history(&self, from: u64, to: u64) -> Result<Vec<(u64, Sample)>, ArchiveError> {
        self.archive.history(from, to)
    }

    /// Tells the readers of a feed that it has come this far, for whoever writes to the store without the
    /// writer: a benchmark that only measures reading.
    pub fn announce(&self, feed: FeedId, tally: FeedTally) {
        self.shelf.changed(feed, tally);
    }

    /// What is stored, for the service that reads pages of entries.
    pub(crate) fn archive(&self) -> &Archive {
        &self.archive
    }
}
