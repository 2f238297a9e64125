//! The answers of the newsroom and of the nodes, as far as the lab needs them.

use serde::Deserialize;

/// The ground truth of the newsroom.
#[derive(Debug, Deserialize)]
pub(super) struct Truth {
    /// The time of its clock.
    pub(super) now: f64,
    pub(super) sources: Vec<SourceTruth>,
}

#[derive(Debug, Deserialize)]
pub(super) struct SourceTruth {
    pub(super) name: String,
    /// Items that it no longer remembers.
    pub(super) forgotten: u64,
    pub(super) items: Vec<PublishedItem>,
}

#[derive(Debug, Deserialize)]
pub(super) struct PublishedItem {
    pub(super) at: f64,
    pub(super) guid: String,
    pub(super) keywords: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Items {
    pub(super) items: Vec<ArrivedItem>,
    /// The cursor of the next page.
    pub(super) next: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct ArrivedItem {
    pub(super) id: String,
    /// When the feed published it.
    pub(super) at: f64,
    /// The nodes it has passed; this one is the last.
    pub(super) hops: Vec<PassedNode>,
}

#[derive(Debug, Deserialize)]
pub(super) struct PassedNode {
    /// When the node received it.
    pub(super) fetched: Option<f64>,
    /// When the node published it.
    pub(super) published: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Sources {
    pub(super) sources: Vec<SourceStatus>,
    /// The cursor of the next page, if there is one.
    pub(super) next: Option<u32>,
}

#[derive(Debug, Deserialize)]
pub(super) struct SourceStatus {
    pub(super) url: String,
    pub(super) requests: u64,
    pub(super) failures: u64,
}
