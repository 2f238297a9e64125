//! The items of a feed by their numbers. Numbers start at 1, so 0 stands before the first item.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::instant::Instant;

/// Which items to list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ItemRange {
    /// Only those after this number, in the order of their arrival; by default the newest, sorted by the
    /// dates of their publication.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// How many to list at most; 100 by default, up to 1000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// If there is no item yet, wait for one for this many seconds, up to 30.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<f64>,
}

/// A page of items.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ItemPage {
    /// Oldest first: after a number by arrival, without one by date.
    pub items: Vec<PublishedItem>,
    /// Where the next page starts: send it as `after`.
    pub next: u64,
}

/// An item as the feed published it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PublishedItem {
    /// Its number in the feed.
    pub sequence: u64,
    /// When the feed published it.
    pub at: Instant,
    /// What identifies it.
    pub id: String,
    /// Its title.
    pub title: Option<String>,
    /// The URL of its page.
    pub link: Option<String>,
    /// The URL of a small picture of it.
    pub thumbnail: Option<String>,
    /// When its publisher says it was published.
    pub published: Option<Instant>,
    /// The title or URL of the source that it comes from.
    pub source: Option<String>,
    /// The number of the source that delivered it.
    pub source_id: u32,
    /// The nodes that it passed, oldest first; this node is the last.
    pub hops: Vec<PassedNode>,
    /// Seconds from its publication at the first of these nodes to its arrival here; null if it passed no
    /// other node.
    pub age: Option<f64>,
}

/// A node that an item passed; the times are by that node's clock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PassedNode {
    /// The node's id.
    pub node: String,
    /// When it fetched the item.
    pub fetched: Option<Instant>,
    /// When it published the item.
    pub published: Option<Instant>,
    /// Seconds from the item's publication one step before to its arrival there.
    pub age: Option<f64>,
}
