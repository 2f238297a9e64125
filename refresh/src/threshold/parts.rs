//! A threshold taken apart into plain numbers, for whoever stores it.

use super::{Controller, Threshold};
use crate::Invalid;

/// The parts of a [`Threshold`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThresholdParts {
    /// τ.
    pub value: f64,
    /// How it follows the spending.
    pub controller: Controller,
    /// Spending beyond the budget so far, in cycles of budget.
    pub excess: f64,
    /// Smoothed relative error of the spending.
    pub recent: f64,
    /// Times that the right value has still to be passed before the search for it ends.
    pub searching: u8,
    /// Cycles since it was passed last.
    pub since_passing: f64,
}

impl Threshold {
    /// Takes the threshold apart.
    pub fn parts(&self) -> ThresholdParts {
        let Self { value, controller, excess, recent, searching, since_passing } = *self;
        ThresholdParts { value, controller, excess, recent, searching, since_passing }
    }

    /// Puts a threshold together.
    pub fn from_parts(parts: ThresholdParts) -> Result<Self, Invalid> {
        let ThresholdParts { value, controller, excess, recent, searching, since_passing } = parts;
        for (what, number) in [("excess", excess), ("error of the spending", recent)] {
            Invalid::unless(number.is_finite(), what, number, "a finite number")?;
        }
        Invalid::unless_not_negative("cycles since the right threshold", since_passing)?;
        Ok(Self { excess, recent, searching, since_passing, ..Self::new(value, controller)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spending;

    #[test]
    fn a_threshold_comes_back_from_its_parts_and_nonsense_does_not() {
        let mut threshold = Threshold::new(3.0, Controller::Steady { horizon: 1440.0 }).unwrap();
        threshold.adjust(&Spending { spent: 7, demand: 9, budget: 2.0, everything: false });
        let parts = threshold.parts();
        assert_eq!(Threshold::from_parts(parts).unwrap(), threshold);
        assert!(Threshold::from_parts(ThresholdParts { value: f64::NAN, ..parts }).is_err());
        assert!(Threshold::from_parts(ThresholdParts { recent: f64::INFINITY, ..parts }).is_err());
    }
}
