//! The numbers by which the caller knows sources and queries.

/// A source: something that is crawled, or a feed of this node that other feeds read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub u64);

/// A standing query: the feed that it defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QueryId(pub u64);
