//! A belief about a rate as a Gamma distribution: a number of items in a length of time. The models that
//! learn by Bayes' rule share it.

use super::publication::bounded;
use crate::counts::{Distribution, bundle};
use crate::time::DAY;

/// Half an item of evidence never fades, so that a quiet source is never starved.
const PRIOR_ITEMS: f64 = 0.5;
/// The prior counts at most a week of observation, or it would take months to correct a bad guess.
const MOST_PRIOR_TIME: f64 = 7.0 * DAY;

/// The belief before any observation: half an item in some time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Prior {
    pub(super) time: f32,
}

impl Prior {
    pub(super) fn of(rate: f64) -> Self {
        Self { time: (PRIOR_ITEMS / rate).min(MOST_PRIOR_TIME) as f32 }
    }

    /// Adds observed items and time. Every item reduces the weight of the prior, which is a guess for
    /// sources without items: otherwise a busy source, observed for hours, would be mixed with a prior
    /// worth half a day.
    pub(super) fn and(self, items: f32, time: f32) -> Belief {
        let (items, time) = (f64::from(items), f64::from(time));
        Belief { items: PRIOR_ITEMS + items, time: f64::from(self.time) / (1.0 + items) + time }
    }
}

/// A Gamma distribution over a rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Belief {
    items: f64,
    time: f64,
}

impl Belief {
    pub(super) fn new(items: f64, time: f64) -> Self {
        Self { items, time }
    }

    /// The mean rate, items per second.
    pub(super) fn rate(self) -> f64 {
        bounded(self.items / self.time)
    }

    /// The (items, seconds) to add after a full window, when `expected` items were expected and at
    /// least `seen` were published.
    ///
    /// With u = true rate over believed rate, u ~ Gamma(items, items) and N | u ~ Poisson(u·expected),
    /// the first two moments of u given N ≥ seen are sums over a negative binomial. The Gamma with the
    /// same moments is the new belief. So a window that was certain to be full teaches nothing, and an
    /// unexpected full window raises the rate at once. (Adding E\[N | N ≥ seen\] would only confirm
    /// the old belief, and it would take weeks to detect a busy source.)
    pub(super) fn full_window(self, expected: f64, seen: f64) -> (f64, f64) {
        let Self { items, time } = self;
        let expected = expected.clamp(1e-9, 1e6);
        let bundle = bundle(seen);
        let counts = Distribution::bursty(expected / bundle, 1.0 + expected / items / bundle);
        let (mean, square) = counts.moments_given_at_least((seen / bundle) as usize);
        let (mean, square) = (mean * bundle, square * bundle * bundle);
        let scale = items + expected;
        let ratio = ((items + mean) / scale).max(1.0);
        let second =
            (square + (2.0 * items + 1.0) * mean + items * (items + 1.0)) / (scale * scale);
        let variance = (second - ratio * ratio).max(1e-12);
        let rate = ratio * items / time;
        // A more certain belief adds time at the new rate; a less certain one adds nothing.
        let more_time = (ratio * ratio / variance / rate - time).max(0.0);
        ((ratio - 1.0) * items + more_time * rate, more_time)
    }
}

/// The weights (of the old belief, of the new evidence) for an interval of `length` and a belief that
/// fades over `memory`. The start of a long interval has faded, too.
pub(super) fn fading(length: f64, memory: f64) -> (f64, f64) {
    let kept = (-length / memory).exp();
    let counted = if length > 1e-6 * memory { (1.0 - kept) * memory / length } else { 1.0 };
    (kept, counted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_that_was_certain_to_be_full_teaches_nothing() {
        let (items, time) = Belief { items: 100.0, time: 100.0 }.full_window(80.0, 20.0);
        assert!(items < 0.01 && time < 0.01, "{items} items in {time} s");
    }

    #[test]
    fn the_belief_after_a_full_window_has_the_moments_of_bayes_rule() {
        // A belief of 2 items in 4 s, 10 s watched, at least 8 seen: integrate numerically.
        let (shape, rate, span, seen) = (2.0, 4.0, 10.0, 8usize);
        let (mut weight, mut first) = (0.0, 0.0);
        for step in 1..40_000 {
            let lambda = f64::from(step) * 1e-3;
            let density = lambda.powf(shape - 1.0) * (-rate * lambda).exp();
            let likelihood = Distribution::poisson(lambda * span).at_least(seen);
            weight += density * likelihood;
            first += density * likelihood * lambda;
        }
        let (items, time) =
            Belief { items: shape, time: rate }.full_window(shape / rate * span, seen as f64);
        let mean = (shape + items) / (rate + time);
        assert!((mean - first / weight).abs() < 1e-3, "{mean} against {}", first / weight);
    }
}
