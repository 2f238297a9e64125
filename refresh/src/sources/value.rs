//! What a refresh of a source is worth.

use super::Sources;
use crate::counts::Distribution;
use crate::knowledge::{Knowledge, Outlook, Taste};
use crate::model::{Model, PublicationModel};

impl Sources {
    /// The outlook of a source that was last refreshed at `last`.
    #[inline]
    pub(crate) fn outlook_since(&self, source: usize, last: f64, now: f64) -> Outlook {
        if last == f64::NEG_INFINITY {
            return Outlook::NEVER_SEEN;
        }
        let relevance = self.relevance(source);
        let (divergence, area) = self.models[source].divergence(last, now);
        let window = f64::from(self.window[source]);
        let worth = relevance / self.cost(source);
        Outlook {
            saturated: divergence >= window,
            relevant: worth * divergence.min(window),
            utility: worth * ((now - last) * divergence - area).max(0.0),
        }
    }

    /// The index of a source that was last refreshed at `last`.
    pub(crate) fn index_since(&self, source: usize, last: f64, now: f64, taste: &Taste) -> f64 {
        if last == f64::NEG_INFINITY {
            return f64::INFINITY;
        }
        let (expected, area) = self.models[source].divergence(last, now);
        let age = match self.models[source] {
            // Batches count as old as a stream of the same utility. So the index is constant between two
            // batches, and only the next batch can raise it above the price.
            Model::Relayed(_) => 2.0 * (now - last - area / expected),
            _ => now - last,
        };
        // Nothing can have been published, or no time has passed.
        if expected <= 0.0 || age <= 0.0 {
            return 0.0;
        }
        let counts = Distribution::poisson(expected);
        let (window, shown) = (self.window(source), self.shown(source));
        let rate = self.models[source].mean_rate();
        let weights = self.price_weights(source, rate, taste);
        let completeness = weights.lost * window as f64 * counts.at_least(window + 1);
        let freshness =
            weights.stale * age / (expected * shown as f64) * counts.staleness_sum(shown);
        (completeness + freshness) / self.cost(source)
    }
}

/// The cost of lost items and stale windows of one source, in seconds of the total quality.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PriceWeights {
    /// Per lost item.
    pub(crate) lost: f64,
    /// Per missing share of the window and second.
    pub(crate) stale: f64,
}

impl Sources {
    /// The two weights of the index and the plan: a_C·p and a_F, with equity.
    pub(crate) fn price_weights(&self, source: usize, rate: f64, taste: &Taste) -> PriceWeights {
        let relevance = self.relevance(source);
        PriceWeights {
            lost: taste.completeness() * relevance / self.relevant_rate(),
            stale: taste.freshness() / self.len() as f64
                * taste.equity_factor(rate)
                * window_relevance(relevance, self.shown(source)),
        }
    }
}

/// A part of a window only matters if the window has relevant items: fully if at least one is expected,
/// else in proportion. A relevance above one (several feeds, importance) counts fully.
fn window_relevance(relevance: f64, shown: usize) -> f64 {
    (relevance * shown as f64).min(1.0) * relevance.max(1.0)
}
