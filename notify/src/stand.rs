//! What a notifier needs of its node.

use pergola_outside::surroundings::Pending;
use pergola_store::archive::{ArchiveError, Commit, FeedId, Published};

/// A feed as it is now.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedNow {
    /// Its name.
    pub name: String,
    /// Where people read it.
    pub url: String,
    /// The number that its next entry gets.
    pub next: u64,
}

/// What a notifier needs of its node.
pub trait Stand: Send + Sync {
    /// A feed that is published.
    fn feed(&self, feed: FeedId) -> Option<FeedNow>;

    /// The entries of a feed from one number up to before another, as they are published, oldest first. Blocks.
    fn entries(&self, feed: FeedId, from: u64, to: u64) -> Result<Vec<Published>, ArchiveError>;

    /// Commits; `Err` says why it did not happen.
    fn commit(&self, commit: Commit) -> Pending<'_, Result<(), String>>;
}
