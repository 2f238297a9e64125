//! What people have read and starred.

use pergola_feed::Item;

use super::{Entry, FeedId};

/// What a user has noted of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mark {
    /// It was read.
    Read,
    /// It is to be kept.
    Star,
}

/// An item that somebody has starred, as it was then. It stays when all feeds have let go of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Starred {
    /// A feed that held it.
    pub feed: FeedId,
    /// Its number there.
    pub sequence: u64,
    /// How it got there.
    pub entry: Entry,
    /// The item.
    pub item: Item,
}
