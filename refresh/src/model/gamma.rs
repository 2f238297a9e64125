//! Gamma-Poisson: a belief about one rate (a number of items in a length of time) that fades with time.
//!
//! Unlike smoothing, it weighs an observation by its length, starts uncertain, and handles a full window
//! by Bayes' rule. It is the best simple model for items without dates.

use super::belief::{Prior, fading};
use super::publication::{PublicationModel, at_constant_rate, bounded};
use crate::error::Invalid;
use crate::observation::Observation;
use crate::time::DAY;

/// Evidence fades by a factor of e in this time.
const MEMORY: f64 = 7.0 * DAY;

/// A Gamma distribution over one rate: the prior, and `items` in `time`.
#[derive(Debug, Clone, PartialEq)]
pub struct GammaPoisson {
    pub(super) prior: Prior,
    pub(super) memory: f32,
    pub(super) items: f32,
    pub(super) time: f32,
}

impl GammaPoisson {
    /// Expects `prior` items per second until it learns otherwise.
    pub fn new(prior: f64) -> Result<Self, Invalid> {
        let prior = bounded(Invalid::unless_not_negative("publication rate", prior)?);
        let prior = Prior::of(prior);
        Ok(Self { prior, memory: MEMORY as f32, items: 0.0, time: 0.0 })
    }

    /// Sets the memory in seconds.
    pub fn with_memory(self, memory: f64) -> Result<Self, Invalid> {
        Ok(Self { memory: Invalid::unless_positive("memory in seconds", memory)? as f32, ..self })
    }
}

impl PublicationModel for GammaPoisson {
    fn divergence(&self, from: f64, to: f64) -> (f64, f64) {
        at_constant_rate(self.mean_rate(), from, to)
    }

    fn mean_rate(&self) -> f64 {
        self.prior.and(self.items, self.time).rate()
    }

    fn learn(&mut self, observation: &Observation<'_>) {
        let Some(evidence) = observation.undated() else {
            return;
        };
        let (kept, counted) = fading(evidence.length(), f64::from(self.memory));
        let (mut count, mut length) = (counted * evidence.count, counted * evidence.length());
        if evidence.censored {
            let belief = self.prior.and(self.items, self.time);
            (count, length) = belief.full_window(belief.rate() * evidence.length(), evidence.count);
        }
        self.items = (kept * f64::from(self.items) + count).min(1e30) as f32;
        self.time = (kept * f64::from(self.time) + length).min(1e30) as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(at: f64, since: f64, new_items: u32, censored: bool) -> Observation<'static> {
        Observation { at, since: Some(since), new_items, window: 20, censored, dates: &[] }
    }

    #[test]
    fn evidence_is_weighed_by_the_time_it_spans() {
        let mut model = GammaPoisson::new(1.0).unwrap().with_memory(1e12).unwrap();
        model.learn(&seen(1.0, 0.0, 0, false));
        model.learn(&seen(100.0, 1.0, 50, false));
        // (0.5 + 0 + 50) items in (0.5/51 + 1 + 99) seconds
        assert!((model.mean_rate() - 50.5 / (100.0 + 0.5 / 51.0)).abs() < 1e-6);
    }

    #[test]
    fn a_full_window_counts_for_more_than_its_items() {
        let learn = |censored| {
            let mut model = GammaPoisson::new(2.0).unwrap();
            model.learn(&seen(10.0, 0.0, 20, censored));
            model.mean_rate()
        };
        assert!(learn(true) > 1.5 * learn(false), "{} against {}", learn(true), learn(false));
    }

    #[test]
    fn an_old_habit_is_forgotten() {
        let mut model = GammaPoisson::new(1.0 / DAY).unwrap();
        let mut day = 0.0;
        let mut run = |model: &mut GammaPoisson, days: u32, items: u32| {
            for _ in 0..days {
                model.learn(&seen((day + 1.0) * DAY, day * DAY, items, false));
                day += 1.0;
            }
            model.mean_rate() * DAY
        };
        assert!(run(&mut model, 60, 40) > 35.0);
        assert!(run(&mut model, 60, 2) < 4.0);
    }
}
