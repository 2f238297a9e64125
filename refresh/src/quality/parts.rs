//! An estimate of quality taken apart into plain numbers, for whoever stores it.

use super::Estimate;
use crate::Invalid;

/// The parts of an [`Estimate`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct EstimateParts {
    /// Items delivered.
    pub delivered: f64,
    /// Items that full windows are believed to have hidden.
    pub lost: f64,
    /// Seconds, each counted by the share of the window that was missing.
    pub stale: f64,
    /// Seconds in all.
    pub time: f64,
}

impl Estimate {
    /// Takes the estimate apart.
    pub fn parts(&self) -> EstimateParts {
        let Self { delivered, lost, stale, time } = *self;
        EstimateParts { delivered, lost, stale, time }
    }

    /// Puts an estimate together.
    pub fn from_parts(parts: EstimateParts) -> Result<Self, Invalid> {
        let EstimateParts { delivered, lost, stale, time } = parts;
        for number in [delivered, lost, stale, time] {
            Invalid::unless(number.is_finite(), "estimate of quality", number, "a finite number")?;
        }
        Ok(Self { delivered, lost, stale, time })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_comes_back_from_its_parts_and_nonsense_does_not() {
        let mut estimate = Estimate::default();
        estimate.refreshed(3, 5.5, true, 0.25, 20, 3_600.0);
        let parts = estimate.parts();
        assert_eq!(Estimate::from_parts(parts).unwrap(), estimate);
        assert!(Estimate::from_parts(EstimateParts { lost: f64::NAN, ..parts }).is_err());
    }
}
