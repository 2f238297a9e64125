//! Strategies that refresh everything whose score reaches the threshold: OnlyTau and the index.

use super::{Cycle, Rule, Strategy, take_highest};
use crate::knowledge::{Knowledge, Taste};

/// The second step of 2Steps alone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OnlyTau;

impl<K: Knowledge> Strategy<K> for OnlyTau {
    fn choose(&mut self, cycle: &Cycle, known: &K, chosen: &mut Vec<usize>) -> usize {
        choose_above(cycle, known, |source| known.outlook(source, cycle.now).utility, chosen)
    }

    fn rule(&mut self, cycle: &Cycle, _: &K, _: usize, _: f64) -> Rule {
        Rule::Utility { least: cycle.threshold, saturated: false }
    }
}

/// Everything whose index reaches the price.
///
/// The index is the price at which refreshing now and waiting are equally good. It is the sum of the
/// costs of lost items and of the missing part of the window; 2Steps is the lexicographic version of
/// this sum.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Index {
    taste: Taste,
}

impl Index {
    pub(crate) fn new(taste: Taste) -> Self {
        Self { taste }
    }
}

impl<K: Knowledge> Strategy<K> for Index {
    fn choose(&mut self, cycle: &Cycle, known: &K, chosen: &mut Vec<usize>) -> usize {
        let score = |source| known.index(source, cycle.now, &self.taste);
        choose_above(cycle, known, score, chosen)
    }

    fn rule(&mut self, cycle: &Cycle, _: &K, _: usize, _: f64) -> Rule {
        Rule::Index { least: cycle.threshold, taste: self.taste }
    }
}

/// Everything whose score reaches the threshold, up to the limit, highest first.
pub(super) fn choose_above<K: Knowledge>(
    cycle: &Cycle,
    known: &K,
    score: impl Fn(usize) -> f64,
    chosen: &mut Vec<usize>,
) -> usize {
    let mut candidates: Vec<(f64, usize)> = (0..known.len())
        .map(|source| (score(source), source))
        .filter(|&(score, source)| score >= cycle.threshold && known.ready(source, cycle.now))
        .collect();
    take_highest(&mut candidates, cycle.limit, chosen)
}
