//! What a search finds.

use pergola_store::archive::SourceId;

/// What was found is …
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// … a source.
    Source,
    /// … a feed of this node.
    Feed,
    /// … a feed of a peer that this node does not read, or has learnt nothing of.
    Peer,
}

/// A source or feed that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// What it is.
    pub kind: Kind,
    /// Its name or title.
    pub name: String,
    /// Where it is.
    pub url: String,
    /// As which source this node reads it.
    pub source: Option<SourceId>,
    /// The node that publishes it, if it is another one.
    pub node: Option<String>,
    /// How much it is about what was asked for, from 0 to 1.
    pub score: f64,
    /// What it is about by its last items, heaviest first.
    pub terms: Vec<String>,
}
