//! Merges sources that turned out to be one: `pergola_manners::merge` says what becomes of them.
//!
//! A merge takes several commits. Until the last one both sources are stored, at one address; if the node is stopped
//! before, the next start finds them and merges them. Items are copied before entries refer to the copies, under
//! numbers that nobody else uses.

use std::collections::HashMap;
use std::sync::Arc;

use pergola_feed::address::Shown;
use pergola_manners::merge::{self, Place};
use pergola_store::Order;
use pergola_store::archive::{
    Archive, ArchiveError, Commit, Entry, FeedId, ItemKey, Known, SourceId, SourceRecord,
};
use tokio_util::sync::CancellationToken;

use super::{Node, SourceError};

/// Chunks copied in one commit.
const CHUNKS_AT_ONCE: usize = 50;
/// Entries read at once.
const ENTRIES_AT_ONCE: usize = 1_000;

/// Where the items of a source that goes are now.
struct Moved {
    go: SourceId,
    stay: SourceId,
    /// What is added to the numbers of its chunks.
    shift: u32,
    keys: HashMap<Place, ItemKey>,
}

impl Node {
    /// Merges sources as they come to the addresses of others.
    pub(super) async fn follow_moves(self: Arc<Self>, stop: CancellationToken) {
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                () = self.crawler.arrival() => {}
            }
            if let Err(error) = self.merge_arrivals().await {
                tracing::error!(%error, "two sources at one address are merged at the next start");
            }
        }
    }

    /// Merges the sources that have come to the addresses of others.
    pub async fn merge_arrivals(&self) -> Result<(), SourceError> {
        // Whoever has this turn may be merging them.
        let _turn = self.turn.acquire().await;
        for id in self.crawler.take_arrivals() {
            self.merge_with_resident(id).await?;
        }
        Ok(())
    }

    async fn merge_with_resident(&self, go: SourceId) -> Result<(), SourceError> {
        let Some(goes) = self.archive.source(go)? else { return Ok(()) };
        let there = self.crawler.resident(&goes.url);
        let Some(stay) = there.filter(|stay| *stay != go) else { return Ok(()) };
        let _go = self.crawler.alone_with(go).await;
        let _stay = self.crawler.alone_with(stay).await;
        let Some(stays) = self.archive.source(stay)? else { return Ok(()) };
        let was_new = self.archive.known(go)?.is_none();
        let seen_until = self.last_good_refresh(stay)?;
        let before = self.readings(&[go, stay]);
        let moved = self.move_items((go, &goes), (stay, &stays)).await?;
        let record = merge::merged(stays, goes);
        self.follow_instead(go, stay).await?;
        self.commit_merge(moved.as_ref(), (go, stay), &record).await?;
        self.forget_merged(go, stay, &record);
        let url = Shown(&record.url);
        tracing::info!(source = stay.0, merged = go.0, %url, "two sources are one");
        for (feed, _) in self.readings(&[stay]) {
            // One has seen what the other has not. Feeds of a source that was new have nothing of either.
            let all = was_new && !before.contains(&(feed, stay));
            let since = if all { f64::NEG_INFINITY } else { seen_until };
            self.backfill_with(feed, stay, since).await?;
        }
        self.leave_merged(go, stay).await
    }

    /// When a source last answered well.
    fn last_good_refresh(&self, id: SourceId) -> Result<f64, ArchiveError> {
        let state = self.archive.state_alone(id)?;
        let recent = state.iter().flat_map(|state| state.recent.iter().rev());
        let good = recent.into_iter().find(|refresh| refresh.outcome.is_good());
        Ok(good.map_or(f64::NEG_INFINITY, |refresh| refresh.at))
    }

    /// Copies the items of `go` to `stay`, and lets the entries of feeds refer to the copies.
    async fn move_items(
        &self,
        (go, goes): (SourceId, &SourceRecord),
        (stay, stays): (SourceId, &SourceRecord),
    ) -> Result<Option<Moved>, SourceError> {
        let Some(of_go) = self.archive.known(go)? else { return Ok(None) };
        let mut of_stay = self.archive.known(stay)?.unwrap_or_default();
        let shift = of_stay.next_chunk;
        // From now on nobody else uses these numbers, even if this is not finished.
        of_stay.next_chunk = shift.saturating_add(of_go.next_chunk);
        let mut commit = Commit::new();
        commit.source(stay).put_known(&of_stay);
        self.commit(commit).await?;
        let mut moved = Moved { go, stay, shift, keys: HashMap::new() };
        let numbers: Vec<u32> = (0..of_go.next_chunk).collect();
        for some in numbers.chunks(CHUNKS_AT_ONCE) {
            self.copy_chunks(some, &mut moved, goes, stays).await?;
        }
        let removed = self.archive.removed_feeds()?.into_iter().map(|(feed, _)| feed);
        for feed in self.desk.every_feed().into_iter().chain(removed) {
            self.move_entries(feed, &moved).await?;
        }
        Ok(Some(moved))
    }

    async fn copy_chunks(
        &self,
        numbers: &[u32],
        moved: &mut Moved,
        goes: &SourceRecord,
        stays: &SourceRecord,
    ) -> Result<(), SourceError> {
        let mut commit = Commit::new();
        for &number in numbers {
            let items = self.archive.chunk(moved.go, number)?;
            if items.is_empty() {
                continue;
            }
            let copy = merge::moved_chunk(number, moved.shift);
            let all: Vec<_> = items.iter().collect();
            commit.source(moved.stay).put_chunk(copy, self.clock.now(), &all);
            for (index, item) in (0..).zip(items) {
                moved.keys.insert((number, index), merge::new_key(item, goes, stays));
            }
        }
        if commit.is_empty() { Ok(()) } else { Ok(self.commit(commit).await?) }
    }

    /// Lets the entries of a feed refer to the copies of items.
    async fn move_entries(&self, feed: FeedId, moved: &Moved) -> Result<(), SourceError> {
        let mut from = 0;
        loop {
            let order = Order::Ascending;
            let entries = self.archive.entries(feed, from, u64::MAX, order, ENTRIES_AT_ONCE)?;
            let Some((last, _)) = entries.last() else { return Ok(()) };
            from = last + 1;
            let mut commit = Commit::new();
            for (sequence, entry) in entries {
                if entry.source == moved.go {
                    let new = moved_entry(&self.archive, feed, entry, moved)?;
                    commit.feed(feed).delete_entry(sequence, entry.key);
                    commit.feed(feed).put_entry(sequence, &new);
                }
            }
            if !commit.is_empty() {
                self.commit(commit).await?;
            }
        }
    }

    /// Stores one source where there were two.
    async fn commit_merge(
        &self,
        moved: Option<&Moved>,
        (go, stay): (SourceId, SourceId),
        record: &SourceRecord,
    ) -> Result<(), SourceError> {
        let mut commit = Commit::new();
        commit.source(stay).put_record(record);
        if let Some(Moved { shift, keys, .. }) = moved {
            let of_go = self.archive.known(go)?.unwrap_or_default();
            let of_stay: Known = self.archive.known(stay)?.unwrap_or_default();
            commit.source(stay).put_known(&merge::known(of_stay, &of_go, *shift, keys));
        }
        let states = (self.archive.state_alone(go)?, self.archive.state_alone(stay)?);
        if let (Some(of_go), Some(mut of_stay)) = states {
            of_stay.tally = merge::tally(of_stay.tally, of_go.tally);
            commit.source(stay).put_state(&of_stay);
        }
        let members = self.members.lock().get(&go).cloned().unwrap_or_default();
        for member in members {
            let Some(mut listed) = self.archive.source(member)? else { continue };
            listed.lists.retain(|list| ![go, stay].contains(list));
            listed.lists.push(stay);
            commit.source(member).put_record(&listed);
        }
        commit.source(go).delete();
        commit.source(go).delete_known();
        Ok(self.commit(commit).await?)
    }

    /// The source that has gone is known nowhere any more, and its feeds read the one that stays.
    fn forget_merged(&self, go: SourceId, stay: SourceId, record: &SourceRecord) {
        if let Some(subscriber) = &self.subscriber {
            subscriber.forget(&[go]);
        }
        self.crawler.drop_source(go);
        self.crawler.remember_addresses(stay, record);
        self.desk.forget_source(go);
        self.note_privacy(go, false);
        self.note_privacy(stay, record.private);
        {
            let mut members = self.members.lock();
            let own = members.remove(&go).unwrap_or_default();
            members.values_mut().for_each(|all| all.retain(|member| *member != go));
            let listed = record.lists.iter().map(|list| (*list, stay));
            for (list, member) in listed.chain(own.into_iter().map(|member| (stay, member))) {
                let all = members.entry(list).or_default();
                if !all.contains(&member) {
                    all.push(member);
                }
            }
        }
        let mut folders = self.folders.lock();
        folders.forget(go);
        folders.put(stay, &record.folders);
        drop(folders);
        self.rebind_readers_of(&record.addresses().collect());
        self.weigh([stay]);
    }
}

/// An entry of the source that goes as one of the source that stays. If the feed has the same item from that one,
/// both stay, each under its key.
fn moved_entry(
    archive: &Archive,
    feed: FeedId,
    entry: Entry,
    moved: &Moved,
) -> Result<Entry, ArchiveError> {
    let new = moved.keys.get(&(entry.chunk, entry.index)).copied().unwrap_or(entry.key);
    let taken = new != entry.key && archive.member(feed, new)?.is_some();
    Ok(Entry {
        key: if taken { entry.key } else { new },
        source: moved.stay,
        chunk: merge::moved_chunk(entry.chunk, moved.shift),
        ..entry
    })
}
