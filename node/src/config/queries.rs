//! `[[feed]]`: the feeds that the node publishes from the start.

use pergola_query::syntax::FeedBody;

/// One feed that a `[[feed]]` creates.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredFeed {
    /// Its name.
    pub name: String,
    /// What it consists of.
    pub body: FeedBody,
    /// The statement that creates it, in the printer's spelling.
    pub statement: String,
}
