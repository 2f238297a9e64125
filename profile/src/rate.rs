//! How often a channel deserves a look, learnt from what looks found: Boltzmann learning.
//!
//! λ' = α·λ + (1 − α)·(items found / time since the last look). The paper lets α fall with time,
//! α_T = 0.1·exp(−T / 100) with T in hours. That ends as the last raw observation, and one look that finds
//! nothing divides the rate by 1/α_T: after some weeks the channel is never looked at again. [`Learning::Printed`]
//! keeps that rule, for comparison. [`Learning::Steady`] is ours: α rises with the looks at this very
//! channel (first a plain mean, the prior counting as one look, then a moving one) and the rate stays
//! between bounds, so that an empty look costs a tenth of the rate at most.

use serde::{Deserialize, Serialize};

const HOUR: f64 = 3600.0;
/// α at the start, and how fast it falls in hours, as printed.
const ALPHA: f64 = 0.1;
const COOLING: f64 = 100.0;
/// The most that history counts in ours: a memory of about ten looks.
const MOST_HISTORY: f64 = 0.9;
/// Ours looks at least once a week and at most once a minute.
const SLOWEST: f64 = 1.0 / (7.0 * 24.0 * HOUR);
const QUICKEST: f64 = 1.0 / 60.0;

/// By which rule a rate is learnt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Learning {
    /// As the paper has it.
    Printed,
    /// Ours.
    Steady,
}

/// The monitoring rate of one channel.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    learning: Learning,
    /// Looks per second.
    rate: f64,
    looks: u32,
}

impl Rate {
    /// Starts with `prior` looks per second.
    pub fn new(learning: Learning, prior: f64) -> Self {
        Self { learning, rate: prior, looks: 0 }
    }

    /// Looks per second.
    pub fn get(&self) -> f64 {
        self.rate
    }

    /// Seconds until the next look is due, 1/λ.
    pub fn interval(&self) -> f64 {
        1.0 / self.rate
    }

    /// Learns that a look at `now`, `elapsed` seconds after the one before, found `items` (all, or the
    /// novel ones only: that is what makes a policy content-based). No time, no lesson.
    pub fn learn(&mut self, now: f64, elapsed: f64, items: usize) {
        if elapsed <= 0.0 || !elapsed.is_finite() {
            return;
        }
        let observed = items as f64 / elapsed;
        match self.learning {
            Learning::Printed => {
                let alpha = ALPHA * (-now / HOUR / COOLING).exp();
                self.rate = alpha * self.rate + (1.0 - alpha) * observed;
            }
            Learning::Steady => {
                let looks = f64::from(self.looks);
                let alpha = ((looks + 1.0) / (looks + 2.0)).min(MOST_HISTORY);
                self.rate = (alpha * self.rate + (1.0 - alpha) * observed).clamp(SLOWEST, QUICKEST);
                self.looks = self.looks.saturating_add(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_empty_look_starves_a_channel_by_the_printed_rule_and_not_by_ours() {
        let hourly = 1.0 / HOUR;
        let mut printed = Rate::new(Learning::Printed, hourly);
        let mut steady = Rate::new(Learning::Steady, hourly);
        for hour in 1..=1000 {
            printed.learn(f64::from(hour) * HOUR, HOUR, 1);
            steady.learn(f64::from(hour) * HOUR, HOUR, 1);
        }
        assert!((printed.interval() / HOUR - 1.0).abs() < 1e-9);
        assert!((steady.interval() / HOUR - 1.0).abs() < 1e-9);
        printed.learn(1001.0 * HOUR, HOUR, 0);
        steady.learn(1001.0 * HOUR, HOUR, 0);
        // 10·exp(10.01) hours: 25 years.
        assert!(
            (printed.interval() / HOUR / 222_479.0 - 1.0).abs() < 0.01,
            "{}",
            printed.interval() / HOUR
        );
        assert!((steady.interval() / HOUR - 1.0 / 0.9).abs() < 1e-9);
    }

    #[test]
    fn ours_is_the_mean_of_prior_and_looks_at_first() {
        let mut rate = Rate::new(Learning::Steady, 2.0 / HOUR);
        rate.learn(0.0, HOUR, 5);
        assert!((rate.get() * HOUR - 3.5).abs() < 1e-9);
        rate.learn(0.0, HOUR, 2);
        assert!((rate.get() * HOUR - 3.0).abs() < 1e-9);
        (0..10_000).for_each(|_| rate.learn(0.0, HOUR, 0));
        assert_eq!(rate.get(), SLOWEST);
        let before = rate;
        rate.learn(0.0, 0.0, 7);
        rate.learn(0.0, f64::NAN, 7);
        assert_eq!(rate, before);
    }
}
