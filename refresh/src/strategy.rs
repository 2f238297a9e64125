//! Strategies: which sources to refresh in a cycle.
//!
//! All of them are one of three kinds: the highest b by some score ([`highest`]), everything whose
//! score reaches the threshold ([`above`]), or a timetable ([`timetable`], [`plan`]). 2Steps is the
//! first kind for saturated sources and the second for the rest.

mod above;
mod foresight;
mod highest;
mod plan;
mod timetable;
mod two_steps;

use std::str::FromStr;

use above::{AdaptiveTtl, EntryFrequency, Index, OnlyTau};
pub(crate) use foresight::Decisions;
pub use foresight::Rule;
use highest::{OnlySat, TopKUtility};
use plan::Plan;
use timetable::{Reference, RoundRobin};
use two_steps::TwoSteps;

use crate::{Invalid, Knowledge, Observation, Sources, Taste};

/// What a strategy is told about the cycle it decides for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cycle {
    /// The instant of the decision.
    pub now: f64,
    /// Seconds until the next decision.
    pub length: f64,
    /// τ, or the price of a refresh.
    pub threshold: f64,
    /// b: refreshes per cycle on average.
    pub budget: f64,
    /// This cycle's share of the budget in whole refreshes.
    pub quota: usize,
    /// The most that may be chosen: burst limit and what is left after earlier bursts.
    pub limit: usize,
}

/// Chooses what to refresh.
pub trait Strategy<K: Knowledge>: Send {
    /// Appends the chosen sources to `chosen`, most urgent first, each once and at most
    /// `cycle.limit` of them. Returns the demand: how many it would have chosen without the limit.
    fn choose(&mut self, cycle: &Cycle, known: &K, chosen: &mut Vec<usize>) -> usize;

    /// Whether the last choice depended on the threshold. While first looks or saturated sources take
    /// the whole budget it does not, and nothing can be learnt about the threshold's right value.
    fn threshold_mattered(&self) -> bool {
        true
    }

    /// By what it will choose a source that was last looked at at `last`, as things stand.
    fn rule(&mut self, cycle: &Cycle, known: &K, source: usize, last: f64) -> Rule;

    /// What a refresh showed, for strategies that keep books of their own.
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
    /// Round robin.
    Uniform,
    /// Everything, always: what an unlimited budget would give.
    Reference,
    /// Every source at one interval: round robin by another name, as most feed readers do.
    FixedInterval,
    /// An interval by the number of entries of the last week, as some feed readers do.
    EntryFrequency,
    /// An interval by the age of the newest item.
    AdaptiveTtl,
    /// Everything whose index (the price at which waiting is as good) is above the price.
    Index,
    /// The first step of the cheapest timetable on the forecast.
    Plan,
}

impl StrategyKind {
    /// All of them, in the order in which tables list them.
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

    /// The strategy for sources whose divergence is estimated.
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

/// Moves the `limit` highest candidates to `chosen`, highest first; ties go to the lower number.
/// Returns how many candidates there were.
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
