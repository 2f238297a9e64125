//! Maximum likelihood over the last observations, some of which may be full windows.
//!
//! The gradient Σ_{uncensored}(x/λ − ΔT) + Σ_{censored} ΔT·P(N = W−1)/P(N ≥ W) falls with λ, so that
//! bisection finds its root. (The published fixed-step ascent may diverge.) If every window is full there
//! is no root, and without any item the root is zero; then the model assumes half an item.

use super::publication::{PublicationModel, RATE_CEILING, RATE_FLOOR, at_constant_rate, bounded};
use crate::counts::{Distribution, bundle};
use crate::error::Invalid;
use crate::observation::Observation;

/// Observations remembered.
const MEMORY: usize = 16;

/// One remembered observation.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Seen {
    /// Length of the observation in seconds; 0 marks an unused entry.
    pub span: f32,
    /// Items counted.
    pub count: f32,
    /// At least `count` items: the window was full.
    pub censored: bool,
}

/// The most likely rate in items per second given `profile`: zero if nothing was published, `None` if
/// there is no maximum (nothing was observed, or every observation is censored).
pub fn maximum_likelihood(profile: &[Seen]) -> Option<f64> {
    let whole = || profile.iter().filter(|seen| !seen.censored && seen.span > 0.0);
    let censored = || profile.iter().filter(|seen| seen.censored && seen.span > 0.0);
    let time: f64 = whole().map(|seen| f64::from(seen.span)).sum();
    let items: f64 = whole().map(|seen| f64::from(seen.count)).sum();
    if time == 0.0 {
        return None;
    }
    if censored().next().is_none() {
        return Some(items / time);
    }
    let gradient = |rate: f64| {
        let hidden: f64 = censored().map(|seen| seen.censored_gradient(rate)).sum();
        items / rate - time + hidden
    };
    // Above this, the uncensored part exceeds the largest possible censored part.
    let mut high =
        censored().map(|seen| f64::from(seen.count / seen.span)).fold(items / time, f64::max);
    while gradient(high) > 0.0 && high < RATE_CEILING {
        high *= 2.0;
    }
    let mut low = (items / time).max(RATE_FLOOR);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if gradient(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(0.5 * (low + high))
}

impl Seen {
    /// ΔT·P(N = W−1)/P(N ≥ W), in a form that also works for rates that are far too low.
    fn censored_gradient(&self, rate: f64) -> f64 {
        let (span, floor) = (f64::from(self.span), f64::from(self.count));
        if floor < 1.0 {
            return 0.0;
        }
        let bundle = bundle(floor);
        let (mean, floor) = (rate * span / bundle, (floor / bundle).floor());
        let counts = Distribution::poisson(mean);
        let tail = counts.at_least(floor as usize);
        if tail < 1e-9 {
            // P(N ≥ W) ≈ P(N = W)·(1 + μ/(W+1) + …), hence the ratio is about W/μ.
            return span * floor / mean * (1.0 - (mean / (floor + 1.0)).min(0.9));
        }
        span * counts.exactly(floor as usize - 1) / tail
    }
}

/// The most likely rate for the last observations.
#[derive(Debug, Clone, PartialEq)]
pub struct Likelihood {
    pub(super) rate: f32,
    pub(super) profile: [Seen; MEMORY],
    pub(super) next: u8,
}

impl Likelihood {
    /// Expects `prior` items per second until it learns otherwise.
    pub fn new(prior: f64) -> Result<Self, Invalid> {
        let prior = Invalid::unless_not_negative("publication rate", prior)?;
        Ok(Self { rate: bounded(prior) as f32, profile: [Seen::default(); MEMORY], next: 0 })
    }

    fn estimate(&self) -> f64 {
        let time: f64 = self.profile.iter().map(|seen| f64::from(seen.span)).sum();
        match maximum_likelihood(&self.profile) {
            Some(rate) if rate > 0.0 => rate,
            // Nothing was published in all that time: assume half an item.
            Some(_) => 0.5 / time,
            // Every window was full: the rate is above the observed one, but by how much is unknown.
            None => {
                let items: f64 = self.profile.iter().map(|seen| f64::from(seen.count)).sum();
                (1.5 * items / time).max(f64::from(self.rate))
            }
        }
    }
}

impl PublicationModel for Likelihood {
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
        let span = evidence.length().clamp(1e-3, 1e30) as f32;
        let seen = Seen { span, count: evidence.count as f32, censored: evidence.censored };
        self.profile[usize::from(self.next)] = seen;
        self.next = ((usize::from(self.next) + 1) % MEMORY) as u8;
        self.rate = bounded(self.estimate()) as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(span: f32, count: f32) -> Seen {
        Seen { span, count, censored: false }
    }

    /// The publication profile in the thesis, section 7.4.2.
    fn profile() -> Vec<Seen> {
        vec![whole(10.0, 5.0), whole(15.0, 1.0), whole(8.0, 3.0), whole(20.0, 8.0)]
    }

    #[test]
    fn the_published_profile_gives_seventeen_items_in_fifty_three_minutes() {
        assert_eq!(maximum_likelihood(&profile()), Some(17.0 / 53.0));
    }

    #[test]
    fn a_full_window_raises_the_estimate_above_what_was_counted() {
        let mut profile = profile();
        profile.push(Seen { span: 40.0, count: 20.0, censored: true });
        let rate = maximum_likelihood(&profile).unwrap();
        assert!((rate - 0.42).abs() < 0.005, "{rate}");
        assert!(rate > 37.0 / 93.0, "above the naive count");
    }

    #[test]
    fn the_root_is_a_maximum_of_the_likelihood() {
        let mut profile = profile();
        profile.push(Seen { span: 40.0, count: 20.0, censored: true });
        let log_likelihood = |rate: f64| -> f64 {
            let term = |seen: &Seen| {
                let counts = Distribution::poisson(rate * f64::from(seen.span));
                let k = seen.count as usize;
                (if seen.censored { counts.at_least(k) } else { counts.exactly(k) }).ln()
            };
            profile.iter().map(term).sum()
        };
        let best = maximum_likelihood(&profile).unwrap();
        for other in [0.9 * best, 0.99 * best, 1.01 * best, 1.1 * best] {
            assert!(log_likelihood(other) < log_likelihood(best), "{other} beats {best}");
        }
    }

    #[test]
    fn full_windows_only_or_no_items_at_all_still_give_a_usable_rate() {
        let full = Seen { span: 10.0, count: 20.0, censored: true };
        assert_eq!(maximum_likelihood(&[full, full]), None);
        let mut model = Likelihood::new(0.1).unwrap();
        for refresh in 0..50 {
            let (since, at) = (f64::from(refresh) * 10.0, f64::from(refresh + 1) * 10.0);
            let censored = refresh < 25;
            let new_items = if censored { 20 } else { 0 };
            model.learn(&Observation {
                at,
                since: Some(since),
                new_items,
                window: 20,
                censored,
                dates: &[],
            });
            assert!(model.mean_rate().is_finite() && model.mean_rate() > 0.0);
            if refresh == 24 {
                assert!(model.mean_rate() >= 2.0, "at least what was seen");
            }
        }
        assert!(model.mean_rate() < 0.01, "fifteen empty refreshes bring it down");
    }
}
