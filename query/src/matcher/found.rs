//! What a pass over an item finds: sources to visit, rules that may hold, and matches.

use crate::ids::{QueryId, SourceId};

/// The index of a source.
pub(super) type Slot = u32;

/// No source.
pub(super) const NOWHERE: Slot = Slot::MAX;

/// A rule that may hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) rule: u32,
    /// Whether it is already known to hold.
    pub(super) decided: bool,
}

/// An item belongs to a feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Match {
    /// The query of the feed.
    pub query: QueryId,
    /// The source that led to the feed: that of the item, or another feed that keeps the item.
    pub via: SourceId,
}
