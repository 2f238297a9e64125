//! Strategies that take the b highest scores: OnlySat (saturated sources) and TopKUtility (utility).

use super::{Cycle, Rule, Strategy, take_highest};
use crate::knowledge::Knowledge;

/// The first step of 2Steps alone: the b saturated sources with the most relevant items.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OnlySat;

impl<K: Knowledge> Strategy<K> for OnlySat {
    fn choose(&mut self, cycle: &Cycle, known: &K, chosen: &mut Vec<usize>) -> usize {
        let score = |source| {
            let outlook = known.outlook(source, cycle.now);
            if outlook.saturated { outlook.relevant } else { 0.0 }
        };
        choose_highest(cycle, known, score, chosen)
    }

    fn rule(&mut self, _: &Cycle, _: &K, _: usize, _: f64) -> Rule {
        Rule::Utility { least: f64::INFINITY, saturated: true }
    }
}

/// The b sources with the highest utility.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TopKUtility {
    /// The smoothed lowest utility that was chosen.
    enough: Option<f64>,
}

/// The memory of that utility in cycles.
const ENOUGH_MEMORY: f64 = 10.0;

impl<K: Knowledge> Strategy<K> for TopKUtility {
    fn choose(&mut self, cycle: &Cycle, known: &K, chosen: &mut Vec<usize>) -> usize {
        // Spend the whole budget even if nothing seems to wait: a refresh may still find items.
        let score = |source| known.outlook(source, cycle.now).utility + f64::MIN_POSITIVE;
        let before = chosen.len();
        let demand = choose_highest(cycle, known, score, chosen);
        if let Some(&last) = chosen.get(before..).and_then(<[_]>::last) {
            let least = score(last);
            let enough = self.enough.unwrap_or(least);
            // First refreshes have infinite utility and say nothing about the others.
            if least.is_finite() {
                self.enough = Some(enough + (least - enough) / ENOUGH_MEMORY);
            }
        }
        demand
    }

    fn rule(&mut self, cycle: &Cycle, _: &K, _: usize, _: f64) -> Rule {
        Rule::Utility { least: self.enough.unwrap_or(cycle.threshold), saturated: false }
    }
}

/// The sources with the highest positive scores, up to the quota.
fn choose_highest<K: Knowledge>(
    cycle: &Cycle,
    known: &K,
    score: impl Fn(usize) -> f64,
    chosen: &mut Vec<usize>,
) -> usize {
    let mut candidates: Vec<(f64, usize)> = (0..known.len())
        .filter(|&source| known.ready(source, cycle.now))
        .map(|source| (score(source), source))
        .filter(|&(score, _)| score > 0.0)
        .collect();
    let quota = cycle.quota.min(cycle.limit);
    take_highest(&mut candidates, quota, chosen).min(cycle.quota)
}
