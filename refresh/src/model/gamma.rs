//! Gamma-Poisson: a belief about one rate as "so many items in so much time", forgetting with time.
//!
//! Unlike smoothing it weighs an observation by the time it spans, knows how little it knows at
//! first, and understands a full window: it adds what such a window stands for on average,
//! E\[N | N ≥ W\]. The best simple choice where items carry no dates.

use serde::{Deserialize, Serialize};

use super::{PublicationModel, bounded, constant_area};
use crate::counts::Distribution;
use crate::{DAY, Invalid, Observation};

/// Half an item of evidence never fades, so that a quiet source is not starved for ever.
pub(super) const PRIOR_ITEMS: f64 = 0.5;
/// The prior is never worth more than a week of looking, or a bad guess would take months to mend.
const MOST_PRIOR_TIME: f64 = 7.0 * DAY;
/// Evidence fades by the factor e in this time.
const MEMORY: f64 = 7.0 * DAY;

/// A Gamma distribution over one rate: `items` in `time`, besides the prior.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GammaPoisson {
    prior_time: f32,
    memory: f32,
    items: f32,
    time: f32,
}

impl GammaPoisson {
    /// Expects `prior` items per second until something was observed.
    pub fn new(prior: f64) -> Result<Self, Invalid> {
        let prior = bounded(Invalid::unless_not_negative("publication rate", prior)?);
        let prior_time = prior_time(prior) as f32;
        Ok(Self {
            prior_time,
            memory: MEMORY as f32,
            items: 0.0,
            time: 0.0,
        })
    }

    /// The same with another memory in seconds.
    pub fn with_memory(self, memory: f64) -> Result<Self, Invalid> {
        Ok(Self {
            memory: Invalid::unless_positive("memory in seconds", memory)? as f32,
            ..self
        })
    }
}

/// The time in which the prior's half item is expected.
pub(super) fn prior_time(rate: f64) -> f64 {
    (PRIOR_ITEMS / rate).min(MOST_PRIOR_TIME)
}

/// How an interval of `length` enters a belief that fades over `memory`: (what remains of the old,
/// what counts of the new). The start of a long interval has faded, too, by the time it is learnt.
pub(super) fn fading(length: f64, memory: f64) -> (f64, f64) {
    let kept = (-length / memory).exp();
    let counted = if length > 1e-6 * memory {
        (1.0 - kept) * memory / length
    } else {
        1.0
    };
    (kept, counted)
}

/// What a full window of `seen` items stands for on average when `mean` were expected. The rate
/// itself is uncertain, so the count varies more than Poisson: by the interval over the time that the
/// belief rests on. (At the Poisson variance a busy source would take weeks to be found out.)
pub(super) fn hidden_count(mean: f64, interval_over_evidence: f64, seen: f64) -> f64 {
    let counts = Distribution::bursty(mean.min(1e6), 1.0 + interval_over_evidence.min(100.0));
    counts.mean_given_at_least(seen as usize)
}

impl PublicationModel for GammaPoisson {
    fn expected(&self, from: f64, to: f64) -> f64 {
        self.mean_rate() * (to - from).max(0.0)
    }

    fn area(&self, from: f64, to: f64) -> f64 {
        constant_area(self.mean_rate(), from, to)
    }

    fn mean_rate(&self) -> f64 {
        bounded((PRIOR_ITEMS + f64::from(self.items)) / f64::from(self.prior_time + self.time))
    }

    fn learn(&mut self, observation: &Observation<'_>) {
        let Some(evidence) = observation.undated() else {
            return;
        };
        let mut count = evidence.count;
        if evidence.censored {
            let mean = self.mean_rate() * evidence.length();
            let weighed = f64::from(self.prior_time + self.time);
            count = hidden_count(mean, evidence.length() / weighed, count);
        }
        let (kept, counted) = fading(evidence.length(), f64::from(self.memory));
        self.items = (kept * f64::from(self.items) + counted * count).min(1e30) as f32;
        self.time = (kept * f64::from(self.time) + counted * evidence.length()).min(1e30) as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(at: f64, since: f64, new_items: u32, censored: bool) -> Observation<'static> {
        Observation {
            at,
            since: Some(since),
            new_items,
            window: 20,
            censored,
            dates: &[],
        }
    }

    #[test]
    fn evidence_is_weighed_by_the_time_it_spans() {
        let mut model = GammaPoisson::new(1.0).unwrap().with_memory(1e12).unwrap();
        model.learn(&seen(1.0, 0.0, 0, false));
        model.learn(&seen(100.0, 1.0, 50, false));
        // (0.5 + 0 + 50) items in (0.5 + 1 + 99) seconds
        assert!((model.mean_rate() - 50.5 / 100.5).abs() < 1e-6);
    }

    #[test]
    fn a_full_window_counts_for_more_than_its_items() {
        let learn = |censored| {
            let mut model = GammaPoisson::new(2.0).unwrap();
            model.learn(&seen(10.0, 0.0, 20, censored));
            model.mean_rate()
        };
        assert!(learn(true) > learn(false));
        // 20 were expected; E[N | N ≥ 20] for a mean of 20 is 23.36
        assert!(
            (learn(true) - (0.5 + 23.36) / 10.25).abs() < 0.01,
            "{}",
            learn(true)
        );
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
