//! A constant rate.

use super::publication::{PublicationModel, at_constant_rate, bounded};
use crate::error::Invalid;
use crate::observation::Observation;

/// A known rate that no observation changes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Constant {
    pub(super) rate: f32,
}

impl Constant {
    /// `rate` is in items per second.
    pub fn new(rate: f64) -> Result<Self, Invalid> {
        let rate = Invalid::unless_not_negative("publication rate", rate)?;
        Ok(Self { rate: bounded(rate) as f32 })
    }
}

impl PublicationModel for Constant {
    fn divergence(&self, from: f64, to: f64) -> (f64, f64) {
        at_constant_rate(f64::from(self.rate), from, to)
    }

    fn mean_rate(&self) -> f64 {
        f64::from(self.rate)
    }

    fn learn(&mut self, _: &Observation<'_>) {}
}
