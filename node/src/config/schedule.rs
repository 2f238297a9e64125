//! `[budget]` and `[schedule]`: how much may be spent on refreshing, and on what.

use std::num::NonZeroUsize;
use std::time::Duration;

use pergola_refresh::{ModelKind, StrategyKind, Taste};

/// `[budget]`: what refreshing may cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    /// What is limited.
    pub rule: BudgetRule,
    /// Refreshes in one cycle at most; without it the scheduler's own limit.
    pub burst: Option<NonZeroUsize>,
}

/// What a budget limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BudgetRule {
    /// Refreshes.
    Refreshes {
        /// On average.
        per_minute: f64,
    },
    /// Bytes received.
    Bytes {
        /// On average.
        per_hour: u64,
    },
    /// As few refreshes as keep the feeds this fresh.
    Freshness {
        /// The share of items that readers already have, between 0 and 1.
        at_least: f64,
        /// Refreshes per minute that are never exceeded for it.
        most_per_minute: f64,
    },
}

/// `[schedule]`: how the budget is spent.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// The time between two decisions.
    pub cycle: Duration,
    /// What decides which sources are refreshed.
    pub strategy: Choice<StrategyKind>,
    /// What predicts how much is waiting at a source.
    pub model: Choice<ModelKind>,
    /// Nothing lost or nothing late; busy sources first or all alike.
    pub taste: Taste,
    /// What `taste` was made of, from 0 (fresh) to 1 (complete).
    pub completeness: f64,
    /// What `taste` was made of, from 0 (items count alike) to 1 (sources count alike).
    pub equity: f64,
}

/// Something that the node chooses unless it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice<T> {
    /// The node chooses.
    Auto,
    /// This one.
    Fixed(T),
}
