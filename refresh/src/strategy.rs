//! Strategies: which sources to refresh in a cycle.
//!
//! There are three kinds: the b highest scores ([`highest`]), everything whose score reaches the
//! threshold ([`above`], [`intervals`]), and timetables ([`timetable`], [`plan`]). 2Steps is of the
//! first kind for saturated sources and of the second for the others.

mod above;
mod foresight;
mod highest;
mod intervals;
mod plan;
mod timetable;
mod two_steps;

use std::str::FromStr;

use above::{Index, OnlyTau};
pub(crate) use foresight::Decisions;
pub use foresight::Rule;
use highest::{OnlySat, TopKUtility};
use intervals::{AdaptiveTtl, EntryFrequency};
use plan::Plan;
use timetable::{Reference, RoundRobin};
use two_steps::TwoSteps;

use crate::error::Invalid;
use crate::knowledge::{Knowledge, Taste};
use crate::observation::Observation;
use crate::sources::Sources;

/// The cycle of a decision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cycle {
    /// The time of the decision.
    pub now: f64,
    /// Seconds until the next decision.
    pub length: f64,
    /// τ, or the price of a refresh.
    pub threshold: f64,
    /// b: refreshes per cycle on average.
    pub budget: f64,
    /// This cycle's share of the budget in whole refreshes.
    pub quota: usize,
    /// The maximum: the burst limit, minus earlier bursts that are not yet paid back.
    pub limit: usize,
}

/// Chooses what to refresh.
pub trait Strategy<K: Knowledge>: Send {
    /// Appends at most `cycle.limit` sources to `chosen`, each once, most urgent first. Returns the
    /// demand: how many it would have chosen without the limit.
    fn choose(&mut self, cycle: &Cycle, known: &K, chosen: &mut Vec<usize>) -> usize;

    /// Whether the last choice depended on the threshold. It does not while first refreshes or saturated
    /// sources take the whole budget; then nothing can be learnt about the right threshold.
    fn threshold_mattered(&self) -> bool {
        true
    }

    /// The rule by which it will choose a source that was last refreshed at `last`.
    fn rule(&mut self, cycle: &Cycle, known: &K, source: usize, last: f64) -> Rule;

    /// Receives the result of a refresh, for strategies with their own statistics.
    fn observed(&mut self, _source: usize, _observation: &Observation<'_>) {}
}

/// The strategies by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StrategyKind {
    /// Saturated sources first, then everything above the threshold.
    TwoSteps,
    /// Only the first step of 2Steps.
    OnlySat,
    /// Only the second step of 2Steps.
    OnlyTau,
    /// The b highest utilities.
    TopKUtility,
    /// Each source in turn.
    Uniform,
    /// Everything in every cycle, as with an unlimited budget.
    Reference,
    /// Every source at the same interval, as in most feed readers; equals `Uniform`.
    FixedInterval,
    /// An interval that depends on the number of items in the last week, as in some feed readers.
    EntryFrequency,
    /// An interval that depends on the age of the newest item.
    AdaptiveTtl,
    /// Everything whose index (the price at which waiting is equally good) reaches the price.
    Index,
    /// The first refresh of the cheapest timetable on the forecast.
    Plan,
}

impl StrategyKind {
    /// All strategies, in the order of tables.
    pub const ALL: [Self; 11] = [
        Self::FixedInterval,
        Self::EntryFrequency,
        Self::AdaptiveTtl,
        Self::Uniform,
        Self::OnlySat,
        Self::OnlyTau,
        Self::TopKUtility,
        Self::TwoSteps,
        Self::Index,
        Self::Plan,
        Self::Reference,
    ];

    /// The name used in commands and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::TwoSteps => "2Steps",
            Self::OnlySat => "OnlySat",
            Self::OnlyTau => "OnlyTau",
            Self::TopKUtility => "TopKUtility",
            Self::Uniform => "Uniform",
            Self::Reference => "Reference",
            Self::FixedInterval => "fixed-interval",
            Self::EntryFrequency => "entry-frequency",
            Self::AdaptiveTtl => "adaptive-ttl",
            Self::Index => "index",
            Self::Plan => "plan",
        }
    }

    /// Whether its decisions depend on the publication model.
    pub fn uses_model(self) -> bool {
        matches!(
            self,
            Self::TwoSteps
                | Self::OnlySat
                | Self::OnlyTau
                | Self::TopKUtility
                | Self::Index
                | Self::Plan
        )
    }

    /// The strategy for estimated sources.
    pub fn build(self, taste: Taste) -> Box<dyn Strategy<Sources>> {
        self.build_for(taste).unwrap_or_else(|| Box::new(Plan::new(taste)))
    }

    /// The strategy for any knowledge; `None` for [`StrategyKind::Plan`], which needs a forecast.
    pub fn build_for<K: Knowledge>(self, taste: Taste) -> Option<Box<dyn Strategy<K>>> {
        Some(match self {
            Self::TwoSteps => Box::new(TwoSteps::default()),
            Self::OnlySat => Box::new(OnlySat),
            Self::OnlyTau => Box::new(OnlyTau),
            Self::TopKUtility => Box::new(TopKUtility::default()),
            Self::Uniform | Self::FixedInterval => Box::new(RoundRobin::default()),
            Self::Reference => Box::new(Reference),
            Self::EntryFrequency => Box::new(EntryFrequency::default()),
            Self::AdaptiveTtl => Box::new(AdaptiveTtl::default()),
            Self::Index => Box::new(Index::new(taste)),
            Self::Plan => return None,
        })
    }
}

impl FromStr for StrategyKind {
    type Err = Invalid;

    fn from_str(name: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| Invalid {
            what: "strategy",
            given: format!("`{name}`"),
            allowed: "one of fixed-interval, entry-frequency, adaptive-ttl, Uniform, OnlySat, \
                      OnlyTau, TopKUtility, 2Steps, index, plan, Reference",
        })
    }
}

/// Moves the `limit` highest candidates to `chosen`, highest first; of equal ones, the lower number
/// first. Returns the number of candidates.
fn take_highest(
    candidates: &mut Vec<(f64, usize)>,
    limit: usize,
    chosen: &mut Vec<usize>,
) -> usize {
    let demand = candidates.len();
    let order = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if candidates.len() > limit {
        if limit > 0 {
            candidates.select_nth_unstable_by(limit - 1, order);
        }
        candidates.truncate(limit);
    }
    candidates.sort_unstable_by(order);
    chosen.extend(candidates.iter().map(|&(_, source)| source));
    demand
}
