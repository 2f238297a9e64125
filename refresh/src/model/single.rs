//! The single variable model: one rate, exponentially smoothed, optionally with a smoothing factor that
//! adapts to the errors (dynamic α).
//!
//! Full windows bias it, and it weighs a refresh after a minute like one after a day. It is here because
//! the papers use it and because it is the baseline for all other models.

use super::publication::{PublicationModel, at_constant_rate, bounded};
use crate::error::Invalid;
use crate::observation::Observation;

/// Errors that the dynamic factor compares: the last 3 with the last 10.
const SHORT: usize = 3;
const LONG: usize = 10;
/// The range of the dynamic factor.
const LEAST_ALPHA: f32 = 0.01;
const MOST_ALPHA: f32 = 0.5;

/// λ' = α·x/ΔT + (1 − α)·λ.
#[derive(Debug, Clone, PartialEq)]
pub struct SingleVariable {
    pub(super) rate: f32,
    /// Weight of the new observation.
    pub(super) alpha: f32,
    pub(super) dynamic: Option<RecentErrors>,
}

impl SingleVariable {
    /// `rate` is the initial rate in items per second, `alpha` the weight of each new observation.
    pub fn new(rate: f64, alpha: f64) -> Result<Self, Invalid> {
        let rate = Invalid::unless_not_negative("publication rate", rate)?;
        let alpha = Invalid::unless_share("smoothing factor", alpha)?;
        Ok(Self { rate: bounded(rate) as f32, alpha: alpha as f32, dynamic: None })
    }

    /// Adapts the smoothing factor to the stability of the errors.
    pub fn dynamic(self) -> Self {
        Self { dynamic: Some(RecentErrors::default()), ..self }
    }

    /// The weight of the next observation.
    pub fn alpha(&self) -> f64 {
        f64::from(self.alpha)
    }
}

impl PublicationModel for SingleVariable {
    fn divergence(&self, from: f64, to: f64) -> (f64, f64) {
        at_constant_rate(f64::from(self.rate), from, to)
    }

    fn mean_rate(&self) -> f64 {
        f64::from(self.rate)
    }

    fn learn(&mut self, observation: &Observation<'_>) {
        let Some(evidence) = observation.undated() else {
            return;
        };
        if let Some(errors) = &mut self.dynamic {
            let predicted = f64::from(self.rate) * evidence.length();
            errors.push((evidence.count - predicted).abs());
            self.alpha = errors.adjusted(self.alpha);
        }
        let alpha = f64::from(self.alpha);
        let seen = evidence.count / evidence.length();
        self.rate = bounded(alpha * seen + (1.0 - alpha) * f64::from(self.rate)) as f32;
    }
}

/// A ring buffer of the last errors.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct RecentErrors {
    pub(super) ring: [f32; LONG],
    pub(super) seen: u32,
}

impl RecentErrors {
    fn push(&mut self, error: f64) {
        self.ring[self.seen as usize % LONG] = error.min(1e30) as f32;
        // Wraps around to a full ring.
        self.seen = self.seen.checked_add(1).unwrap_or(LONG as u32);
    }

    /// The stability is the mean of the last few errors over the mean of many. Below 0.9 the model
    /// improves and α shrinks; above 1.1 it gets worse and α grows.
    fn adjusted(&self, alpha: f32) -> f32 {
        if (self.seen as usize) < LONG {
            return alpha;
        }
        let newest = (self.seen as usize - 1) % LONG;
        let recent: f32 =
            (0..SHORT).map(|back| self.ring[(newest + LONG - back) % LONG]).sum::<f32>();
        let all: f32 = self.ring.iter().sum();
        let stability = (recent / SHORT as f32) / (all / LONG as f32).max(1e-6);
        let factor = match stability {
            s if s < 0.9 => 0.9,
            s if s > 1.1 => 1.1,
            _ => 1.0,
        };
        (alpha * factor).clamp(LEAST_ALPHA, MOST_ALPHA)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(at: f64, since: f64, new_items: u32) -> Observation<'static> {
        Observation { at, since: Some(since), new_items, window: 20, censored: false, dates: &[] }
    }

    #[test]
    fn one_observation_moves_the_rate_by_alpha() {
        let mut model = SingleVariable::new(1.0, 0.25).unwrap();
        model.learn(&seen(10.0, 0.0, 30));
        assert_eq!(model.mean_rate(), 0.25 * 3.0 + 0.75 * 1.0);
        assert_eq!(model.divergence(0.0, 4.0), (6.0, 12.0));
    }

    #[test]
    fn dynamic_alpha_grows_when_the_source_changes_and_shrinks_when_it_is_steady() {
        let mut model = SingleVariable::new(1.0, 0.1).unwrap().dynamic();
        let mut at = 0.0;
        let mut run = |model: &mut SingleVariable, counts: &[u32]| {
            for &count in counts {
                model.learn(&seen(at + 10.0, at, count));
                at += 10.0;
            }
            model.alpha()
        };
        let settled = run(&mut model, &[30; 30]);
        assert!(settled < 0.1, "errors shrink while it learns the new level: {settled}");
        let upset = run(&mut model, &[200; 3]);
        assert!(upset > settled, "a jump must raise α: {upset} after {settled}");
    }

    #[test]
    fn invalid_settings_are_rejected_by_name() {
        let error = SingleVariable::new(-1.0, 0.1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "publication rate is -1, but must be a finite number of at least 0"
        );
        assert!(SingleVariable::new(1.0, f64::NAN).is_err());
    }
}
