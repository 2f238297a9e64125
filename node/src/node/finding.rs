//! Full-text search over all stored items, and the work on its index.
//!
//! New items are indexed in the background, in commits of limited size between those of refreshes. Until then a search
//! looks through them one by one.

use std::sync::Arc;

use pergola_store::archive::{ArchiveError, Find, Finding, Found, IndexSize, Indexer, ItemNumber};
use tokio_util::sync::CancellationToken;

use super::Node;
use super::feeds::FeedError;

/// Seconds between two looks at what waits …
const EVERY: f64 = 20.0;
/// … and how many of them pass before it is indexed although it is little.
const PATIENCE: u64 = 3;

impl Node {
    /// Searches all stored items: one page, the newest first.
    pub async fn find_items(&self, find: Find) -> Result<Finding, ArchiveError> {
        let archive = self.archive.clone();
        self.read(move || archive.find(&find)).await
    }

    /// Where an item is stored, in its latest version; nothing if it is not.
    pub async fn locate(&self, item: ItemNumber) -> Result<Option<Found>, ArchiveError> {
        let archive = self.archive.clone();
        self.read(move || archive.locate(item)).await
    }

    /// How large the search index is, and how much waits for it.
    pub async fn index_size(&self) -> Result<IndexSize, ArchiveError> {
        let archive = self.archive.clone();
        self.read(move || archive.index_size()).await
    }

    /// Indexes new items until `stop` is cancelled. What is not done by then is done after the next start.
    pub(super) async fn keep_index(self: Arc<Self>, stop: CancellationToken) {
        for look in 0.. {
            let worked = tokio::select! {
                biased;
                () = stop.cancelled() => return,
                worked = self.index(look % PATIENCE == 0, true) => worked,
            };
            if let Err(error) = worked {
                tracing::error!(%error, "new items could not be indexed for searches");
            }
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                () = self.clock.sleep_until(self.clock.now() + EVERY) => {}
            }
        }
    }

    /// Indexes everything that waits, now.
    pub async fn index_now(&self) -> Result<(), FeedError> {
        self.index(true, false).await
    }

    /// Works on the index until there is nothing to do. With `all`, it indexes what waits although it is little; with
    /// `rests`, it takes at most half of a core, also when a large folder is indexed for the first time.
    async fn index(&self, all: bool, rests: bool) -> Result<(), FeedError> {
        let _turn = self.indexing.acquire().await;
        let mut indexer = Indexer::new(all);
        loop {
            let begun = self.clock.now();
            let archive = self.archive.clone();
            let next = move || {
                let commit = indexer.next(&archive)?;
                Ok((indexer, commit))
            };
            let commit;
            (indexer, commit) = self.read(next).await?;
            match commit {
                Some(commit) if commit.is_empty() => {}
                Some(commit) => self.commit(commit).await?,
                None => return Ok(()),
            }
            let now = self.clock.now();
            if rests && now > begun {
                self.clock.sleep_until(now + (now - begun)).await;
            }
        }
    }
}
