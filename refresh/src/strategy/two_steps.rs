//! 2Steps, the strategy of "Best-Effort Refresh Strategies for Content-Based RSS Feed Aggregation":
//! first the saturated sources, which are losing items, then those whose utility reaches τ.
//!
//! The limit of the cycle also applies to the second step. The published algorithm has no such limit;
//! `Budget::unlimited_bursts` gives the published form. Two errors of the published algorithm are
//! corrected: with b saturated sources its second step divides by zero, and it considers sources that
//! the first step has already taken.

use super::{Cycle, Rule, Strategy, take_highest};
use crate::knowledge::Knowledge;

/// Saturated sources first, then everything whose utility reaches the threshold.
#[derive(Debug, Clone, Default)]
pub(crate) struct TwoSteps {
    saturated: Vec<(f64, usize)>,
    others: Vec<(f64, usize)>,
    /// Saturated sources took the whole budget of the cycle, and more were waiting.
    all_saturated: bool,
    /// The smoothed share of the budget that saturated sources take.
    saturated_share: f64,
}

/// The memory of that share in cycles.
const SHARE_MEMORY: f64 = 20.0;
/// The largest share used to predict the threshold of the second step.
const MOST_SHARE: f64 = 0.9;

impl<K: Knowledge> Strategy<K> for TwoSteps {
    fn choose(&mut self, cycle: &Cycle, known: &K, chosen: &mut Vec<usize>) -> usize {
        self.saturated.clear();
        self.others.clear();
        // One pass finds the saturated sources, and those that may pass the second step.
        for source in 0..known.len() {
            let outlook = known.outlook(source, cycle.now);
            if (outlook.saturated && outlook.relevant > 0.0) || outlook.utility >= cycle.threshold {
                if !known.ready(source, cycle.now) {
                    continue;
                }
                if outlook.saturated && outlook.relevant > 0.0 {
                    self.saturated.push((outlook.relevant, source));
                } else {
                    self.others.push((outlook.utility, source));
                }
            }
        }
        // Below one refresh per cycle most quotas are zero. Then take a saturated source as soon as the
        // limit allows it.
        let quota = cycle.quota.max(usize::from(cycle.budget < 1.0)).min(cycle.limit);
        let waiting = take_highest(&mut self.saturated, quota, chosen);
        let first = chosen.len();
        self.all_saturated = first > 0 && first == cycle.quota && waiting > first;
        let share = (first as f64 / cycle.budget).min(1.0);
        self.saturated_share += (share - self.saturated_share) / SHARE_MEMORY;
        let left = cycle.budget - first as f64;
        if left <= 0.0 {
            return first;
        }
        let threshold = cycle.threshold * cycle.budget / left;
        self.others.retain(|&(utility, _)| utility >= threshold);
        first + take_highest(&mut self.others, cycle.limit - first, chosen)
    }

    fn rule(&mut self, cycle: &Cycle, _: &K, _: usize, _: f64) -> Rule {
        let left = 1.0 - self.saturated_share.min(MOST_SHARE);
        Rule::Utility { least: cycle.threshold / left, saturated: true }
    }

    fn threshold_mattered(&self) -> bool {
        !self.all_saturated
    }
}
