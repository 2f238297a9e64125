//! What a node stores that belongs to no other crate: itself, its feeds and their entries, the hosts it
//! asked, who is told of changes, what people have starred.

mod index;
mod notification;
mod starred;
mod websub;

use pergola_feed::{Item, Timestamp};
use pergola_manners::source::{ItemKey, SourceId};
use pergola_profile::StoredProfile;
use pergola_refresh::Threshold;

pub use index::{Manifest, SegmentRecord};
pub use notification::{Every, Notification, Trouble, Way};
pub use starred::{Mark, Starred};
pub use websub::{HubTally, Lease, Push, Subscription, Suspect};

/// A feed that is published. The number survives a change of name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FeedId(pub u32);

/// A source or a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Channel {
    /// A source.
    Source(SourceId),
    /// A feed.
    Feed(FeedId),
}

/// What the node knows of itself.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeRecord {
    /// The name that items carry when they have passed this node: random, made once.
    pub id: String,
    /// The scheduler's threshold when it was last saved.
    pub threshold: Option<Threshold>,
    /// The id that the next source gets.
    pub next_source: u32,
    /// The id that the next feed gets.
    pub next_feed: u32,
}

/// Counts of one host, for the ledger that anybody may read.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct HostTally {
    /// Requests made.
    pub requests: u64,
    /// … answered by 304.
    pub not_modified: u64,
    /// Bytes received.
    pub bytes: u64,
    /// Answers that asked us to wait.
    pub pauses: u64,
    /// Answers or documents that said when to come back.
    pub hints: u64,
    /// When the last request was made.
    pub last: f64,
}

/// A feed as it was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedRecord {
    /// The name it is published under.
    pub name: String,
    /// The statement that makes it, in its canonical form.
    pub statement: String,
    /// When it was created.
    pub created_at: f64,
    /// The configuration declares it; it goes when it is no longer declared.
    pub declared: bool,
}

impl FeedRecord {
    /// What a feed is called that only shows one source to those who follow it. The query language has no such names.
    pub fn name_of_source(source: SourceId) -> String {
        format!("~{}", source.0)
    }

    /// The feed that shows one source to those who follow it. Its name says what it returns.
    pub fn of_source(source: SourceId, created_at: f64) -> Self {
        let name = Self::name_of_source(source);
        Self { name, statement: String::new(), created_at, declared: false }
    }

    /// The source that this feed shows, if it is the feed of one.
    pub fn source(&self) -> Option<SourceId> {
        self.name.strip_prefix('~')?.parse().ok().map(SourceId)
    }
}

/// A source or feed that was removed. What it has shown or published stays, so that it can be restored.
#[derive(Debug, Clone, PartialEq)]
pub struct Removed<T> {
    /// When it was removed.
    pub at: f64,
    /// As it was.
    pub what: T,
}

/// How far a feed has come.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FeedTally {
    /// The number that its next entry gets.
    pub next: u64,
    /// Changes so far, updates of entries included.
    pub edition: u64,
    /// When it last changed.
    pub changed_at: f64,
}

/// The entries of a feed that keep the ids under which they were published before ids named their origin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OldIds {
    /// Entries from this number on have ids of the new kind.
    pub before: u64,
    /// So have these, in order: another entry had the same id.
    pub except: Vec<u64>,
}

impl OldIds {
    /// Whether the entry with this number keeps its id.
    pub fn keeps(&self, sequence: u64) -> bool {
        sequence < self.before && self.except.binary_search(&sequence).is_err()
    }
}

/// An item in a feed: it refers to where the item is stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    /// Which item.
    pub key: ItemKey,
    /// The source that delivered it.
    pub source: SourceId,
    /// The chunk of that source which holds it.
    pub chunk: u32,
    /// Its index in that chunk.
    pub index: u16,
    /// When it was published here.
    pub at: f64,
    /// When it was last replaced by an edited version.
    pub changed_at: f64,
    /// The date by which people find it: see [`Entry::date_of`].
    pub dated: f64,
}

impl Entry {
    /// The date by which people find an item that arrived at an instant: when it was published, if that is credible,
    /// else when it arrived.
    pub fn date_of(item: &Item, arrived: f64) -> f64 {
        let credible = item.credible_date(Timestamp::from_unix(arrived as i64));
        credible.map_or(arrived, |(date, _)| date.unix() as f64)
    }
}

/// An entry that was replaced. Edits are ordered by edition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// The edition of the feed that replaced it.
    pub edition: u64,
    /// The number of the entry.
    pub sequence: u64,
}

impl Edit {
    /// After every edit of an edition.
    pub fn end_of(edition: u64) -> Self {
        Self { edition, sequence: u64::MAX }
    }
}

/// How the node did in one minute, for plots.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sample {
    /// The scheduler's threshold.
    pub threshold: f64,
    /// Refreshes that the budget allowed.
    pub budget: f64,
    /// Refreshes made.
    pub refreshes: u32,
    /// … answered by 304.
    pub not_modified: u32,
    /// … that failed.
    pub failures: u32,
    /// Items delivered.
    pub items: u32,
    /// Bytes received.
    pub bytes: u64,
    /// Estimated share of items delivered; not a number while it is not known.
    pub completeness: f64,
    /// Estimated share of windows held; not a number while it is not known.
    pub freshness: f64,
}

/// What a source or a feed is about.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProfileRecord {
    /// The terms of its last items.
    pub kept: StoredProfile,
    /// Items seen lately; older ones count less.
    pub seen: f32,
    /// Novel ones among them.
    pub novel: f32,
}
