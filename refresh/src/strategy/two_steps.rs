//! 2Steps, the strategy of "Best-Effort Refresh Strategies for Content-Based RSS Feed Aggregation":
//! first the saturated sources, of which items are being lost, then those whose utility reaches τ.
//!
//! The second step is bounded by the cycle's limit. As printed it is not: an unlimited budget for
//! bursts ([`crate::Budget::unlimited_bursts`]) gives the printed form. Two slips of the printed
//! algorithm are mended here: with b saturated sources the second step would divide by zero, and it
//! would look at sources that the first has already taken.

use super::{Cycle, Rule, Strategy, take_highest};
use crate::Knowledge;

/// Saturated sources first, then everything whose utility reaches the threshold.
#[derive(Debug, Clone, Default)]
pub(crate) struct TwoSteps {
    saturated: Vec<(f64, usize)>,
    others: Vec<(f64, usize)>,
    /// More sources were saturated than the cycle's share of the budget, which they took.
    all_saturated: bool,
    /// Saturated sources per cycle of late, as a share of the budget.
    saturated_share: f64,
}

/// Cycles after which all but a third of that share is forgotten.
const SHARE_MEMORY: f64 = 20.0;
/// The second step's threshold is never foreseen higher than at this share.
const MOST_SHARE: f64 = 0.9;

impl<K: Knowledge> Strategy<K> for TwoSteps {
    fn choose(&mut self, cycle: &Cycle, known: &K, chosen: &mut Vec<usize>) -> usize {
        self.saturated.clear();
        self.others.clear();
        // One pass: what is saturated, and what could pass the second step at its lowest threshold.
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
        // Below one refresh per cycle most quotas are zero: a saturated source is then taken as soon
        // as the limit, which is paid back, allows.
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
