//! The threshold τ (the price of a refresh) and how it is steered so that the budget is spent.
//!
//! The published rule moves τ by five per cent whenever a cycle leaves the corridor 0.9·b … b. It
//! cannot hold a budget below a few refreshes per cycle (no whole number lies in the corridor),
//! drifts, and follows the time of day; it is kept as [`Controller::Literal`] for the published
//! figures. [`Controller::Steady`] is the product's: a small step in proportion to the relative
//! error, an integral of it so that no error lasts, and the published five per cent while spending
//! is far from the budget.

use serde::{Deserialize, Serialize};

use crate::Invalid;

/// τ never leaves this range: zero would be absorbing.
const LEAST: f64 = 1e-12;
const MOST: f64 = 1e15;
/// The published steps and corridor.
const DECREASE: f64 = 0.95;
const INCREASE: f64 = 1.05;
const CORRIDOR: f64 = 0.9;

/// How the threshold follows the spending.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Controller {
    /// As published: × 1.05 above the budget, × 0.95 below nine tenths of it.
    Literal,
    /// Proportional and integral, for spending averaged over about `horizon` cycles.
    Steady {
        /// Cycles over which spending may vary freely (a day of them in a node).
        horizon: f64,
    },
}

/// The threshold of one node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Threshold {
    value: f64,
    controller: Controller,
    /// Spending beyond the budget so far, in cycles of budget.
    excess: f64,
    /// Smoothed relative error of the spending.
    recent: f64,
    /// Cycles since the start, as far as they matter for the smoothing.
    cycles: f64,
}

impl Threshold {
    /// Starts at `value`; any positive value will do, it is found by itself.
    pub fn new(value: f64, controller: Controller) -> Result<Self, Invalid> {
        let value = Invalid::unless_positive("threshold", value)?.clamp(LEAST, MOST);
        if let Controller::Steady { horizon } = controller {
            Invalid::unless_positive("horizon in cycles", horizon)?;
        }
        Ok(Self { value, controller, excess: 0.0, recent: 0.0, cycles: 0.0 })
    }

    /// The present value.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// Learns how many refreshes the last cycle cost against the budget `b`. `exhausted` says that
    /// everything that could be refreshed was: lowering τ further would change nothing now and cost
    /// dearly later.
    pub fn adjust(&mut self, spent: usize, b: f64, exhausted: bool) {
        let spent = spent as f64;
        let factor = match self.controller {
            Controller::Literal if spent > b => INCREASE,
            Controller::Literal if spent < CORRIDOR * b => DECREASE,
            Controller::Literal => 1.0,
            Controller::Steady { horizon } => self.steady_factor(spent / b - 1.0, b, horizon),
        };
        if factor > 1.0 || !exhausted {
            self.value = (self.value * factor).clamp(LEAST, MOST);
        }
    }

    fn steady_factor(&mut self, error: f64, b: f64, horizon: f64) -> f64 {
        // Below one refresh per cycle, single cycles say nothing: look over at least six refreshes.
        let smoothing = (0.1 * horizon).max(6.0 / b).max(5.0);
        self.cycles = (self.cycles + 1.0).min(smoothing);
        // Clipped, or one wild cycle would be remembered long after it is mended.
        self.recent += (error.min(1.5) - self.recent) / self.cycles;
        if self.cycles >= 5.0 && self.recent.abs() > FAR {
            // Far off: take the published step, and do not count the detour as debt.
            self.excess = 0.0;
            return if self.recent > 0.0 { INCREASE } else { DECREASE };
        }
        self.excess = (self.excess + error).clamp(-horizon, horizon);
        let gain = PROPORTIONAL / horizon;
        // The spending answers a change of log τ with about half of it, so that the pair acts as a
        // damped spring; this integral is a little stiffer than critical damping.
        let integral = INTEGRAL * gain * gain;
        (gain * error.min(2.0) + integral * self.excess).exp()
    }
}

/// Step of log τ per horizon and unit of relative error.
const PROPORTIONAL: f64 = 1.2;
/// Integral step, in units of the proportional one squared (1/8 is critical damping).
const INTEGRAL: f64 = 0.3;
/// Beyond this smoothed relative error the threshold is far off.
const FAR: f64 = 0.6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_literal_rule_moves_by_five_per_cent_outside_its_corridor() {
        let mut threshold = Threshold::new(100.0, Controller::Literal).unwrap();
        threshold.adjust(31, 30.0, false);
        assert_eq!(threshold.value(), 105.0);
        threshold.adjust(28, 30.0, false);
        assert_eq!(threshold.value(), 105.0);
        threshold.adjust(26, 30.0, false);
        assert!((threshold.value() - 99.75).abs() < 1e-9);
    }

    #[test]
    fn a_threshold_of_zero_or_worse_is_refused() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Threshold::new(bad, Controller::Literal).is_err(), "{bad}");
        }
    }

    /// Spends like m sources whose refresh interval grows with √τ.
    fn spend(threshold: &Threshold, carry: &mut f64) -> usize {
        *carry += 100.0 / threshold.value().sqrt();
        let spent = carry.floor();
        *carry -= spent;
        spent as usize
    }

    #[test]
    fn the_steady_rule_holds_budgets_above_and_below_one_refresh_per_cycle() {
        for b in [0.25, 0.5, 1.0, 10.0, 30.0] {
            let controller = Controller::Steady { horizon: 100.0 };
            let mut threshold = Threshold::new(1.0, controller).unwrap();
            let (mut carry, mut total) = (0.0, 0);
            for cycle in 0..2_000 {
                let spent = spend(&threshold, &mut carry);
                threshold.adjust(spent, b, false);
                total += if cycle >= 1_000 { spent } else { 0 };
            }
            let used = total as f64 / (1_000.0 * b);
            assert!((used - 1.0).abs() < 0.02, "b = {b}: {used} of the budget");
        }
    }

    #[test]
    fn it_does_not_fall_while_nothing_is_left_to_refresh() {
        let mut threshold = Threshold::new(1.0, Controller::Steady { horizon: 50.0 }).unwrap();
        for _ in 0..1_000 {
            threshold.adjust(3, 30.0, true);
        }
        assert_eq!(threshold.value(), 1.0);
    }
}
