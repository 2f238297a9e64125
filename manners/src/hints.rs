//! What a node says about when its feed may have news.

/// How busy and how good a feed is, and when it may have news, as its node estimates.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hints {
    pub items_per_day: Option<f64>,
    /// The share of its sources' items that it has delivered.
    pub completeness: Option<f64>,
    /// The share of its sources' windows that it holds now.
    pub freshness: Option<f64>,
    /// When its sources will be refreshed, in order, and how many items each refresh may bring.
    pub planned: Vec<(f64, f64)>,
    /// The node's clock when it said this.
    pub now: f64,
}
