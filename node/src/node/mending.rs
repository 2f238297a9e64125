//! Finding damage in the store, telling of it, and mending it as far as a running node can.
//!
//! Every row is read once a day, a little at a time. What follows from other rows is written again. Lost items are
//! marked, so that the next refresh of their source stores them again: it asks for the whole document, looks through
//! the archives, or reads the peer from its oldest entry on. What nothing here can bring back comes from a backup
//! (`pergola store repair`).

use std::collections::HashMap;
use std::sync::Arc;

use pergola_store::archive::{ArchiveError, Place, SourceId};
use tokio_util::sync::CancellationToken;

use super::Node;
use super::feeds::FeedError;

/// Seconds after the start at which the first scrubbing begins.
const FIRST: f64 = 120.0;
/// Seconds between the beginnings of two.
const EVERY: f64 = 86_400.0;
/// Bytes that are read in one go …
const STEP: usize = 1 << 20;
/// … and seconds of rest after that: at most 4 MB are read in a second.
const REST: f64 = 0.25;
/// How often lost items of a source are looked for until the node is started again.
const MOST_SEARCHES: u32 = 3;

impl Node {
    /// Reads every row once a day until `stop` is cancelled, and mends what it can.
    pub(super) async fn scrub_daily(self: Arc<Self>, stop: CancellationToken) {
        let mut searches = HashMap::new();
        let mut next = self.clock.now() + FIRST;
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.clock.sleep_until(next) => {}
            }
            next = self.clock.now() + EVERY;
            let scrubbed = tokio::select! {
                () = stop.cancelled() => return,
                scrubbed = self.scrub(REST) => scrubbed,
            };
            if let Err(error) = scrubbed {
                tracing::error!(%error, "the store could not be read to its end");
            }
            if let Err(error) = self.mend(&mut searches).await {
                tracing::error!(%error, "damage could not be mended");
            }
        }
    }

    /// Reads every row and mends what it can, now.
    pub async fn scrub_and_mend(&self) -> Result<(), FeedError> {
        self.scrub(0.0).await?;
        self.mend(&mut HashMap::new()).await
    }

    async fn scrub(&self, rest: f64) -> Result<(), ArchiveError> {
        let mut place = Some(Place::default());
        while let Some(from) = place {
            let archive = self.archive.clone();
            place = self.read(move || archive.scrub(from, STEP)).await?;
            if rest > 0.0 && place.is_some() {
                self.clock.sleep_until(self.clock.now() + rest).await;
            }
        }
        Ok(())
    }

    async fn mend(&self, searches: &mut HashMap<SourceId, u32>) -> Result<(), FeedError> {
        if self.archive.damage().is_empty() {
            return Ok(());
        }
        let mended = self.alone(pergola_store::archive::Archive::mend).await??;
        tracing::info!(rows = mended, "damaged rows were mended");
        let archive = self.archive.clone();
        for lost in self.read(move || archive.lost()).await? {
            let tried = searches.entry(lost.source).or_default();
            if *tried >= MOST_SEARCHES {
                continue;
            }
            *tried += 1;
            let (id, now) = (lost.source, self.clock.now());
            let _alone = self.crawler.alone_with(id).await;
            tracing::info!(source = id.0, chunks = lost.chunks.len(), "lost items are looked for");
            if let Some(link) = self.alone(move |archive| archive.seek(&lost, now)).await?? {
                self.crawler.tools.peers.put(id, link);
            }
        }
        Ok(())
    }

    /// What is wrong although the node works: damaged rows, or a disk without room.
    pub fn degraded(&self) -> Vec<String> {
        let mut told = Vec::new();
        if let Some(full) = self.writer.trouble().filter(|_| self.writer.is_full()) {
            told.push(format!("nothing new is stored, what is there is served: {full}"));
        }
        let damage = self.archive.damage();
        if !damage.is_empty() {
            let counts = damage.counts();
            let (all, of): (usize, Vec<String>) = (
                counts.values().sum(),
                counts.iter().map(|(table, count)| format!("{count} {table:?}")).collect(),
            );
            told.push(format!(
                "{all} rows of the store are damaged ({}): the rest is served; what is not mended by itself \
                 comes from a backup with `pergola store repair --from FILE`",
                of.join(", ")
            ));
        }
        let unreadable = damage.unreadable();
        told.extend(unreadable.map(|why| format!("a part of the store cannot be read: {why}")));
        told
    }
}
