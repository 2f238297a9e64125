//! The one writer: numbers new entries, commits, and only then announces them.
//!
//! Jobs arrive through a bounded buffer and are committed in groups: while one group is being synced to the
//! disk the next one gathers, so a busy node pays for one sync where there were many refreshes.
//!
//! A job brings finished parts (a source and what it delivered) and the items that feeds want. From these the
//! writer makes the part of each feed: the entries, their numbers, how far the feed has come. The parts of
//! sources do not depend on those of feeds.
//!
//! Never: an entry announced before it is durable; two entries of one feed with the same item; a number given
//! twice; a gap in the numbers; an entry that another source takes over unless its copy has fewer hops
//! (`routes`). If a commit fails, nothing of the group has happened, and everybody who waits for it is told.

mod group;
mod routes;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use pergola_outside::locks::Mutex;
use pergola_outside::surroundings::{Blocking, Thread};
use std::sync::Arc;

use pergola_store::archive::{Archive, ArchiveError, Commit, Entry, FeedId, FeedTally};
use prometheus_client::metrics::counter::Counter;
use tokio::sync::{mpsc, oneshot};

use group::Group;

/// Jobs that may wait before whoever sends more has to.
const WAITING: usize = 512;
/// Jobs committed together at most.
const GROUP: usize = 256;

/// An item that a feed wants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Append {
    /// The feed.
    pub feed: FeedId,
    /// The item and where it is stored.
    pub entry: Entry,
    /// It replaces the version that the feed may already have.
    pub edited: bool,
}

/// Something to be committed as a whole.
#[derive(Debug, Default)]
pub struct Job {
    /// Parts that are finished.
    pub commit: Commit,
    /// Items that feeds want, in order.
    pub appends: Vec<Append>,
}

impl From<Commit> for Job {
    fn from(commit: Commit) -> Self {
        Self { commit, appends: Vec::new() }
    }
}

/// A commit that did not happen.
#[derive(Debug, Clone, thiserror::Error)]
pub enum NotCommitted {
    /// The store refused it.
    #[error("nothing was changed: {0}")]
    Failed(Arc<ArchiveError>),
    /// Nothing is accepted any more.
    #[error("nothing was changed: the node is stopping")]
    Stopping,
}

/// Whoever waits for a commit.
pub type Done = oneshot::Sender<Result<Committed, NotCommitted>>;

/// What a job has changed in feeds.
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

/// A handle to the writer.
#[derive(Clone)]
pub struct Writer {
    messages: mpsc::Sender<Message>,
    trouble: Trouble,
}

/// Why the last commit was refused, if it was.
type Trouble = Arc<Mutex<Option<Arc<ArchiveError>>>>;

/// Called for every feed that has changed, after the change is durable.
pub type Announce = Box<dyn Fn(FeedId, FeedTally) + Send>;

impl Writer {
    /// Starts the writer's thread; it ends when every [`Writer`] is gone, after the last job.
    pub fn start(
        archive: Archive,
        announce: Announce,
        refused: Counter,
        blocking: &Blocking,
    ) -> std::io::Result<(Self, Thread)> {
        let (messages, inbox) = mpsc::channel(WAITING);
        let trouble = Trouble::default();
        let tallies = HashMap::new();
        let worker = Worker { archive, announce, refused, tallies, trouble: Arc::clone(&trouble) };
        let thread = blocking.thread("writer", worker.run(inbox))?;
        Ok((Self { messages, trouble }, thread))
    }

    /// Why the store refused the last commit, if it did.
    pub fn trouble(&self) -> Option<String> {
        let trouble = self.trouble.lock();
        trouble.as_ref().map(ToString::to_string)
    }

    /// Whether it refused it because the disk is nearly full.
    pub fn is_full(&self) -> bool {
        let trouble = self.trouble.lock();
        let refused = trouble.as_deref();
        matches!(refused, Some(ArchiveError::Store(pergola_store::StoreError::Full { .. })))
    }

    /// Commits a job. When this returns `Ok`, it is durable.
    pub async fn commit(&self, job: impl Into<Job>) -> Result<Committed, NotCommitted> {
        let (done, answer) = oneshot::channel();
        if self.messages.send(Message::Commit(vec![(job.into(), done)])).await.is_err() {
            return Err(NotCommitted::Stopping);
        }
        answer.await.unwrap_or(Err(NotCommitted::Stopping))
    }

    /// Waits for room for jobs that are handed over together; nothing if the writer is gone.
    pub async fn room(&self) -> Option<Room<'_>> {
        self.messages.reserve().await.ok().map(Room)
    }

    /// Lets `work` read the archive between two commits.
    pub async fn alone<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Archive) -> T + Send + 'static,
    ) -> Option<T> {
        let (done, answer) = oneshot::channel();
        let work = move |archive: &Archive| {
            // Whoever waited may be gone; the work was done all the same.
            let _ = done.send(work(archive));
        };
        self.messages.send(Message::Alone(Box::new(work))).await.ok()?;
        answer.await.ok()
    }
}

/// Room for jobs that are handed over together.
pub struct Room<'a>(mpsc::Permit<'a, Message>);

impl Room<'_> {
    /// Hands over jobs for which others wait.
    pub fn hand_over(self, jobs: Vec<(Job, Done)>) {
        self.0.send(Message::Commit(jobs));
    }
}

/// The writer's thread.
struct Worker {
    archive: Archive,
    /// Counts the commits that the store refused.
    refused: Counter,
    announce: Announce,
    /// How far each feed has come, as far as it is known.
    tallies: HashMap<FeedId, FeedTally>,
    trouble: Trouble,
}

impl Worker {
    async fn run(mut self, mut inbox: mpsc::Receiver<Message>) {
        while let Some(message) = inbox.recv().await {
            let (mut jobs, mut alone) = (Vec::new(), None);
            let mut next = Some(message);
            while let Some(message) = next {
                match message {
                    Message::Commit(more) => jobs.extend(more),
                    Message::Alone(work) => alone = Some(work),
                }
                let more = alone.is_none() && jobs.len() < GROUP;
                next = if more { inbox.try_recv().ok() } else { None };
            }
            self.commit(jobs);
            if let Some(work) = alone {
                work(&self.archive);
            }
        }
    }

    fn commit(&mut self, jobs: Vec<(Job, Done)>) {
        if jobs.is_empty() {
            return;
        }
        let mut group = Group::default();
        let mut waiting = Vec::with_capacity(jobs.len());
        let mut outcome = Ok(());
        for (job, done) in jobs {
            for feed in job.commit.dropped_feeds() {
                self.tallies.remove(&feed);
            }
            group.commit.append(job.commit);
            let mut committed = Committed::default();
            for append in &job.appends {
                outcome = outcome.and_then(|()| {
                    group.append(&self.archive, &mut self.tallies, append, &mut committed)
                });
            }
            waiting.push((done, committed));
        }
        let (commit, changed) = group.finish(&self.tallies);
        match outcome.and_then(|()| self.archive.commit(commit)) {
            Ok(()) => {
                self.set_trouble(None);
                // Before those who wait are told, so that they see what they waited for.
                for (feed, tally) in changed {
                    (self.announce)(feed, tally);
                }
                for (done, committed) in waiting {
                    // Whoever waited may be gone; the commit stands.
                    let _ = done.send(Ok(committed));
                }
            }
            Err(error) => {
                self.refused.inc();
                // Their numbers were not used: they are read again next time.
                for (feed, _) in changed {
                    self.tallies.remove(&feed);
                }
                let error = Arc::new(error);
                self.set_trouble(Some(Arc::clone(&error)));
                let error = NotCommitted::Failed(error);
                for (done, _) in waiting {
                    let _ = done.send(Err(error.clone()));
                }
            }
        }
    }

    fn set_trouble(&self, trouble: Option<Arc<ArchiveError>>) {
        *self.trouble.lock() = trouble;
    }
}
