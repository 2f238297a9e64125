//! What a node says about when a feed of it may have news.

/// How busy and how good a feed is, and when it may have news; all of it estimated by its node.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hints {
    /// Items a day.
    pub items_per_day: Option<f64>,
    /// The share of its sources' items that it has got.
    pub completeness: Option<f64>,
    /// The share of its sources' windows that it holds now.
    pub freshness: Option<f64>,
    /// When sources of it will be refreshed, in order, and the items that each refresh may bring.
    pub planned: Vec<(f64, f64)>,
    /// The node's clock when it said this.
    pub now: f64,
}
