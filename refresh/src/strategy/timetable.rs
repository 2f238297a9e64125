//! Strategies without knowledge: round robin (Uniform, and the fixed interval of feed readers) and
//! everything in every cycle (Reference).

use super::{Cycle, Rule, Strategy};
use crate::knowledge::Knowledge;

/// Each source in turn, once in m/b cycles.
#[derive(Debug, Clone, Default)]
pub(crate) struct RoundRobin {
    next: usize,
}

impl<K: Knowledge> Strategy<K> for RoundRobin {
    fn choose(&mut self, cycle: &Cycle, known: &K, chosen: &mut Vec<usize>) -> usize {
        let sources = known.len();
        let wanted = cycle.quota.min(cycle.limit);
        // Skips sources that are held back, and stops after a full round.
        for _ in 0..sources {
            if chosen.len() == wanted {
                break;
            }
            let source = self.next % sources;
            self.next = (source + 1) % sources;
            if known.ready(source, cycle.now) {
                chosen.push(source);
            }
        }
        chosen.len()
    }

    fn rule(&mut self, cycle: &Cycle, known: &K, source: usize, _: f64) -> Rule {
        let sources = known.len().max(1);
        let in_turn = (source + sources - self.next % sources) % sources;
        // The next decision takes the first b sources in turn, the one after it the next b.
        let at = cycle.now + (in_turn as f64 / cycle.budget).floor() * cycle.length;
        Rule::Timetable { at: vec![at], then: sources as f64 / cycle.budget * cycle.length }
    }
}

/// Every source in every cycle, as with an unlimited budget.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reference;

impl<K: Knowledge> Strategy<K> for Reference {
    fn choose(&mut self, cycle: &Cycle, known: &K, chosen: &mut Vec<usize>) -> usize {
        chosen.extend((0..known.len()).filter(|&source| known.ready(source, cycle.now)));
        chosen.truncate(cycle.limit);
        chosen.len()
    }

    fn rule(&mut self, _: &Cycle, _: &K, _: usize, _: f64) -> Rule {
        Rule::Interval(0.0)
    }
}
