//! Runs an experiment for many seeds on all cores, and averages the results.
//!
//! It runs seeds (or settings of one seed) in parallel, but never parts of one run: the result depends on the seed
//! and not on the number of cores.

use std::sync::atomic::{AtomicU64, Ordering};

use pergola_refresh::Invalid;
use rayon::prelude::*;

use crate::report::Cell;
use crate::report::progress::Progress;
use crate::simulate::{Outcome, Run, simulate};
use crate::world::World;

/// The seeds of an experiment, and a count of the work done.
pub(crate) struct Lab {
    /// The first seed.
    pub(crate) seed: u64,
    /// The number of seeds; each gives one world.
    pub(crate) seeds: u64,
    source_cycles: AtomicU64,
    events: AtomicU64,
}

impl Lab {
    pub(crate) fn new(seed: u64, seeds: u64) -> Self {
        Self { seed, seeds, source_cycles: AtomicU64::new(0), events: AtomicU64::new(0) }
    }

    /// Plays a run and counts its source-cycles.
    pub(crate) fn simulate(&self, world: &World, run: &Run) -> Result<Outcome, Invalid> {
        self.count(world.streams.len() * world.cycles);
        simulate(world, run)
    }

    /// Counts source-cycles that were simulated elsewhere.
    pub(crate) fn count(&self, source_cycles: usize) {
        self.source_cycles.fetch_add(source_cycles as u64, Ordering::Relaxed);
    }

    /// Counts events of a mesh.
    pub(crate) fn count_events(&self, events: u64) {
        self.events.fetch_add(events, Ordering::Relaxed);
    }

    pub(crate) fn events(&self) -> u64 {
        self.events.load(Ordering::Relaxed)
    }

    pub(crate) fn source_cycles(&self) -> u64 {
        self.source_cycles.load(Ordering::Relaxed)
    }

    pub(crate) fn each_seed(&self) -> impl Iterator<Item = u64> + use<> {
        let first = self.seed;
        (0..self.seeds).map(move |n| first.wrapping_add(n))
    }

    /// One result per seed, in the order of the seeds.
    pub(crate) fn for_each_seed<T: Send>(
        &self,
        f: impl Fn(u64) -> Result<T, Invalid> + Sync,
    ) -> Result<Vec<T>, Invalid> {
        let seeds: Vec<u64> = self.each_seed().collect();
        self.for_each("worlds", &seeds, |&seed| f(seed))
    }

    /// One result per setting, in their order, with a progress bar on a terminal.
    pub(crate) fn for_each<S: Sync, T: Send>(
        &self,
        what: &str,
        settings: &[S],
        f: impl Fn(&S) -> Result<T, Invalid> + Sync,
    ) -> Result<Vec<T>, Invalid> {
        let progress = Progress::new(settings.len() as u64, what);
        settings
            .par_iter()
            .map(|setting| {
                let result = f(setting);
                progress.step();
                result
            })
            .collect()
    }
}

/// A mean over worlds, and the standard deviation of one world.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub(crate) struct Spread {
    pub(crate) mean: f64,
    pub(crate) deviation: f64,
}

impl Spread {
    /// The spread of one figure over many results.
    pub(crate) fn of<T>(results: &[T], figure: impl Fn(&T) -> f64) -> Self {
        let count = results.len().max(1) as f64;
        let mean = results.iter().map(&figure).sum::<f64>() / count;
        let squares: f64 = results.iter().map(|result| (figure(result) - mean).powi(2)).sum();
        Self { mean, deviation: (squares / (count - 1.0).max(1.0)).sqrt() }
    }

    pub(crate) fn cell(self, decimals: usize) -> Cell {
        Cell::MeanDeviation { mean: self.mean, deviation: self.deviation, decimals }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deviation_is_that_of_a_sample() {
        let spread = Spread::of(&[1.0, 2.0, 3.0], |&value| value);
        assert_eq!((spread.mean, spread.deviation), (2.0, 1.0));
        assert_eq!(Spread::of(&[4.0], |&value| value).deviation, 0.0);
    }

    #[test]
    fn results_come_in_the_order_of_the_seeds_whatever_the_cores() {
        let lab = Lab::new(5, 40);
        let seeds = lab.for_each_seed(Ok).unwrap();
        assert_eq!(seeds, (5..45).collect::<Vec<_>>());
    }
}
