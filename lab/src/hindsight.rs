//! An upper bound on every strategy: what a schedule that knows the future could reach.
//!
//! At a fixed price per refresh the best timetable of each source is a shortest path over its own
//! items, found exactly. By duality, what all sources gain at that price plus the price of the whole
//! budget is an upper bound on what any schedule within the budget can gain; the least of these bounds
//! over all prices is the one reported.

use pergola_refresh::limit::Objective;

use crate::world::{Stream, World};

/// A source, in the numbers that the bound needs.
struct Source {
    /// Items published by the end of each cycle, warm-up included.
    published: Vec<usize>,
    /// Relevant items among the first n.
    relevant: Vec<u32>,
    window: usize,
}

impl Source {
    fn new(stream: &Stream, world: &World) -> Self {
        let by_cycle =
            |cycle: usize| stream.times.partition_point(|&at| at <= cycle as f64 * world.cycle);
        let mut relevant = vec![0; stream.times.len() + 1];
        for (n, &wanted) in stream.relevant.iter().enumerate() {
            relevant[n + 1] = relevant[n] + u32::from(wanted);
        }
        let published = (0..=world.cycles).map(by_cycle).collect();
        Self { published, relevant, window: world.window }
    }

    /// Relevant items among those numbered `from` to `to`.
    fn wanted(&self, from: usize, to: usize) -> f64 {
        if from < to { f64::from(self.relevant[to] - self.relevant[from]) } else { 0.0 }
    }

    /// First item of the window after a cycle.
    fn window_start(&self, cycle: usize) -> usize {
        self.published[cycle].saturating_sub(self.window)
    }

    /// Relevant items that a refresh after cycle `to` finds, the last one having been after `from`.
    fn delivered(&self, from: usize, to: usize) -> f64 {
        self.wanted(self.window_start(to).max(self.published[from]), self.published[to])
    }

    /// Freshness after cycle `at` of a source last refreshed after cycle `last`.
    fn freshness(&self, last: usize, at: usize) -> f64 {
        let start = self.window_start(at);
        let shown = self.wanted(start, self.published[at]);
        if shown == 0.0 { 1.0 } else { self.wanted(start, self.published[last]) / shown }
    }

    /// The most that a timetable can gain in the measured cycles if a refresh has this price. The source was just
    /// refreshed at the start, and needs no refresh at the end.
    fn best(&self, objective: Objective, first: usize, price: f64) -> f64 {
        let cycles = self.published.len() - 1;
        // gains[i]: the most gained from a refresh after cycle first + i until the end.
        let mut gains = vec![0.0; cycles - first + 1];
        for from in (first..cycles).rev() {
            let (mut fresh, mut best) = (0.0, f64::NEG_INFINITY);
            for to in from + 1..=cycles {
                let gain = match objective {
                    Objective::Completeness => self.delivered(from, to),
                    // After the refresh in cycle `to` the whole window is held.
                    Objective::Freshness => fresh + 1.0,
                };
                best = f64::max(best, gain - price + gains[to - first]);
                fresh += self.freshness(from, to);
            }
            // Or no refresh any more.
            let rest = if objective == Objective::Freshness { fresh } else { 0.0 };
            gains[from - first] = best.max(rest);
        }
        gains[0]
    }
}

/// The bound on the mean quality over the measured cycles at `budget` refreshes per cycle.
pub(crate) fn hindsight(world: &World, budget: f64, objective: Objective) -> f64 {
    let sources: Vec<Source> = world.streams.iter().map(|s| Source::new(s, world)).collect();
    let (first, measured) = (world.warmup, world.measured() as f64);
    let whole = match objective {
        Objective::Completeness => sources
            .iter()
            .map(|s| s.wanted(s.published[first], s.published[world.cycles]))
            .sum::<f64>(),
        Objective::Freshness => measured * sources.len() as f64,
    };
    let bound = |price: f64| {
        let gained: f64 = sources.iter().map(|s| s.best(objective, first, price)).sum();
        (gained + price * budget * measured) / whole
    };
    // The bound is convex in the price: a search by thirds finds its least value.
    let (mut low, mut high) = (0.0, world.window as f64);
    for _ in 0..SEARCH_STEPS {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if bound(left) < bound(right) { high = right } else { low = left }
    }
    bound(0.5 * (low + high)).min(1.0)
}

/// Steps of the search. Any price gives a valid bound; more steps only make it tighter.
const SEARCH_STEPS: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    /// One source, windows of one, an item in each of four cycles.
    fn world() -> World {
        let times = vec![0.5, 1.5, 2.5, 3.5];
        let stream =
            Stream { relevant: vec![true; 4], times, rate: 1.0, selectivity: 1.0, hourly: None };
        World { streams: vec![stream], window: 1, cycle: 1.0, warmup: 0, cycles: 4 }
    }

    #[test]
    fn with_windows_of_one_half_the_budget_delivers_half_the_items() {
        let bound = hindsight(&world(), 0.5, Objective::Completeness);
        assert!((bound - 0.5).abs() < 0.01, "{bound}");
        assert!((hindsight(&world(), 1.0, Objective::Completeness) - 1.0).abs() < 0.01);
    }

    #[test]
    fn freshness_is_that_of_the_cycles_that_were_refreshed() {
        let bound = hindsight(&world(), 0.25, Objective::Freshness);
        assert!((bound - 0.25).abs() < 0.01, "{bound}");
    }
}
