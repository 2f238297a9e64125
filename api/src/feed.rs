//! Feeds: what a node publishes.

mod trial;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::instant::Instant;
use crate::source::SourceStanding;
pub use trial::{Trial, TriedDay, TriedItem, TriedSource};

/// Statements of the query language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QueryRequest {
    /// `CREATE FEED …; ALTER FEED …; DROP FEED …; EXPLAIN …`
    pub query: String,
    /// Whether to run the statements even if an address in them leads nowhere; false by default.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
}

impl QueryRequest {
    /// Statements, nothing forced.
    pub fn new(query: impl Into<String>) -> Self {
        Self { query: query.into(), force: false }
    }
}

/// A statement that creates, changes or explains a feed, to be explained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExplainRequest {
    /// `CREATE FEED …`, `ALTER FEED …` or `EXPLAIN …`
    pub query: String,
    /// Whether to look for what it finds among the stored items; true by default. Without it, `trial` is empty.
    #[serde(default = "yes")]
    pub trial: bool,
}

fn yes() -> bool {
    true
}

impl ExplainRequest {
    /// A statement, to be tried as well.
    pub fn new(query: impl Into<String>) -> Self {
        Self { query: query.into(), trial: true }
    }
}

/// All feeds that the caller may read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FeedList {
    /// By name.
    pub feeds: Vec<FeedStatus>,
}

/// The state of a feed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FeedStatus {
    /// Its name.
    pub name: String,
    /// The statement that creates it.
    pub query: String,
    /// How many sources it reads, directly or through other feeds.
    pub sources: usize,
    /// Items published so far.
    pub published: u64,
    /// When it last changed; null if it is empty.
    pub changed_at: Option<Instant>,
    /// Its URL without the ending that names the format.
    pub url: String,
    /// Items published in the last seven days.
    #[serde(default)]
    pub last_week: u64,
    /// Whether only named readers and the operator may read it.
    #[serde(default)]
    pub closed: bool,
    /// Whether the configuration declares it, so that it can only be changed there.
    #[serde(default)]
    pub declared: bool,
}

/// Everything about a feed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FeedDetail {
    /// Its state.
    #[serde(flatten)]
    pub status: FeedStatus,
    /// The sources that it reads, directly or through other feeds; at most 1000.
    pub reads: Vec<ReadSource>,
    /// Items a day that it brings, as the node estimates.
    #[serde(default)]
    pub items_per_day: f64,
    /// The share of its sources' items that the node received, as it estimates; null while it is not known.
    #[serde(default)]
    pub completeness: Option<f64>,
    /// The share of its sources' current documents that the node has, as it estimates; null while it is not known.
    #[serde(default)]
    pub freshness: Option<f64>,
    /// Seconds from the publication of an item to its arrival here that are to be expected at this budget; each source
    /// counts by the items that it brings. Null if no source is asked.
    #[serde(default)]
    pub delay: Option<f64>,
}

/// A source that a feed reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ReadSource {
    /// Its number.
    pub source: u32,
    /// Its URL.
    pub url: String,
    /// The share of its items that the feed keeps, as the node estimates; null while it is not known, because
    /// no item of the source has come since the feed reads it.
    pub share: Option<f64>,
    /// How much an item counts for the feed.
    pub weight: f64,
    /// Its title.
    #[serde(default)]
    pub title: Option<String>,
    /// Its state in one word.
    #[serde(default)]
    pub standing: Option<SourceStanding>,
    /// Items a day that it publishes, as the node estimates.
    #[serde(default)]
    pub items_per_day: Option<f64>,
    /// The share of its items that was delivered, as the node estimates.
    #[serde(default)]
    pub completeness: Option<f64>,
    /// The share of its document that the node had on average, as the node estimates.
    #[serde(default)]
    pub freshness: Option<f64>,
    /// Seconds from the publication of an item to its arrival here that are to be expected at this budget: 0 if the
    /// source says at once that it has news, null if it is not asked.
    #[serde(default)]
    pub delay: Option<f64>,
}

/// What the statements did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AppliedList {
    /// One for each statement, in their order.
    pub applied: Vec<Applied>,
    /// What may go wrong: new addresses that cannot be read at present.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What a statement did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "did", rename_all = "kebab-case")]
pub enum Applied {
    /// It created a feed.
    Created {
        /// The feed's name.
        name: String,
        /// Items that the feed starts with.
        items: usize,
        /// Sources that were added for it.
        sources: usize,
    },
    /// It changed a feed.
    Changed {
        /// The feed's name.
        name: String,
        /// Items that the feed gained at once.
        items: usize,
    },
    /// It renamed a feed.
    Renamed {
        /// The old name.
        from: String,
        /// The new name.
        name: String,
    },
    /// It dropped a feed.
    Dropped {
        /// The feed's name.
        name: String,
    },
    /// It explained a feed and changed nothing.
    Explained(Explained),
}

/// What a feed reads, keeps and costs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Explained {
    /// The feed's name.
    pub name: String,
    /// The explanation for people.
    pub text: String,
    /// Sources that have to be refreshed for it.
    pub sources: usize,
    /// Different phrases that are searched for.
    pub phrases: usize,
    /// Regular expressions.
    pub regexes: usize,
    /// Sources of which every item has to be evaluated.
    pub every_item: usize,
    /// What it finds among the items that are stored.
    #[serde(default)]
    pub trial: Trial,
}

/// Who may read a feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FeedReaders {
    /// The names of readers. Null: anybody may read it. Empty: only the operator.
    #[schema(required)]
    pub readers: Option<Vec<String>>,
}
