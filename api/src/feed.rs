//! Feeds: what a node publishes.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::instant::Instant;

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
}

/// Everything about a feed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FeedDetail {
    /// Its state.
    #[serde(flatten)]
    pub status: FeedStatus,
    /// The sources that it reads, directly or through other feeds; at most 1000.
    pub reads: Vec<ReadSource>,
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
}

/// Who may read a feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FeedReaders {
    /// The names of readers. Null: anybody may read it. Empty: only the operator.
    #[schema(required)]
    pub readers: Option<Vec<String>>,
}
