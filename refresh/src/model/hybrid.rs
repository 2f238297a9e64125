//! The hybrid model: a single variable and a periodic table learn in parallel, and the one with the
//! smaller errors over the last few refreshes predicts. (A single error would be noise.)

use super::publication::PublicationModel;
use super::{Periodic, SingleVariable};
use crate::observation::Observation;

/// Refreshes over which the errors are compared.
const MEMORY: usize = 5;

/// Two models and their recent absolute errors.
#[derive(Debug, Clone, PartialEq)]
pub struct Hybrid {
    pub(super) single: SingleVariable,
    pub(super) periodic: Periodic,
    pub(super) single_errors: [f32; MEMORY],
    pub(super) periodic_errors: [f32; MEMORY],
    pub(super) next: u8,
}

impl Hybrid {
    pub fn new(single: SingleVariable, periodic: Periodic) -> Self {
        let none = [0.0; MEMORY];
        Self { single, periodic, single_errors: none, periodic_errors: none, next: 0 }
    }

    /// Whether the periodic table predicts now.
    pub fn is_periodic(&self) -> bool {
        self.periodic_errors.iter().sum::<f32>() < self.single_errors.iter().sum::<f32>()
    }

    fn current(&self) -> &dyn PublicationModel {
        if self.is_periodic() { &self.periodic } else { &self.single }
    }
}

impl PublicationModel for Hybrid {
    fn divergence(&self, from: f64, to: f64) -> (f64, f64) {
        self.current().divergence(from, to)
    }

    fn mean_rate(&self) -> f64 {
        self.current().mean_rate()
    }

    fn learn(&mut self, observation: &Observation<'_>) {
        let Some(evidence) = observation.undated() else {
            return;
        };
        let error = |model: &dyn PublicationModel| {
            (model.expected(evidence.from, evidence.to) - evidence.count).abs().min(1e30) as f32
        };
        let slot = usize::from(self.next);
        self.single_errors[slot] = error(&self.single);
        self.periodic_errors[slot] = error(&self.periodic);
        self.next = ((slot + 1) % MEMORY) as u8;
        self.single.learn(observation);
        self.periodic.learn(observation);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::HOUR;

    #[test]
    fn it_switches_to_the_table_for_a_source_that_publishes_at_one_hour_only() {
        let single = SingleVariable::new(1.0 / HOUR, 0.2).unwrap();
        let mut model = Hybrid::new(single, Periodic::daily(1.0 / HOUR, 0.2).unwrap());
        for hour in 0..24 * 14 {
            let (since, at) = (f64::from(hour) * HOUR, f64::from(hour + 1) * HOUR);
            let new_items = if hour % 24 == 9 { 24 } else { 0 };
            let window = 50;
            model.learn(&Observation {
                at,
                since: Some(since),
                new_items,
                window,
                censored: false,
                dates: &[],
            });
        }
        // Just before the busy hour, when the table has been right for nine hours.
        assert!(model.is_periodic());
    }
}
