//! What the newsroom and the nodes answer, as far as it is needed.

use serde::Deserialize;

/// The newsroom's truth.
#[derive(Debug, Deserialize)]
pub(super) struct Truth {
    /// What its clock shows.
    pub(super) now: f64,
    /// The sources that were asked for.
    pub(super) sources: Vec<SourceTruth>,
}

/// What a source has published.
#[derive(Debug, Deserialize)]
pub(super) struct SourceTruth {
    pub(super) name: String,
    /// Items that it no longer remembers.
    pub(super) forgotten: u64,
    pub(super) items: Vec<PublishedItem>,
}

/// An item as the newsroom tells of it.
#[derive(Debug, Deserialize)]
pub(super) struct PublishedItem {
    pub(super) at: f64,
    pub(super) guid: String,
    pub(super) keywords: Vec<String>,
}

/// Items of a feed.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Items {
    pub(super) items: Vec<ArrivedItem>,
    /// Go on after this.
    pub(super) next: u64,
}

/// An item as a feed has it.
#[derive(Debug, Deserialize)]
pub(super) struct ArrivedItem {
    pub(super) id: String,
    /// When it could be read there.
    pub(super) at: f64,
    /// The nodes it has passed, this one last.
    pub(super) hops: Vec<PassedNode>,
}

#[derive(Debug, Deserialize)]
pub(super) struct PassedNode {
    /// When the node got it.
    pub(super) fetched: Option<f64>,
    /// Since when it could be had there.
    pub(super) published: Option<f64>,
}

/// What a node reads.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Sources {
    pub(super) sources: Vec<SourceStatus>,
    /// Go on after this, if there are more.
    pub(super) next: Option<u32>,
}

/// How a source stands.
#[derive(Debug, Deserialize)]
pub(super) struct SourceStatus {
    pub(super) url: String,
    pub(super) requests: u64,
    pub(super) failures: u64,
}
