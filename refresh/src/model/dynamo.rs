//! Dynamo: the time between updates, exponentially smoothed with the best-fitting weight.
//!
//! τ' = α·τ + (1 − α)·t, where t is the time between two updates and α the weight of the *old* value. α
//! is the weight that predicts the last intervals with the smallest mean squared error; golden-section
//! search finds it, again and again as the series grows. The model comes from "Adaptive Web Data
//! Extraction Policies", which is about HTML pages that change as a whole. Here an update is a refresh
//! that found items, and the number of items is smoothed in the same way.

use std::collections::VecDeque;

use super::publication::{PublicationModel, at_constant_rate, bounded};
use crate::error::Invalid;
use crate::observation::Observation;

/// Intervals remembered.
const MEMORY: usize = 32;
/// Intervals needed for the first search of α, and new ones for each further search.
const ENOUGH: usize = 6;
const AGAIN: u8 = 4;
/// α before the first search.
const ALPHA: f64 = 0.5;
/// Precision of the search; the error is flat around the best α.
const TOLERANCE: f64 = 1e-3;

/// The smoothed interval of one source.
#[derive(Debug, Clone, PartialEq)]
pub struct Dynamo {
    /// τ in seconds.
    pub(super) interval: f64,
    /// Items in an update, smoothed with the same weight.
    pub(super) items: f64,
    pub(super) alpha: f64,
    /// The last intervals, oldest first.
    pub(super) series: VecDeque<f32>,
    /// New intervals since the last search of α.
    pub(super) unsought: u8,
    /// Time since the last refresh that found items.
    pub(super) idle: f64,
}

impl Dynamo {
    /// Expects `prior` items per second until it learns otherwise.
    pub fn new(prior: f64) -> Result<Self, Invalid> {
        let prior = bounded(Invalid::unless_not_negative("publication rate", prior)?);
        Ok(Self {
            interval: 1.0 / prior,
            items: 1.0,
            alpha: ALPHA,
            series: VecDeque::new(),
            unsought: 0,
            idle: 0.0,
        })
    }

    /// α, the weight of the old value.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// τ, the expected time between two updates in seconds.
    pub fn interval(&self) -> f64 {
        self.interval
    }
}

impl PublicationModel for Dynamo {
    fn divergence(&self, from: f64, to: f64) -> (f64, f64) {
        at_constant_rate(self.mean_rate(), from, to)
    }

    fn mean_rate(&self) -> f64 {
        // A source that has been silent for longer than τ is slower than expected.
        bounded(self.items / self.interval.max(self.idle).max(1e-3))
    }

    fn learn(&mut self, observation: &Observation<'_>) {
        let Some(evidence) = observation.dated() else {
            return;
        };
        let time = self.idle + evidence.length();
        if evidence.count == 0.0 {
            self.idle = time;
            return;
        }
        self.idle = 0.0;
        self.series.push_back(time as f32);
        if self.series.len() > MEMORY {
            self.series.pop_front();
        }
        self.unsought = self.unsought.saturating_add(1);
        if self.series.len() >= ENOUGH && self.unsought >= AGAIN {
            self.unsought = 0;
            let series: Vec<f64> = self.series.iter().map(|&time| f64::from(time)).collect();
            self.alpha = best_weight(&series, TOLERANCE).alpha;
        }
        // The first interval replaces the prior. A weight of 1 would never learn anything.
        let alpha = if self.series.len() == 1 { 0.0 } else { self.alpha.min(0.95) };
        self.interval = alpha * self.interval + (1.0 - alpha) * time;
        self.items = alpha * self.items + (1.0 - alpha) * evidence.count;
    }
}

/// The mean squared error of predicting each interval of a series by smoothing the intervals before it
/// with weight α, starting at the first. A series of fewer than two intervals has no error.
pub fn prediction_error(series: &[f64], alpha: f64) -> f64 {
    let Some((&first, rest)) = series.split_first() else {
        return 0.0;
    };
    let mut smoothed = first;
    let mut sum = 0.0;
    for &time in rest {
        sum += (time - smoothed).powi(2);
        smoothed = alpha * smoothed + (1.0 - alpha) * time;
    }
    sum / rest.len().max(1) as f64
}

/// The result of [`best_weight`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestWeight {
    /// The weight of the old value.
    pub alpha: f64,
    /// The mean squared error.
    pub error: f64,
    /// How many times the error was computed.
    pub evaluations: usize,
}

/// The α with the smallest mean squared error over a series, within `tolerance`.
///
/// Golden-section search finds *a* minimum, but the error of a series can have two. So we first try nine
/// evenly spaced points, and then search around the best of them.
pub fn best_weight(series: &[f64], tolerance: f64) -> BestWeight {
    const CUTS: usize = 8;
    let tolerance = tolerance.clamp(1e-6, 0.1);
    let mut evaluations = 0;
    let mut error = |alpha: f64| {
        evaluations += 1;
        prediction_error(series, alpha)
    };
    let mut best = (0.0, f64::INFINITY);
    for cut in 0..=CUTS {
        let alpha = cut as f64 / CUTS as f64;
        let found = error(alpha);
        if found < best.1 {
            best = (alpha, found);
        }
    }
    let step = 1.0 / CUTS as f64;
    let (mut low, mut high) = ((best.0 - step).max(0.0), (best.0 + step).min(1.0));
    // 1/φ: each step keeps this share of the interval, and one of its two points.
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    let (mut left, mut right) = (high - golden * (high - low), low + golden * (high - low));
    let (mut error_left, mut error_right) = (error(left), error(right));
    while high - low > tolerance {
        if error_left <= error_right {
            high = right;
            (right, error_right) = (left, error_left);
            left = high - golden * (high - low);
            error_left = error(left);
        } else {
            low = left;
            (left, error_left) = (right, error_right);
            right = low + golden * (high - low);
            error_right = error(right);
        }
    }
    for found in [(left, error_left), (right, error_right)] {
        if found.1 < best.1 {
            best = found;
        }
    }
    BestWeight { alpha: best.0, error: best.1, evaluations }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(at: f64, since: f64, new_items: u32) -> Observation<'static> {
        Observation { at, since: Some(since), new_items, window: 20, censored: false, dates: &[] }
    }

    #[test]
    fn the_error_is_that_of_the_printed_recurrence() {
        // Smoothed 4, then ½·4 + ½·8 = 6: errors 4 and −4.
        assert_eq!(prediction_error(&[4.0, 8.0, 2.0], 0.5), 16.0);
        assert_eq!(prediction_error(&[4.0, 8.0, 2.0], 0.0), (16.0 + 36.0) / 2.0);
        assert_eq!(prediction_error(&[4.0], 0.5), 0.0);
        assert_eq!(prediction_error(&[], 0.5), 0.0);
    }

    #[test]
    fn noise_needs_a_long_memory_and_drift_a_short_one() {
        let noise: Vec<f64> = (0..40).map(|n| 10.0 + f64::from(n * 7919 % 13)).collect();
        let drift: Vec<f64> = (0..40).map(|n| 10.0 + f64::from(n)).collect();
        assert!(best_weight(&noise, 1e-3).alpha > 0.7);
        assert!(best_weight(&drift, 1e-3).alpha < 0.01);
    }

    #[test]
    fn the_interval_is_smoothed_and_silence_slows_the_rate() {
        let mut model = Dynamo::new(1.0).unwrap();
        model.learn(&seen(10.0, 0.0, 1));
        assert_eq!((model.interval(), model.mean_rate()), (10.0, 0.1));
        model.learn(&seen(30.0, 10.0, 1));
        assert_eq!(model.interval(), 15.0);
        model.learn(&seen(90.0, 30.0, 0));
        assert_eq!(model.mean_rate(), 1.0 / 60.0);
        // 80 s after the last update: ½·15 + ½·80.
        model.learn(&seen(110.0, 90.0, 1));
        assert_eq!(model.interval(), 47.5);
    }

    #[test]
    fn the_weight_is_searched_once_there_is_a_series() {
        let mut model = Dynamo::new(1.0).unwrap();
        let mut at = 0.0;
        for n in 0..40 {
            let time = 100.0 + f64::from(n * 7919 % 13);
            model.learn(&seen(at + time, at, 2));
            at += time;
        }
        assert_ne!(model.alpha(), ALPHA);
        assert!((model.mean_rate() / (2.0 / 106.0) - 1.0).abs() < 0.1, "{}", model.mean_rate());
    }
}
