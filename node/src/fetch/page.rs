//! What a peer delivers instead of a body.

use pergola_feed::Document;
use pergola_manners::hints::Hints;
use pergola_manners::link::Link;

/// What a peer has delivered.
#[derive(Clone, Debug)]
pub struct Page {
    /// The items, newest first, as a document would show them.
    pub document: Document,
    /// The peer, as it is known once this is committed.
    pub link: Link,
    /// Entries that the peer knows we have missed.
    pub missed: u64,
    /// There is more, to be fetched at once.
    pub more: bool,
    /// Nothing was asked for but the newest window, and everything is wanted: if it does not meet what is
    /// known, the rest is fetched from the oldest entry on.
    pub must_meet: bool,
    /// When the peer plans to have news, by our clock.
    pub hints: Option<Hints>,
    /// Sentences for the log.
    pub notes: Vec<String>,
}
