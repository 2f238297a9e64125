//! What the newsroom and the nodes answer. The types of the nodes are those of their REST API.

pub(super) use pergola_api::item::ItemPage as Items;
pub(super) use pergola_api::source::SourcePage as Sources;
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
