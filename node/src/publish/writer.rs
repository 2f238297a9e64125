//! The one writer: gives entries their numbers, commits, and only then tells anybody.
//!
//! Jobs come in through a bounded buffer and are committed in groups: while one group is being made
//! durable the next one gathers, so a busy node pays for one flush where there were many refreshes.
//!
//! Never: an entry told of before it is durable; two entries of one feed with the same item; a number
//! given twice; a gap in the numbers. If a commit fails, nothing of the group has happened, and everybody
//! who waits for it is told.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use prometheus_client::metrics::counter::Counter;
use tokio::sync::{mpsc, oneshot};

use crate::archive::{Archive, ArchiveError, Changes, Edit, Entry, FeedId, FeedTally, ItemKey};

/// Jobs that may wait before whoever sends more has to.
const WAITING: usize = 512;
/// Jobs committed together at most.
const GROUP: usize = 256;

/// An item for a feed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Append {
    /// The feed that wants it.
    pub feed: FeedId,
    /// The item and where it is kept.
    pub entry: Entry,
    /// It replaces the version that the feed may already have.
    pub edited: bool,
}

/// Something to be committed as a whole.
#[derive(Debug, Default)]
pub struct Job {
    /// Rows that change.
    pub changes: Changes,
    /// Items that enter feeds, in order.
    pub appends: Vec<Append>,
    /// Feeds that are gone: what is known of their numbers is forgotten.
    pub dropped: Vec<FeedId>,
}

/// A commit that did not happen.
#[derive(Debug, Clone, thiserror::Error)]
pub enum NotCommitted {
    /// The store refused it.
    #[error("nothing was changed: {0}")]
    Failed(Arc<ArchiveError>),
    /// Nothing is taken any more.
    #[error("nothing was changed: the node is stopping")]
    Stopping,
}

/// Whoever waits for a commit.
pub type Done = oneshot::Sender<Result<Committed, NotCommitted>>;

/// What a commit has brought.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Committed {
    /// New entries over all feeds.
    pub published: usize,
    /// Entries that were replaced.
    pub replaced: usize,
}

enum Message {
    Commit(Vec<(Job, Done)>),
    /// Runs between two commits, so that what it reads belongs together.
    Alone(Box<dyn FnOnce(&Archive) + Send>),
}

/// The way to the writer.
#[derive(Clone)]
pub struct Writer {
    messages: mpsc::Sender<Message>,
    trouble: Trouble,
}

/// Why the last commit was refused, if it was.
type Trouble = Arc<Mutex<Option<Arc<ArchiveError>>>>;

/// Told of every feed that has changed, after the change is durable.
pub type Announce = Box<dyn Fn(FeedId, FeedTally) + Send>;

impl Writer {
    /// Starts the writer's thread; it ends when every [`Writer`] is gone, after the last job.
    pub fn start(
        archive: Archive,
        announce: Announce,
        refused: Counter,
    ) -> std::io::Result<(Self, std::thread::JoinHandle<()>)> {
        let (messages, inbox) = mpsc::channel(WAITING);
        let trouble = Trouble::default();
        let told = Arc::clone(&trouble);
        let desk = Press { archive, announce, refused, tallies: HashMap::new(), trouble: told };
        let thread = std::thread::Builder::new().name("writer".into()).spawn(|| desk.run(inbox))?;
        Ok((Self { messages, trouble }, thread))
    }

    /// Why the store refused the last commit, if it did.
    pub fn trouble(&self) -> Option<String> {
        let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.as_ref().map(ToString::to_string)
    }

    /// Commits a job. When this returns `Ok`, it is durable.
    pub async fn commit(&self, job: Job) -> Result<Committed, NotCommitted> {
        let (done, answer) = oneshot::channel();
        if self.messages.send(Message::Commit(vec![(job, done)])).await.is_err() {
            return Err(NotCommitted::Stopping);
        }
        answer.await.unwrap_or(Err(NotCommitted::Stopping))
    }

    /// Hands over jobs for which others wait; for threads, which may wait for room.
    pub fn hand_over(&self, jobs: Vec<(Job, Done)>) {
        if let Err(mpsc::error::SendError(Message::Commit(jobs))) =
            self.messages.blocking_send(Message::Commit(jobs))
        {
            for (_, done) in jobs {
                // Whoever waits may have gone, too.
                let _ = done.send(Err(NotCommitted::Stopping));
            }
        }
    }

    /// Lets `work` see the archive between two commits.
    pub async fn alone<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Archive) -> T + Send + 'static,
    ) -> Option<T> {
        let (done, answer) = oneshot::channel();
        let work = move |archive: &Archive| {
            // Nobody waits any more: the work was done all the same.
            let _ = done.send(work(archive));
        };
        self.messages.send(Message::Alone(Box::new(work))).await.ok()?;
        answer.await.ok()
    }
}

struct Press {
    archive: Archive,
    /// Commits that the store refused.
    refused: Counter,
    announce: Announce,
    tallies: HashMap<FeedId, FeedTally>,
    trouble: Trouble,
}

impl Press {
    fn run(mut self, mut inbox: mpsc::Receiver<Message>) {
        while let Some(message) = inbox.blocking_recv() {
            let (mut group, mut alone) = (Vec::new(), None);
            let mut next = Some(message);
            while let Some(message) = next {
                match message {
                    Message::Commit(jobs) => group.extend(jobs),
                    Message::Alone(work) => alone = Some(work),
                }
                let more = alone.is_none() && group.len() < GROUP;
                next = if more { inbox.try_recv().ok() } else { None };
            }
            self.commit(group);
            if let Some(work) = alone {
                work(&self.archive);
            }
        }
    }

    fn remember(&self, trouble: Option<Arc<ArchiveError>>) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }

    fn commit(&mut self, group: Vec<(Job, Done)>) {
        if group.is_empty() {
            return;
        }
        let mut set = Typesetting::default();
        let mut waiting = Vec::with_capacity(group.len());
        let mut outcome = Ok(());
        for (job, done) in group {
            for feed in &job.dropped {
                self.tallies.remove(feed);
            }
            set.changes.append(job.changes);
            let mut committed = Committed::default();
            for append in &job.appends {
                outcome = outcome.and_then(|()| {
                    set.place(&self.archive, &mut self.tallies, append, &mut committed)
                });
            }
            waiting.push((done, committed));
        }
        let touched = set.finish(&self.tallies);
        let batch = std::mem::take(&mut set.changes).into_batch();
        let outcome = outcome.and_then(|()| Ok(self.archive.store().commit(&batch)?));
        match outcome {
            Ok(()) => {
                self.remember(None);
                for (done, committed) in waiting {
                    // Whoever waited may have gone; the commit stands.
                    let _ = done.send(Ok(committed));
                }
                for (feed, tally) in touched {
                    (self.announce)(feed, tally);
                }
            }
            Err(error) => {
                self.refused.inc();
                // The numbers given have not been used: read them again next time.
                for (feed, _) in touched {
                    self.tallies.remove(&feed);
                }
                let error = Arc::new(error);
                self.remember(Some(Arc::clone(&error)));
                let error = NotCommitted::Failed(error);
                for (done, _) in waiting {
                    let _ = done.send(Err(error.clone()));
                }
            }
        }
    }
}

/// A group being put together.
#[derive(Default)]
struct Typesetting {
    changes: Changes,
    /// Numbers given within this group.
    fresh: HashMap<(FeedId, ItemKey), u64>,
    /// Feeds that change, with the instant.
    touched: HashMap<FeedId, f64>,
}

impl Typesetting {
    fn place(
        &mut self,
        archive: &Archive,
        tallies: &mut HashMap<FeedId, FeedTally>,
        append: &Append,
        committed: &mut Committed,
    ) -> Result<(), ArchiveError> {
        let Append { feed, entry, edited } = *append;
        let tally = match tallies.entry(feed) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(new) => new.insert(archive.feed_tally(feed)?),
        };
        let fresh = self.fresh.get(&(feed, entry.key)).copied();
        let placed = match fresh {
            Some(sequence) => Some(sequence),
            None => archive.member(feed, entry.key)?,
        };
        let mut replaces = false;
        let (sequence, entry) = match placed {
            // The same item by another route, or once more by this one: it is there.
            Some(_) if !edited => return Ok(()),
            Some(sequence) => {
                let old = archive.entry(feed, sequence)?;
                // Nobody but the source that delivered an item may edit it.
                if old.is_some_and(|old| old.source != entry.source) {
                    return Ok(());
                }
                committed.replaced += 1;
                // What has come within this group was read by nobody before.
                replaces = old.is_some();
                (sequence, Entry { at: old.map_or(entry.at, |old| old.at), ..entry })
            }
            None => {
                let sequence = tally.next;
                tally.next += 1;
                committed.published += 1;
                (sequence, entry)
            }
        };
        self.fresh.insert((feed, entry.key), sequence);
        self.changes.put_entry(feed, sequence, &entry);
        if self.touched.insert(feed, entry.changed_at).is_none() {
            tally.edition += 1;
        }
        if replaces {
            self.changes.put_edit(feed, Edit { edition: tally.edition, sequence });
        }
        tally.changed_at = tally.changed_at.max(entry.changed_at);
        Ok(())
    }

    /// Adds the tallies of the feeds that change, and says which those are.
    fn finish(&mut self, tallies: &HashMap<FeedId, FeedTally>) -> Vec<(FeedId, FeedTally)> {
        let touched: Vec<(FeedId, FeedTally)> = self
            .touched
            .keys()
            .filter_map(|feed| tallies.get(feed).map(|tally| (*feed, *tally)))
            .collect();
        for (feed, tally) in &touched {
            self.changes.put_feed_tally(*feed, tally);
        }
        touched
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::archive::SourceId;
    use crate::store::{self, Backend, Batch, Order, Store, StoreError, Table, Visit};

    /// A store that refuses commits when told to.
    struct Moody {
        inner: Arc<dyn Store>,
        refuses: Arc<AtomicBool>,
    }

    impl Store for Moody {
        fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
            self.inner.get(table, key)
        }

        fn scan(
            &self,
            table: Table,
            from: &[u8],
            to: Option<&[u8]>,
            order: Order,
            visit: &mut Visit<'_>,
        ) -> Result<(), StoreError> {
            self.inner.scan(table, from, to, order, visit)
        }

        fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
            match self.refuses.load(Ordering::SeqCst) {
                true => Err(StoreError::Full { free: 1, needed: 2 }),
                false => self.inner.commit(batch),
            }
        }

        fn bytes_on_disk(&self) -> u64 {
            0
        }

        fn backend(&self) -> Backend {
            self.inner.backend()
        }
    }

    struct Office {
        archive: Archive,
        writer: Writer,
        refuses: Arc<AtomicBool>,
        told: std::sync::mpsc::Receiver<(FeedId, FeedTally)>,
        _folder: tempfile::TempDir,
    }

    fn office() -> Office {
        let folder = tempfile::tempdir().unwrap();
        let inner = store::open(folder.path(), None, 1 << 20).unwrap().store;
        let refuses = Arc::new(AtomicBool::new(false));
        let archive = Archive::new(Arc::new(Moody { inner, refuses: Arc::clone(&refuses) }));
        let (tell, told) = std::sync::mpsc::channel();
        let announce = Box::new(move |feed, tally| tell.send((feed, tally)).unwrap());
        let (writer, _) = Writer::start(archive.clone(), announce, Counter::default()).unwrap();
        Office { archive, writer, refuses, told, _folder: folder }
    }

    const FEED: FeedId = FeedId(7);

    fn append(item: u128, source: u32, at: f64, edited: bool) -> Append {
        let entry = Entry {
            key: ItemKey(item),
            source: SourceId(source),
            chunk: item as u32,
            index: 0,
            at,
            changed_at: at,
        };
        Append { feed: FEED, entry, edited }
    }

    impl Office {
        async fn commit(&self, appends: &[Append]) -> Result<Committed, NotCommitted> {
            self.writer.commit(Job { appends: appends.to_vec(), ..Job::default() }).await
        }

        fn entries(&self) -> Vec<(u64, u128)> {
            let all = self.archive.entries(FEED, 0, u64::MAX, Order::Ascending, 100).unwrap();
            all.into_iter().map(|(sequence, entry)| (sequence, entry.key.0)).collect()
        }
    }

    #[tokio::test]
    async fn an_item_enters_a_feed_once_however_often_it_comes() {
        let office = office();
        let (a, b) = (append(10, 1, 5.0, false), append(11, 1, 5.0, false));
        let first = office.commit(&[a, b, a]).await.unwrap();
        assert_eq!(first, Committed { published: 2, replaced: 0 });
        // Again by the same source, and by another route.
        office.commit(&[a, append(11, 2, 6.0, false)]).await.unwrap();
        assert_eq!(office.entries(), [(0, 10), (1, 11)]);
        assert_eq!(office.told.try_iter().count(), 1, "only the first commit changed anything");
    }

    #[tokio::test]
    async fn an_edited_item_keeps_its_number_and_only_its_source_may_edit_it() {
        let office = office();
        office.commit(&[append(10, 1, 5.0, false)]).await.unwrap();
        let stranger = office.commit(&[append(10, 2, 6.0, true)]).await.unwrap();
        assert_eq!(stranger, Committed::default());
        let edited = Entry { chunk: 99, ..append(10, 1, 8.0, true).entry };
        office.commit(&[Append { feed: FEED, entry: edited, edited: true }]).await.unwrap();
        let entry = office.archive.entry(FEED, 0).unwrap().unwrap();
        assert_eq!((entry.chunk, entry.at, entry.changed_at), (99, 5.0, 8.0));
        assert_eq!(office.archive.feed_tally(FEED).unwrap().edition, 2);
    }

    #[tokio::test]
    async fn an_edit_is_kept_with_the_edition_that_brought_it() {
        let office = office();
        // Placed and edited in one group: nobody has read what it said first.
        office.commit(&[append(10, 1, 5.0, false), append(10, 1, 5.0, true)]).await.unwrap();
        let edits = |after| office.archive.edits(FEED, after, u64::MAX, 10).unwrap();
        assert_eq!(edits(Edit::end_of(0)), []);
        office.commit(&[append(11, 1, 6.0, false)]).await.unwrap();
        office.commit(&[append(11, 1, 7.0, true), append(10, 1, 7.0, true)]).await.unwrap();
        office.commit(&[append(10, 1, 8.0, true)]).await.unwrap();
        let all = [(3, 0), (3, 1), (4, 0)].map(|(edition, sequence)| Edit { edition, sequence });
        assert_eq!(edits(Edit::end_of(0)), all);
        assert_eq!(edits(all[0]), all[1..]);
        assert_eq!(edits(Edit::end_of(3)), all[2..]);
        assert_eq!(office.archive.edits(FEED, Edit::end_of(0), 3, 10).unwrap(), all[..2]);
        assert_eq!(office.archive.edits(FEED, Edit::end_of(0), 4, 1).unwrap(), all[..1]);
        assert_eq!(office.archive.edits(FeedId(8), Edit::end_of(0), 4, 9).unwrap(), []);
    }

    #[tokio::test]
    async fn a_refused_commit_changes_nothing_and_leaves_no_gap() {
        let office = office();
        office.commit(&[append(10, 1, 5.0, false)]).await.unwrap();
        office.refuses.store(true, Ordering::SeqCst);
        let refused = office.commit(&[append(11, 1, 6.0, false)]).await.unwrap_err();
        assert!(refused.to_string().starts_with("nothing was changed"), "{refused}");
        office.refuses.store(false, Ordering::SeqCst);
        office.commit(&[append(12, 1, 7.0, false), append(11, 1, 7.0, false)]).await.unwrap();
        assert_eq!(office.entries(), [(0, 10), (1, 12), (2, 11)]);
    }

    #[tokio::test]
    async fn what_is_told_is_durable_already() {
        let office = office();
        office.commit(&[append(10, 1, 5.0, false)]).await.unwrap();
        let (feed, tally) = office.told.recv().unwrap();
        assert_eq!((feed, tally.next, tally.changed_at), (FEED, 1, 5.0));
        assert_eq!(office.archive.feed_tally(FEED).unwrap(), tally);
    }
}
