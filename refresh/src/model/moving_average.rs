//! The moving average, the simplest approach: the number of items of the last few productive refreshes
//! over the time they took. While nothing is new, the time grows.

use super::publication::{PublicationModel, at_constant_rate, bounded};
use crate::error::Invalid;
use crate::observation::Observation;

/// Refreshes with new items that are remembered.
const MEMORY: usize = 8;

/// The mean interval between the last new items.
#[derive(Debug, Clone, PartialEq)]
pub struct MovingAverage {
    pub(super) prior: f32,
    pub(super) counts: [f32; MEMORY],
    pub(super) spans: [f32; MEMORY],
    pub(super) next: u8,
    /// Time since the last refresh that found items.
    pub(super) idle: f32,
}

impl MovingAverage {
    /// Expects `prior` items per second until it learns otherwise.
    pub fn new(prior: f64) -> Result<Self, Invalid> {
        let prior = Invalid::unless_not_negative("publication rate", prior)?;
        let none = [0.0; MEMORY];
        Ok(Self { prior: bounded(prior) as f32, counts: none, spans: none, next: 0, idle: 0.0 })
    }
}

impl PublicationModel for MovingAverage {
    fn divergence(&self, from: f64, to: f64) -> (f64, f64) {
        at_constant_rate(self.mean_rate(), from, to)
    }

    fn mean_rate(&self) -> f64 {
        let items: f32 = self.counts.iter().sum();
        let time: f32 = self.spans.iter().sum::<f32>() + self.idle;
        if items > 0.0 {
            bounded(f64::from(items) / f64::from(time).max(1e-3))
        } else {
            // As if there had been one item at the prior rate just before.
            bounded(1.0 / (1.0 / f64::from(self.prior) + f64::from(self.idle)))
        }
    }

    fn learn(&mut self, observation: &Observation<'_>) {
        let Some(evidence) = observation.undated() else {
            return;
        };
        let span = (f64::from(self.idle) + evidence.length()).min(1e30) as f32;
        if evidence.count == 0.0 {
            self.idle = span;
            return;
        }
        let slot = usize::from(self.next);
        self.counts[slot] = evidence.count as f32;
        self.spans[slot] = span;
        self.next = ((slot + 1) % MEMORY) as u8;
        self.idle = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(at: f64, since: f64, new_items: u32) -> Observation<'static> {
        Observation { at, since: Some(since), new_items, window: 20, censored: false, dates: &[] }
    }

    #[test]
    fn empty_refreshes_lengthen_the_interval_of_the_next_item() {
        let mut model = MovingAverage::new(1.0).unwrap();
        model.learn(&seen(10.0, 0.0, 5));
        assert_eq!(model.mean_rate(), 0.5);
        model.learn(&seen(40.0, 10.0, 0));
        assert_eq!(model.mean_rate(), 5.0 / 40.0);
        model.learn(&seen(60.0, 40.0, 1));
        assert_eq!(model.mean_rate(), 6.0 / 60.0);
    }
}
