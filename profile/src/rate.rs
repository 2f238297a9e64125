//! Learns how often to refresh a channel from the results of its refreshes (Boltzmann learning).
//!
//! λ' = α·λ + (1 − α)·(items found / time since the last refresh). In the paper α falls with time:
//! α_T = 0.1·exp(−T / 100) with T in hours. In the end only the last observation counts, and one empty
//! refresh divides the rate by 1/α_T: after some weeks the channel is never refreshed again.
//! [`Learning::Printed`] implements this for comparison. [`Learning::Steady`] is our own rule: α rises with
//! the number of refreshes of the channel (first a plain mean in which the prior counts as one refresh,
//! then a moving one), and the rate stays in a range, so that an empty refresh costs at most a tenth of
//! the rate.

const HOUR: f64 = 3600.0;
/// The initial α, and the hours in which it falls by a factor of e, as in the paper.
const ALPHA: f64 = 0.1;
const COOLING: f64 = 100.0;
/// The largest α of our rule: a memory of about ten refreshes.
const MOST_HISTORY: f64 = 0.9;
/// The range of our rule: from once a week to once a minute.
const SLOWEST: f64 = 1.0 / (7.0 * 24.0 * HOUR);
const QUICKEST: f64 = 1.0 / 60.0;

/// The rule by which to learn a rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Learning {
    /// As in the paper.
    Printed,
    /// Our own rule.
    Steady,
}

/// The monitoring rate of one channel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    learning: Learning,
    /// Refreshes per second.
    rate: f64,
    refreshes: u32,
}

impl Rate {
    /// Starts with `prior` refreshes per second.
    pub fn new(learning: Learning, prior: f64) -> Self {
        Self { learning, rate: prior, refreshes: 0 }
    }

    /// Refreshes per second.
    pub fn get(&self) -> f64 {
        self.rate
    }

    /// Seconds between two refreshes, 1/λ.
    pub fn interval(&self) -> f64 {
        1.0 / self.rate
    }

    /// Learns from a refresh at `now`, `elapsed` seconds after the one before, that found `items` (all of
    /// them, or for a content-based policy only the novel ones). Without elapsed time it learns nothing.
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
                let refreshes = f64::from(self.refreshes);
                let alpha = ((refreshes + 1.0) / (refreshes + 2.0)).min(MOST_HISTORY);
                self.rate = (alpha * self.rate + (1.0 - alpha) * observed).clamp(SLOWEST, QUICKEST);
                self.refreshes = self.refreshes.saturating_add(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_empty_refresh_starves_a_channel_by_the_published_rule_and_not_by_ours() {
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
    fn our_rule_starts_as_the_mean_of_prior_and_refreshes() {
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
