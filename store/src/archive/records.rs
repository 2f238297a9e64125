//! The rows. They are written in postcard, which stores no names: a field is only ever added together with a
//! step of the schema (`store`).

use pergola_manners::source::{ItemKey, SourceId};
use pergola_profile::StoredProfile;
use pergola_refresh::Threshold;
use serde::{Deserialize, Serialize};

/// Items after which all but a third of how novel a source was is forgotten.
const MEMORY: f32 = 50.0;

/// A feed that is published. The number survives a change of name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FeedId(pub u32);

/// What the node knows of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeRecord {
    /// The name that items carry when they have passed this node: random, made once.
    pub id: String,
    /// The scheduler's threshold as it stood.
    pub threshold: Option<Threshold>,
    /// Ids given so far.
    pub next_source: u32,
    /// Ids given so far.
    pub next_feed: u32,
}

/// Counts of one host, for the ledger that anybody may read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct HostTally {
    /// Requests made.
    pub requests: u64,
    /// … answered by 304.
    pub not_modified: u64,
    /// Bytes that came over the wire.
    pub bytes: u64,
    /// Answers that asked us to wait, all of them obeyed.
    pub pauses: u64,
    /// Answers or documents that said when to come back, all of them obeyed.
    pub hints: u64,
    /// The last request.
    pub last: f64,
}

/// A feed as it was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeedRecord {
    /// The name it is published under.
    pub name: String,
    /// The statement that makes it, in its canonical form.
    pub statement: String,
    /// When it was created.
    pub created_at: f64,
    /// Made by the configuration, and gone when it is gone from there.
    pub declared: bool,
}

/// How far a feed has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct FeedTally {
    /// The number that its next entry gets.
    pub next: u64,
    /// Changes so far, updates of entries included.
    pub edition: u64,
    /// When it last changed.
    pub changed_at: f64,
}

/// An item's place in a feed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Which item.
    pub key: ItemKey,
    /// The source that delivered it.
    pub source: SourceId,
    /// Where it is kept.
    pub chunk: u32,
    /// … and at which place.
    pub index: u16,
    /// When it was published here.
    pub at: f64,
    /// When it was last replaced by an edited version.
    pub changed_at: f64,
}

/// An entry that was replaced: the edition that brought it, and its number. In the order of editions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// The edition that brought it.
    pub edition: u64,
    /// The entry that was replaced.
    pub sequence: u64,
}

impl Edit {
    /// After everything that an edition brought.
    pub fn end_of(edition: u64) -> Self {
        Self { edition, sequence: u64::MAX }
    }
}

/// How the node stood in one minute, for plots.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The threshold.
    pub threshold: f64,
    /// Refreshes allowed in that minute.
    pub budget: f64,
    /// Refreshes made.
    pub refreshes: u32,
    /// … answered by 304.
    pub not_modified: u32,
    /// … that failed.
    pub failures: u32,
    /// Items delivered.
    pub items: u32,
    /// Bytes that came over the wire.
    pub bytes: u64,
    /// Estimated share of items delivered.
    pub completeness: f64,
    /// Estimated share of windows held.
    pub freshness: f64,
}

/// A profile as it is stored.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfileRow {
    pub kept: StoredProfile,
    pub fresh: Fresh,
}

/// How much of what came lately was novel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Fresh {
    pub seen: f32,
    pub novel: f32,
}

impl Fresh {
    /// Counts one item.
    pub fn add(&mut self, novel: bool) {
        let keep = 1.0 - 1.0 / MEMORY;
        self.seen = self.seen * keep + 1.0;
        self.novel = self.novel * keep + f32::from(u8::from(novel));
    }

    /// Believed to be all new until something else was seen.
    pub fn share(self) -> f64 {
        f64::from((self.novel + 1.0) / (self.seen + 1.0))
    }
}
