//! The interface of all publication models, and the range of their rates.

use crate::observation::Observation;
use crate::time::DAY;

/// The lowest rate: one item in ten years.
pub(crate) const RATE_FLOOR: f64 = 1.0 / (3650.0 * DAY);
/// The highest rate: ten thousand items a second.
pub(crate) const RATE_CEILING: f64 = 1e4;

/// Limits a rate to the valid range; NaN becomes the lowest rate.
pub(crate) fn bounded(rate: f64) -> f64 {
    if rate.is_nan() { RATE_FLOOR } else { rate.clamp(RATE_FLOOR, RATE_CEILING) }
}

/// A publication model. Times are in seconds, and `from ≤ to`.
pub trait PublicationModel {
    /// The stream divergence (items expected to be published in `(from, to]`) and the area under it
    /// (the integral over x in `(from, to]` of the divergence from `from` to x).
    fn divergence(&self, from: f64, to: f64) -> (f64, f64);

    /// Items expected to be published in `(from, to]`.
    fn expected(&self, from: f64, to: f64) -> f64 {
        self.divergence(from, to).0
    }

    /// Items per second, averaged over the period of the model.
    fn mean_rate(&self) -> f64;

    /// Learns from one refresh.
    fn learn(&mut self, observation: &Observation<'_>);

    /// Fills `bins` with the items expected in each of the equal steps after `from`.
    fn forecast(&self, from: f64, step: f64, bins: &mut [f64]) {
        for (index, bin) in bins.iter_mut().enumerate() {
            let start = from + index as f64 * step;
            *bin = self.expected(start, start + step);
        }
    }
}

/// The divergence λ·Δ and its area ½·λ·Δ² at a constant rate.
#[inline]
pub(crate) fn at_constant_rate(rate: f64, from: f64, to: f64) -> (f64, f64) {
    let age = (to - from).max(0.0);
    (rate * age, 0.5 * rate * age * age)
}
