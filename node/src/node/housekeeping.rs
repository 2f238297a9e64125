//! Regular work: samples for plots, steering the budget, saving what was learnt, deleting what has expired.
//!
//! An entry is deleted when the retention of its feed is over, or a week after its feed was removed. The key of an
//! item that has expired stays for as long as a source knows the item, so that it does not come a second time. A
//! chunk of items is deleted when no entry refers to it and its source no longer shows any of its items. All of that
//! is found by reading, not by counting references: no count can be wrong.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use pergola_refresh::quality::known_completeness;
use pergola_store::Order;
use pergola_store::archive::{
    Archive, ArchiveError, Commit, FeedId, FeedPart, Sample, SourceId, SourceKind,
};
use tokio_util::sync::CancellationToken;

use super::Node;
use super::feeds::FeedError;
use crate::select::FeedCard;

const MINUTE: f64 = 60.0;
/// Minutes between two saves of what was learnt.
const SAVED_EVERY: u64 = 5;
/// Minutes from the start to the first cleanup: many nodes do not run all day.
const CLEARED_AFTER: u64 = 60;
/// Minutes between two checks for lists that are due and for sources that are dead.
const LISTS_EVERY: u64 = 60;
/// Seconds after which a list is fetched again: lists change too seldom for the scheduler.
const LIST_AGE: f64 = 86_400.0;
/// Minutes of samples that are kept: 30 days.
const SAMPLES: u64 = 30 * 24 * 60;
/// Seconds; a younger chunk may belong to a change under way.
const SETTLED: f64 = 86_400.0;
/// Chunks deleted in one commit.
const AT_ONCE: usize = 500;
/// Profiles saved in one commit: encoded, they take many times the memory.
const PROFILES_AT_ONCE: usize = 100;

/// Counts at the last sample.
#[derive(Debug, Default, Clone, Copy)]
struct Counted {
    refreshes: u64,
    not_modified: u64,
    failures: u64,
    items: u64,
    bytes: u64,
    lost: f64,
}

impl Node {
    /// Does the regular work until `stop` is cancelled.
    pub(super) async fn keep_house(self: Arc<Self>, stop: CancellationToken) {
        let mut before = self.counted();
        let mut minute = (self.clock.now() / MINUTE) as u64;
        let mut clear_at = minute + CLEARED_AFTER;
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                () = self.clock.sleep_until((minute + 1) as f64 * MINUTE) => {}
            }
            // Minutes in which the machine slept have no sample.
            let passed = minute..((self.clock.now() / MINUTE) as u64).max(minute + 1);
            minute = passed.end;
            if let Err(error) = self.every_minute(passed, &mut clear_at, &mut before).await {
                tracing::error!(%error, "housekeeping was not finished");
            }
        }
        if let Err(error) = self.save_learnt().await {
            tracing::error!(%error, "what was learnt lately could not be saved");
        }
    }

    async fn every_minute(
        &self,
        passed: Range<u64>,
        clear_at: &mut u64,
        before: &mut Counted,
    ) -> Result<(), FeedError> {
        let (now, minute) = (self.clock.now(), passed.end);
        self.metrics.mark_minute(now);
        if let Err(invalid) = self.crawler.steer(now) {
            tracing::error!(%invalid, "the threshold could not be steered");
        }
        self.plan_ahead(now);
        let sample = self.sample(before, now);
        let mut commit = Commit::new();
        commit.node().put_sample(minute, &sample);
        self.crawler.save_hosts(&mut commit);
        commit.node().delete_sample(minute.saturating_sub(SAMPLES));
        self.commit(commit).await?;
        self.crawler.resume();
        if self.unsettled.load(Ordering::Relaxed)
            && let Err(error) = self.settle_in().await
        {
            tracing::error!(%error, "what the configuration declares could not be taken over");
        }
        if is_due(&passed, SAVED_EVERY) {
            self.save_learnt().await?;
        }
        if is_due(&passed, LISTS_EVERY) {
            self.read_old_lists(now)?;
            self.look_for_the_dead(now)?;
        }
        if minute >= *clear_at {
            let cleared = self.clear_out().await?;
            *clear_at = minute + self.config().store.cleared_every().as_secs() / 60;
            tracing::info!(entries = cleared.entries, chunks = cleared.chunks, "cleared out");
        }
        Ok(())
    }

    /// Tells the shelf when a source of each feed may next be refreshed.
    fn plan_ahead(&self, now: f64) {
        for listing in self.shelf.listings() {
            let sources = self.desk.sources_of(listing.id);
            let next = self.crawler.next_refresh_of(&sources, now);
            self.shelf.set_next_refresh(listing.id, next);
        }
    }

    /// Fetches lists once a day, if they allow it.
    fn read_old_lists(&self, now: f64) -> Result<(), ArchiveError> {
        for (id, record) in self.archive.sources()? {
            if record.kind != SourceKind::List {
                continue;
            }
            let Some(state) = self.archive.state(id)? else { continue };
            let refreshed = state.recent.back().map_or(f64::NEG_INFINITY, |refresh| refresh.at);
            if state.next_at <= now && refreshed < now - LIST_AGE {
                // Nobody waits for the report.
                drop(self.crawler.request(id));
            }
        }
        Ok(())
    }

    fn counted(&self) -> Counted {
        let counts = self.metrics.refresh_counts();
        Counted {
            refreshes: counts.all,
            not_modified: counts.unchanged,
            failures: counts.failed,
            items: self.metrics.items.get(),
            bytes: self.metrics.bytes.get(),
            lost: self.metrics.lost.get(),
        }
    }

    fn sample(&self, before: &mut Counted, now: f64) -> Sample {
        let after = self.counted();
        let since = std::mem::replace(before, after);
        let small = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        let items = (after.items - since.items) as f64;
        let lost = after.lost - since.lost;
        let pulse = self.crawler.pulse(now);
        Sample {
            threshold: pulse.threshold,
            budget: pulse.per_minute,
            refreshes: small(after.refreshes - since.refreshes),
            not_modified: small(after.not_modified - since.not_modified),
            failures: small(after.failures - since.failures),
            items: small(after.items - since.items),
            bytes: after.bytes - since.bytes,
            completeness: known_completeness(items, lost).unwrap_or(f64::NAN),
            freshness: pulse.freshness.unwrap_or(f64::NAN),
        }
    }

    /// Saves the threshold and the selectivities; also when the node stops.
    pub(super) async fn save_learnt(&self) -> Result<(), FeedError> {
        self.save_record().await?;
        let mut commit = Commit::new();
        self.crawler.save_hosts(&mut commit);
        self.desk.save(|learnt| commit.node().put_selectivity(learnt));
        self.commit(commit).await?;
        self.save_profiles().await
    }

    /// Saves the profiles that have changed, some at a time. They are not part of the commit of each refresh,
    /// where another row would cost every refresh: a lost profile is soon learnt again.
    async fn save_profiles(&self) -> Result<(), FeedError> {
        loop {
            let some = self.desk.profiles.changed(PROFILES_AT_ONCE);
            if some.is_empty() {
                return Ok(());
            }
            let mut commit = Commit::new();
            some.iter().for_each(|(channel, row)| commit.set_profile(*channel, row.as_ref()));
            self.commit(commit).await?;
        }
    }

    /// Deletes entries, edits and items that have expired.
    pub async fn clear_out(&self) -> Result<Cleared, FeedError> {
        let _turn = self.turn.acquire().await;
        let now = self.clock.now();
        let usual = self.config().store.keep.as_secs_f64();
        let mut cleared = Cleared::default();
        let keeps = |card: FeedCard| {
            let keep = card.body.options.keep.map_or(usual, |period| period.seconds() as f64);
            (card.id, keep)
        };
        let own = self.desk.all_followed().into_iter().map(|(_, feed)| (feed, usual));
        for (feed, keep) in self.desk.feeds().into_iter().map(keeps).chain(own) {
            let archive = self.archive.clone();
            let below = self.read(move || first_kept(&archive, feed, now - keep)).await?;
            let deleted = self.delete_entries(feed, below, FeedPart::expire_entry).await?;
            if deleted > 0 {
                self.shelf.renew(feed);
            }
            cleared.entries += deleted;
            self.delete_edits(feed, below).await?;
        }
        self.forget_removed_feeds(now).await?;
        self.forget_removed_sources(now).await?;
        self.tidy_people(now).await?;
        let mut feeds = self.desk.every_feed();
        feeds.extend(self.archive.removed_feeds()?.into_iter().map(|(id, _)| id));
        // A damaged entry may come back, and then needs its items.
        if !self.archive.damage().is_empty() {
            tracing::warn!("items stay although no entry refers to them, because rows are damaged");
            return Ok(cleared);
        }
        let archive = self.archive.clone();
        let unused = self.read(move || unused_chunks(&archive, &feeds, now - SETTLED)).await?;
        cleared.chunks = unused.len();
        for some in unused.chunks(AT_ONCE) {
            let mut commit = Commit::new();
            some.iter().for_each(|(source, number)| commit.source(*source).delete_chunk(*number));
            self.commit(commit).await?;
        }
        if cleared.chunks > 0 {
            self.archive.index_is_stale();
        }
        self.forget_gone_sources().await?;
        self.forget_expired().await?;
        Ok(cleared)
    }

    /// Deletes the keys of expired items that no source can show any more.
    async fn forget_expired(&self) -> Result<(), FeedError> {
        let archive = self.archive.clone();
        let gone = self.read(move || archive.expired_and_gone()).await?;
        for some in gone.chunks(AT_ONCE) {
            let mut commit = Commit::new();
            some.iter().for_each(|(feed, item)| commit.feed(*feed).forget_expired(*item));
            self.commit(commit).await?;
        }
        Ok(())
    }

    /// Deletes what was seen of sources that are no longer crawled and cannot be restored.
    async fn forget_gone_sources(&self) -> Result<(), FeedError> {
        let mut commit = Commit::new();
        for id in self.archive.known_sources()? {
            if !is_kept(&self.archive, id)? {
                commit.source(id).delete_known();
            }
        }
        if commit.is_empty() { Ok(()) } else { Ok(self.commit(commit).await?) }
    }

    /// Subscribes to what lists name, as they are fetched.
    pub(super) async fn follow_lists(self: Arc<Self>, stop: CancellationToken) {
        let Some(mut lists) = self.lists.lock().take() else { return };
        loop {
            let (list, members) = tokio::select! {
                biased;
                () = stop.cancelled() => return,
                next = lists.recv() => match next { Some(next) => next, None => return },
            };
            let count = members.len();
            match self.take_over_list(list, members).await {
                Ok(()) => tracing::info!(list = list.0, count, "list taken over"),
                Err(error) => tracing::error!(list = list.0, %error, "list not taken over"),
            }
        }
    }
}

/// Whether a multiple of so many minutes has come. It need not be the last minute: others may have been missed.
fn is_due(passed: &Range<u64>, every: u64) -> bool {
    passed.start / every < passed.end / every
}

/// What was deleted.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Cleared {
    /// Entries of feeds.
    pub entries: usize,
    /// Chunks of items.
    pub chunks: usize,
}

/// The number of the first entry that has not expired; entries are in the order of their time.
fn first_kept(archive: &Archive, feed: FeedId, oldest: f64) -> Result<u64, ArchiveError> {
    let (mut low, mut high) = (0, archive.feed_tally(feed)?.next);
    while low < high {
        let middle = low + (high - low) / 2;
        let next = archive.entries(feed, middle, high, Order::Ascending, 1)?;
        match next.first() {
            Some((sequence, entry)) if entry.at < oldest => low = sequence + 1,
            _ => high = middle,
        }
    }
    Ok(low)
}

/// Whether a source is crawled, or can be restored.
fn is_kept(archive: &Archive, source: SourceId) -> Result<bool, ArchiveError> {
    Ok(archive.source(source)?.is_some() || archive.removed_source(source)?.is_some())
}

fn unused_chunks(
    archive: &Archive,
    feeds: &[FeedId],
    before: f64,
) -> Result<Vec<(SourceId, u32)>, ArchiveError> {
    let mut used: HashSet<(SourceId, u32)> = HashSet::new();
    for feed in feeds {
        let mut from = 0;
        loop {
            let entries = archive.entries(*feed, from, u64::MAX, Order::Ascending, 10_000)?;
            used.extend(entries.iter().map(|(_, entry)| (entry.source, entry.chunk)));
            match entries.last() {
                Some((sequence, _)) => from = sequence + 1,
                None => break,
            }
        }
    }
    let mut old: BTreeMap<SourceId, Vec<u32>> = BTreeMap::new();
    archive.each_chunk(|source, number, at| {
        if at < before && !used.contains(&(source, number)) {
            old.entry(source).or_default().push(number);
        }
    })?;
    let mut unused = Vec::new();
    for (source, numbers) in old {
        let shown: HashSet<u32> = match (is_kept(archive, source)?, archive.known(source)?) {
            (true, Some(known)) => {
                let newest = known.items.iter().map(|item| item.seen_at).fold(0.0, f64::max);
                known
                    .items
                    .iter()
                    .filter(|item| item.seen_at >= newest)
                    .map(|item| item.chunk)
                    .collect()
            }
            _ => HashSet::new(),
        };
        let gone = numbers.into_iter().filter(|number| !shown.contains(number));
        unused.extend(gone.map(|number| (source, number)));
    }
    Ok(unused)
}

#[cfg(test)]
#[test]
fn work_is_due_although_its_minute_was_missed() {
    assert!(is_due(&(59..60), 60) && is_due(&(58..61), 60) && is_due(&(59..200), 60));
    assert!(!is_due(&(58..59), 60) && !is_due(&(60..61), 60));
}
