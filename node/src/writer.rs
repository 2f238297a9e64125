//! The one writer: gives entries their numbers, commits, and only then tells anybody.
//!
//! Jobs come in through a bounded buffer and are committed in groups: while one group is being made
//! durable the next one gathers, so a busy node pays for one flush where there were many refreshes.
//!
//! Never: an entry told of before it is durable; two entries of one feed with the same item; a number
//! given twice; a gap in the numbers; an entry that changes hands unless the new way is shorter (`routes`).
//! If a commit fails, nothing of the group has happened, and everybody
//! who waits for it is told.

mod routes;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use crate::locks::Mutex;
use std::sync::Arc;

use prometheus_client::metrics::counter::Counter;
use tokio::sync::{mpsc, oneshot};

use pergola_store::archive::{
    Archive, ArchiveError, Changes, Edit, Entry, FeedId, FeedTally, ItemKey,
};
use routes::Routes;

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
        let trouble = self.trouble.lock();
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
        *self.trouble.lock() = trouble;
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
    /// Entries made or replaced within this group, with their numbers.
    fresh: HashMap<(FeedId, ItemKey), (u64, Entry)>,
    /// The number that the next entry of each feed had before this group.
    first: HashMap<FeedId, u64>,
    /// Ways that were compared.
    routes: Routes,
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
        let held = match self.fresh.get(&(feed, entry.key)) {
            Some(fresh) => Some(*fresh),
            None => held(archive, feed, entry.key)?,
        };
        // What gets its number within this group was read by nobody before.
        let read_before = *self.first.entry(feed).or_insert(tally.next);
        let mut replaces = false;
        let (sequence, entry) = match held {
            // The same item by another route. Nobody but the source that delivered an item may edit
            // it; but whoever brings it by a shorter way is the one who delivers it from now on.
            Some((sequence, held)) if held.source != entry.source => {
                if self.routes.is_shorter(archive, &self.changes, &held, &entry)? {
                    let entry = Entry { at: held.at, changed_at: held.changed_at, ..entry };
                    self.fresh.insert((feed, entry.key), (sequence, entry));
                    self.changes.put_entry(feed, sequence, &entry);
                }
                return Ok(());
            }
            // Once more by the same one: it is there.
            Some(_) if !edited => return Ok(()),
            Some((sequence, held)) => {
                committed.replaced += 1;
                replaces = sequence < read_before;
                (sequence, Entry { at: held.at, ..entry })
            }
            None => {
                let sequence = tally.next;
                tally.next += 1;
                committed.published += 1;
                (sequence, entry)
            }
        };
        self.fresh.insert((feed, entry.key), (sequence, entry));
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

/// The number under which a feed holds an item, and its entry.
fn held(
    archive: &Archive,
    feed: FeedId,
    item: ItemKey,
) -> Result<Option<(u64, Entry)>, ArchiveError> {
    let Some(sequence) = archive.member(feed, item)? else { return Ok(None) };
    Ok(archive.entry(feed, sequence)?.map(|entry| (sequence, entry)))
}
