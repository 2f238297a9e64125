//! The people who read here: who they are, what they follow, what they have read and starred.
//!
//! `pergola_store::people` decides; here it is committed, one change after the other. Everything is stored before it
//! counts.
//!
//! A source that somebody follows has a feed of its own (`own_feeds`), so that its items are numbered, kept and deleted
//! as those of any feed. Nobody else sees it: it is on no shelf and in no catalogue.

mod following;
mod logins;
mod own_feeds;
mod reading;
mod sessions;
mod users;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use pergola_accounts::tries::{TooEarly, Tries};
use pergola_outside::locks::Mutex;
use pergola_outside::surroundings::{Panicked, Randomness};
use pergola_store::archive::{ArchiveError, Commit, FeedId};
pub use pergola_store::people::{
    Follow, Followed, Mistake, NewUser, Stream, StreamItem, StreamPage, Subscribed, Unread, User,
    UserChange,
};
use pergola_store::people::{News, Reading};
use tokio::sync::{Semaphore, SemaphorePermit};

use super::{Node, SourceError};
use crate::writer::NotCommitted;
pub use reading::{MOST_ITEMS, MOST_NUMBERS};

/// Why something cannot be done for a user.
#[derive(Debug, thiserror::Error)]
pub enum PeopleError {
    /// What was asked for cannot be.
    #[error(transparent)]
    Mistake(#[from] Mistake),
    /// Wrong name or password; it is not said which.
    #[error("the name or the password is wrong")]
    WrongPassword,
    /// Too many wrong tries.
    #[error(transparent)]
    TooEarly(#[from] TooEarly),
    /// The machine has none.
    #[error("this machine has no randomness, so nothing secret can be made")]
    NoRandomness,
    /// Work on another thread ended early.
    #[error(transparent)]
    Ended(#[from] Panicked),
    /// Something about a source.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The store refused the change.
    #[error(transparent)]
    NotCommitted(#[from] NotCommitted),
    /// The store cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

/// What is in memory of those who read.
pub(super) struct People {
    randomness: Randomness,
    tries: Mutex<Tries>,
    /// Its one permit is held while something of a user is changed. Whoever needs the node's turn as well takes that
    /// first.
    turn: Semaphore,
    reading: Mutex<Reading>,
    news: Mutex<News>,
    /// How often it has changed what somebody follows or may read.
    changes: AtomicU64,
    /// The built-in user reads here, and follows everything.
    operator: AtomicBool,
}

impl People {
    pub(super) fn new(randomness: Randomness) -> Self {
        Self {
            randomness,
            tries: Mutex::default(),
            turn: Semaphore::new(1),
            reading: Mutex::default(),
            news: Mutex::default(),
            changes: AtomicU64::new(0),
            operator: AtomicBool::new(false),
        }
    }

    /// Entries have come into a feed, and are durable.
    pub(super) fn entries_came(&self, feed: FeedId) {
        self.news.lock().entries_came(feed);
    }

    /// The entries of a feed below a number are gone.
    pub(super) fn entries_gone(&self, feed: FeedId, below: u64) {
        self.news.lock().entries_gone(feed, below);
    }

    /// Somebody may read something else from now on, or follows something else.
    pub(super) fn rights_changed(&self) {
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn set_operator(&self, reads: bool) {
        self.operator.store(reads, Ordering::Relaxed);
    }

    fn has_operator(&self) -> bool {
        self.operator.load(Ordering::Relaxed)
    }

    fn random<const N: usize>(&self) -> Result<[u8; N], PeopleError> {
        self.randomness.bytes().ok_or(PeopleError::NoRandomness)
    }

    /// Waits until nobody else changes anything of a user.
    async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        self.turn.acquire().await.ok()
    }
}

impl Node {
    /// Commits a change of users, if it is one.
    async fn commit_people(&self, commit: Commit) -> Result<(), NotCommitted> {
        if commit.is_empty() { Ok(()) } else { self.commit(commit).await }
    }
}
