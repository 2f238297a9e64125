//! The entries of a feed as a whole: what a new one begins with, and what a dropped one leaves.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use pergola_feed::Item;
use pergola_query::Scratch;
use pergola_store::Order;
use pergola_store::archive::{
    Archive, ArchiveError, Commit, Edit, Entry, FeedId, FeedPart, ItemKey, SourceId,
};

use super::FeedError;
use crate::node::{Node, SourceError};
use crate::select::{Desk, Texts};
use crate::writer::{Append, Job};

/// A new feed begins with at most so many items that its sources show already.
pub(super) const BACKFILL: usize = 10_000;
/// Sources whose items enter the feeds of their followers in one commit.
const FOLLOWED_AT_ONCE: usize = 50;
/// Entries or edits deleted in one commit.
const DELETED_AT_ONCE: usize = 1_000;

impl Node {
    /// Items that its sources show already enter a new feed, oldest first.
    pub(super) async fn backfill(&self, feed: FeedId) -> Result<usize, FeedError> {
        self.settle().await;
        Ok(self.backfill_from(feed, self.desk.sources_of(feed), f64::NEG_INFINITY).await?)
    }

    /// Items that its sources have first shown after that instant enter a feed.
    pub(super) async fn backfill_since(&self, feed: FeedId, then: f64) -> Result<usize, FeedError> {
        self.settle().await;
        Ok(self.backfill_from(feed, self.desk.sources_of(feed), then).await?)
    }

    /// Items that a source has first shown after that instant enter a feed that reads it.
    pub(in crate::node) async fn backfill_with(
        &self,
        feed: FeedId,
        source: SourceId,
        since: f64,
    ) -> Result<usize, SourceError> {
        self.settle().await;
        self.backfill_from(feed, vec![source], since).await
    }

    /// A new feed that has reached the limit gets all that its own new sources show, which would have come in
    /// time if nobody had tried them first. Returns how many items that are.
    pub(super) async fn backfill_rest(
        &self,
        name: &str,
        items: usize,
        own: &[SourceId],
    ) -> Result<usize, FeedError> {
        let Some(card) = self.desk.feed(name).filter(|_| items >= BACKFILL) else { return Ok(0) };
        let mut more = 0;
        for &source in own {
            more += self.backfill_from(card.id, vec![source], f64::NEG_INFINITY).await?;
        }
        Ok(more)
    }

    /// New sources may have been refreshed before the feeds that read them were told of them: what they showed
    /// enters those feeds now.
    pub(in crate::node) async fn catch_up(&self, new: &[SourceId]) -> Result<(), SourceError> {
        self.settle().await;
        let (archive, new) = (self.archive.clone(), new.to_vec());
        let seen = self.read(move || with_items(&archive, &new)).await?;
        if seen.is_empty() {
            return Ok(());
        }
        for card in self.desk.feeds() {
            let mut sources = self.desk.sources_of(card.id);
            sources.retain(|source| seen.contains(source));
            if !sources.is_empty() {
                self.backfill_from(card.id, sources, f64::NEG_INFINITY).await?;
            }
        }
        Ok(())
    }

    /// Waits until everything is durable that was selected by the queries as they were before. Until then it is
    /// not seen, and nobody would look for it again.
    pub(in crate::node) async fn settle(&self) {
        let desk = Arc::clone(&self.desk);
        // If there is nobody left to wait for, there is nothing to be waited for.
        let _ = self.blocking.run(move || desk.wait_for_selection()).await;
        let _ = self.writer.alone(|_| ()).await;
    }

    async fn backfill_from(
        &self,
        feed: FeedId,
        sources: Vec<SourceId>,
        since: f64,
    ) -> Result<usize, SourceError> {
        let (archive, desk) = (self.archive.clone(), Arc::clone(&self.desk));
        let now = self.clock.now();
        let found = move || wanted_so_far(&archive, &desk, feed, &sources, (since, now));
        let appends = self.read(found).await?;
        let committed = self.writer.commit(Job { appends, ..Job::default() }).await?;
        self.metrics.published.inc_by(committed.published as u64);
        Ok(committed.published)
    }

    /// What these sources show already enters the feeds that show them to those who follow them.
    pub(in crate::node) async fn backfill_followed(
        &self,
        new: Vec<(SourceId, FeedId)>,
    ) -> Result<(), SourceError> {
        self.settle().await;
        for some in new.chunks(FOLLOWED_AT_ONCE) {
            let (archive, desk, now) =
                (self.archive.clone(), Arc::clone(&self.desk), self.clock.now());
            let some = some.to_vec();
            let found = move || {
                let mut appends = Vec::new();
                for (source, feed) in some {
                    let times = (f64::NEG_INFINITY, now);
                    appends.extend(wanted_so_far(&archive, &desk, feed, &[source], times)?);
                }
                Ok(appends)
            };
            let appends = self.read(found).await?;
            self.writer.commit(Job { appends, ..Job::default() }).await?;
        }
        Ok(())
    }

    /// Deletes all that a feed holds and held before it goes, in commits of bounded size.
    pub(in crate::node) async fn empty_feed(&self, feed: FeedId) -> Result<(), SourceError> {
        self.delete_entries(feed, u64::MAX, FeedPart::delete_entry).await?;
        self.delete_edits(feed, u64::MAX).await?;
        loop {
            let expired = self.archive.expired_of(feed, DELETED_AT_ONCE)?;
            if expired.is_empty() {
                return Ok(());
            }
            let mut commit = Commit::new();
            expired.into_iter().for_each(|item| commit.feed(feed).forget_expired(item));
            self.commit(commit).await?;
        }
    }

    /// Deletes the entries of a feed below a number, in commits of bounded size; `delete` says in which way.
    pub(in crate::node) async fn delete_entries(
        &self,
        feed: FeedId,
        below: u64,
        delete: fn(&mut FeedPart, u64, ItemKey),
    ) -> Result<usize, SourceError> {
        let mut deleted = 0;
        loop {
            let entries =
                self.archive.entries(feed, 0, below, Order::Ascending, DELETED_AT_ONCE)?;
            if entries.is_empty() {
                return Ok(deleted);
            }
            let mut commit = Commit::new();
            for (sequence, entry) in &entries {
                delete(commit.feed(feed), *sequence, entry.key);
            }
            self.commit(commit).await?;
            self.people.entries_gone(feed, entries.last().map_or(0, |(last, _)| last + 1));
            deleted += entries.len();
        }
    }

    /// Deletes the edits of a feed that tell nobody anything: of entries below a number, and those that a
    /// later edit of the same entry has overtaken.
    pub(in crate::node) async fn delete_edits(
        &self,
        feed: FeedId,
        below: u64,
    ) -> Result<usize, SourceError> {
        let archive = self.archive.clone();
        let outdated = self.read(move || outdated_edits(&archive, feed, below)).await?;
        for some in outdated.chunks(DELETED_AT_ONCE) {
            let mut commit = Commit::new();
            some.iter().for_each(|edit| commit.feed(feed).delete_edit(*edit));
            self.commit(commit).await?;
        }
        Ok(outdated.len())
    }
}

/// Those of some sources that have shown something.
fn with_items(archive: &Archive, all: &[SourceId]) -> Result<HashSet<SourceId>, ArchiveError> {
    let mut seen = HashSet::new();
    for &source in all {
        if archive.state_alone(source)?.is_some_and(|state| state.tally.items > 0) {
            seen.insert(source);
        }
    }
    Ok(seen)
}

fn outdated_edits(archive: &Archive, feed: FeedId, below: u64) -> Result<Vec<Edit>, ArchiveError> {
    let mut outdated = Vec::new();
    let mut newest: HashMap<u64, Edit> = HashMap::new();
    let mut after = Edit { edition: 0, sequence: 0 };
    loop {
        let edits = archive.edits(feed, after, u64::MAX, 10_000)?;
        let Some(last) = edits.last() else { return Ok(outdated) };
        after = *last;
        for edit in edits {
            match edit.sequence < below {
                true => outdated.push(edit),
                false => outdated.extend(newest.insert(edit.sequence, edit)),
            }
        }
    }
}

/// What these sources of a feed have first shown in a time up to now and it wants, oldest first.
fn wanted_so_far(
    archive: &Archive,
    desk: &Desk,
    feed: FeedId,
    sources: &[SourceId],
    (since, now): (f64, f64),
) -> Result<Vec<Append>, ArchiveError> {
    let mut scratch = Scratch::new();
    let (mut found, mut copies) = (Vec::new(), Vec::new());
    for &source in sources {
        let Some(record) = archive.source(source)? else { continue };
        let Some(mut known) = archive.known(source)? else { continue };
        let title = archive.state(source)?.and_then(|state| state.title);
        let title = record.title.or(title);
        let follows = desk.followed(source) == Some(feed);
        known.items.retain(|memory| memory.first_seen > since);
        known.items.sort_unstable_by_key(|memory| (memory.chunk, memory.index));
        for together in known.items.chunk_by(|a, b| a.chunk == b.chunk) {
            let items = archive.chunk(source, together[0].chunk)?;
            for memory in together {
                let Some(item) = items.get(usize::from(memory.index)) else { continue };
                let held = match archive.member(feed, memory.key)? {
                    Some(sequence) => archive.entry(feed, sequence)?,
                    None => None,
                };
                // It came by itself meanwhile, or before the feed was changed.
                if held.is_some_and(|held| held.source == source) {
                    continue;
                }
                if archive.has_expired(feed, memory.key)? {
                    continue;
                }
                let texts = || Texts::of(item, &record.url, title.as_deref());
                let mut wants = || {
                    desk.wanted(source, item, &texts(), false, now, &mut scratch).contains(&feed)
                };
                if !follows && !wants() {
                    continue;
                }
                let entry = Entry {
                    key: memory.key,
                    source,
                    chunk: memory.chunk,
                    index: memory.index,
                    at: now,
                    changed_at: now,
                    dated: Entry::date_of(item, memory.first_seen.min(now)),
                };
                let append = Append { feed, entry, edited: false };
                if held.is_some() {
                    // Another source brought it; the writer takes the copy with fewer hops.
                    copies.push(append);
                    continue;
                }
                let dated = item.published.or(item.first_seen);
                found.push((dated, append, item.clone()));
            }
        }
    }
    found.sort_by_key(|(dated, ..)| *dated);
    let found = found.split_off(found.len().saturating_sub(BACKFILL));
    if sources.iter().any(|source| desk.followed(*source) == Some(feed)) {
        return Ok(found.into_iter().map(|(_, append, _)| append).chain(copies).collect());
    }
    let items: Vec<&Item> = found.iter().map(|(.., item)| item).collect();
    let kept = desk.hear_first(feed, &items);
    let appends = found.iter().zip(kept).filter(|(_, kept)| *kept);
    Ok(appends.map(|((_, append, _), _)| *append).chain(copies).collect())
}
