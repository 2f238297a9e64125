//! What refreshing may cost, in the scheduler's unit: refreshes per cycle.
//!
//! A budget is given as refreshes, as bytes or as a freshness to be reached. The first is exact. The other
//! two follow what is measured, in small and frequent steps, so that τ can follow them.

use pergola_refresh::{Budget, Invalid};

const MINUTE: f64 = 60.0;
/// Refreshes after which the past counts a third in the mean size.
const SIZE_MEMORY: f64 = 500.0;
/// Bytes that an answer is assumed to have before the first one.
const FIRST_SIZE: f64 = 20_000.0;
/// How quickly a freshness budget is corrected: the exponent of one minute's step.
const STEERING: f64 = 0.3;
/// Cycles over which savings and debts even out: the threshold's horizon, a day of five-minute cycles.
pub const HORIZON_CYCLES: f64 = 288.0;

/// What a budget limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BudgetRule {
    /// Refreshes, on average.
    Refreshes { per_minute: f64 },
    /// Bytes received, on average.
    Bytes { per_hour: u64 },
    /// As few refreshes as keep the feeds this fresh.
    Freshness {
        /// The share of items that readers already have, between 0 and 1.
        at_least: f64,
        /// The most that it may take.
        most_per_minute: f64,
    },
}

/// The budget in force, and what was measured of it.
#[derive(Debug, Clone)]
pub struct Purse {
    rule: BudgetRule,
    burst: Option<usize>,
    /// Seconds per cycle.
    cycle: f64,
    /// Mean bytes of an answer.
    size: f64,
    /// Refreshes per minute now.
    per_minute: f64,
}

impl Purse {
    pub fn new(rule: BudgetRule, burst: Option<usize>, cycle: f64) -> Self {
        let mut purse = Self { rule, burst, cycle, size: FIRST_SIZE, per_minute: 0.0 };
        purse.per_minute = match rule {
            BudgetRule::Refreshes { per_minute } => per_minute,
            BudgetRule::Bytes { .. } => purse.affordable(),
            BudgetRule::Freshness { most_per_minute, .. } => most_per_minute,
        };
        purse
    }

    /// Refreshes per minute now.
    pub fn per_minute(&self) -> f64 {
        self.per_minute
    }

    /// Mean bytes of an answer.
    pub fn mean_size(&self) -> f64 {
        self.size
    }

    /// Whether sources cost by their size.
    pub fn counts_bytes(&self) -> bool {
        matches!(self.rule, BudgetRule::Bytes { .. })
    }

    /// The budget in the scheduler's unit.
    pub fn budget(&self) -> Result<Budget, Invalid> {
        let budget = Budget::new(self.per_minute * self.cycle / MINUTE, self.cycle)?;
        match self.burst {
            Some(burst) => budget.with_burst(burst),
            None => Ok(budget),
        }
    }

    /// An answer came, of this size.
    pub fn spent(&mut self, bytes: u64) {
        self.size += (bytes as f64 - self.size) / SIZE_MEMORY;
        self.size = self.size.max(100.0);
    }

    /// Called once a minute: follows what was measured. `true` if the budget has changed.
    pub fn steer(&mut self, freshness: f64) -> bool {
        let before = self.per_minute;
        match self.rule {
            BudgetRule::Refreshes { .. } => {}
            BudgetRule::Bytes { .. } => self.per_minute = self.affordable(),
            BudgetRule::Freshness { at_least, most_per_minute } => {
                // Staleness is roughly inverse to the budget.
                let ratio = (1.0 - freshness).max(1e-6) / (1.0 - at_least);
                let step = ratio.powf(STEERING).clamp(0.8, 1.25);
                self.per_minute = (self.per_minute * step).clamp(1e-3, most_per_minute);
            }
        }
        (self.per_minute / before - 1.0).abs() > 1e-3
    }

    fn affordable(&self) -> f64 {
        let BudgetRule::Bytes { per_hour } = self.rule else { return self.per_minute };
        (per_hour as f64 / MINUTE / self.size).max(1e-3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn purse(rule: BudgetRule) -> Purse {
        Purse::new(rule, None, 10.0)
    }

    #[test]
    fn refreshes_per_minute_become_refreshes_per_cycle() {
        let purse = purse(BudgetRule::Refreshes { per_minute: 30.0 });
        assert_eq!(purse.budget().unwrap().per_cycle(), 5.0);
    }

    #[test]
    fn a_budget_in_bytes_affords_more_refreshes_of_smaller_answers() {
        let mut purse = purse(BudgetRule::Bytes { per_hour: 6_000_000 });
        assert!((purse.per_minute() - 5.0).abs() < 1e-9);
        for _ in 0..10_000 {
            purse.spent(1_000);
        }
        assert!(purse.steer(1.0));
        assert!((purse.per_minute() - 100.0).abs() < 1.0, "{}", purse.per_minute());
    }

    #[test]
    fn a_freshness_budget_settles_where_the_freshness_is_reached() {
        let rule = BudgetRule::Freshness { at_least: 0.95, most_per_minute: 600.0 };
        let mut purse = purse(rule);
        for _ in 0..200 {
            // Forty refreshes a minute leave one item in ten stale.
            let stale = (4.0 / purse.per_minute()).min(1.0);
            purse.steer(1.0 - stale);
        }
        assert!((purse.per_minute() - 80.0).abs() < 2.0, "{}", purse.per_minute());
    }
}
