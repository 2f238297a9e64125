//! The threshold τ (the price of a refresh), and how it adapts so that the budget is spent.
//!
//! The published rule moves τ by five per cent whenever a cycle leaves the corridor 0.9·b … b. It cannot
//! hold a budget below a few refreshes per cycle (the corridor contains no whole number), it drifts, and
//! it follows the time of day. [`Controller::Literal`] implements it for the published experiments.
//! Nodes use [`Controller::Steady`]: a small step in proportion to the relative error, plus an integral
//! term so that no error persists. At first, while the right value is unknown, it takes the published
//! steps.

mod parts;

use crate::error::Invalid;
pub use parts::ThresholdParts;

/// The range of τ, which could never leave zero.
const LEAST: f64 = 1e-12;
const MOST: f64 = 1e15;
/// The published steps and corridor.
const DECREASE: f64 = 0.95;
const INCREASE: f64 = 1.05;
const CORRIDOR: f64 = 0.9;

/// How the threshold adapts to the spending.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Controller {
    /// As published: × 1.05 above the budget, × 0.95 below nine tenths of it.
    Literal,
    /// Proportional and integral control of the spending, averaged over about `horizon` cycles.
    Steady {
        /// Cycles over which spending may vary; a day in a node.
        horizon: f64,
    },
}

/// The demand and spending of one cycle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spending {
    /// Refreshes made.
    pub spent: usize,
    /// Refreshes that the strategy would have made without the burst limit. The threshold follows the
    /// demand, or a limit that always applies would look like a budget well spent.
    pub demand: usize,
    /// b: refreshes per cycle on average.
    pub budget: f64,
    /// Whether budget was left although the strategy wanted all sources that politeness allows.
    pub everything: bool,
}

/// The threshold of one node.
#[derive(Debug, Clone, PartialEq)]
pub struct Threshold {
    value: f64,
    controller: Controller,
    /// Spending above the budget so far, in cycles of budget.
    excess: f64,
    /// The smoothed relative error of the spending.
    recent: f64,
    /// Crossings of the right value that are left until the search ends.
    searching: u8,
    /// Cycles since the last crossing.
    since_passing: f64,
}

impl Threshold {
    /// Starts at `value`, which may be any positive number.
    pub fn new(value: f64, controller: Controller) -> Result<Self, Invalid> {
        let value = Invalid::unless_positive("threshold", value)?.clamp(LEAST, MOST);
        if let Controller::Steady { horizon } = controller {
            Invalid::unless_positive("horizon in cycles", horizon)?;
        }
        Ok(Self {
            value,
            controller,
            excess: 0.0,
            recent: 0.0,
            searching: SEARCHES,
            since_passing: 0.0,
        })
    }

    pub fn value(&self) -> f64 {
        self.value
    }

    /// Whether it uses the published rule.
    pub(crate) fn is_literal(&self) -> bool {
        self.controller == Controller::Literal
    }

    /// Adapts to the spending of the last cycle.
    pub fn adjust(&mut self, spending: &Spending) {
        let (demand, b) = (spending.demand as f64, spending.budget);
        let factor = match self.controller {
            Controller::Literal if demand > b => INCREASE,
            Controller::Literal if demand < CORRIDOR * b => DECREASE,
            Controller::Literal => 1.0,
            Controller::Steady { horizon } => self.steady_factor(spending, horizon),
        };
        // If everything is wanted already, a lower τ changes nothing now but causes a burst later.
        if factor > 1.0 || !spending.everything {
            self.value = (self.value * factor).clamp(LEAST, MOST);
        }
    }

    fn steady_factor(&mut self, spending: &Spending, horizon: f64) -> f64 {
        let b = AIM * spending.budget;
        let spent = spending.spent as f64;
        // A waiting source is wanted again in every cycle. Below one refresh per cycle it counts once per
        // refresh that the budget allows.
        let mut waiting = spending.demand as f64 - spent;
        if b < 1.0 {
            waiting = (waiting * b).min(b);
        }
        // Clipped, or one extreme cycle would have an effect for too long. One extra refresh is never
        // extreme, however small the budget is.
        let error = ((spent + waiting) / b - 1.0).min(1.5 + 1.0 / b);
        if self.searching > 0 {
            return self.search(error, waiting, b);
        }
        self.excess += spending.spent as f64 / b - 1.0;
        // Forgets debts and savings that are older than a night or two.
        self.excess = self.excess.clamp(-FORGIVEN * horizon, FORGIVEN * horizon);
        // Below one refresh per cycle single cycles say nothing: average over at least thirty refreshes.
        let smoothing = horizon.max(30.0 / b);
        self.recent += (error - self.recent) / smoothing;
        let gain = PROPORTIONAL / horizon;
        // The log of the spending changes by about half of a change of log τ, so that the two behave like
        // a damped spring. The integral is a little stiffer than critical damping.
        let mut step = gain * error + INTEGRAL * gain * gain * self.excess;
        let noise = 1.0 / (b * smoothing).sqrt();
        if self.recent.abs() > FAR.max(3.0 * noise) {
            // The load has changed: move as fast as the average can follow.
            step += self.recent.signum() * LARGEST_STEP.min(1.0 / smoothing);
        }
        step.exp()
    }

    /// Searches the right value: takes the published steps towards it, halves them at each crossing, and
    /// stops after the fifth. If there is no crossing for a long time, an early one was an accident (the
    /// first refresh of every source), and the steps grow again. Below one refresh per cycle it takes many
    /// cycles to see the effect of a step, so the steps are smaller: the published ones would overshoot by
    /// orders of magnitude, and hours would pass without a refresh.
    fn search(&mut self, error: f64, waiting: f64, b: f64) -> f64 {
        let smoothing = (6.0 / b).max(5.0);
        let before = self.recent;
        self.recent += (error - self.recent) / smoothing;
        self.since_passing += 1.0;
        if before * self.recent < 0.0 {
            self.searching -= 1;
            self.since_passing = 0.0;
            if self.searching == 0 {
                self.recent = 0.0;
            }
            return 1.0;
        }
        if self.since_passing > 4.0 * smoothing {
            self.searching = SEARCHES;
        }
        // Accelerate while nothing is refreshed. Do not accelerate while the budget is spent, unless
        // sources wait most of the time: then raise τ until none does.
        let haste = match self.recent {
            below if below < 0.0 => (self.since_passing / smoothing).max(1.0),
            above if above > STUCK && waiting > 0.0 => f64::INFINITY,
            _ => 1.0,
        };
        let largest = LARGEST_STEP.min(haste * PACE / smoothing);
        let step = largest / f64::from(1 << (SEARCHES - self.searching));
        (self.recent.signum() * step).exp()
    }

    /// Restarts the search, for example after a change of the budget.
    pub fn search_again(&mut self) {
        *self = Self { searching: SEARCHES, since_passing: 0.0, excess: 0.0, recent: 0.0, ..*self };
    }
}

/// Crossings of the right value until the search ends.
const SEARCHES: u8 = 5;
/// The aim as a share of the budget, which must not be exceeded on average.
const AIM: f64 = 0.996;
/// The largest step of log τ in one cycle.
const LARGEST_STEP: f64 = 0.05;
/// How far log τ moves in a search, without acceleration, during one averaging time.
const PACE: f64 = 0.5;
/// Above this smoothed error, below one refresh per cycle, sources wait most of the time.
const STUCK: f64 = 0.5;
/// The step of log τ per horizon and unit of relative error.
const PROPORTIONAL: f64 = 1.2;
/// The integral step, in units of the square of the proportional one (1/8 is critical damping).
const INTEGRAL: f64 = 0.3;
/// Horizons of budget that count as debt or savings.
const FORGIVEN: f64 = 0.25;
/// Above this smoothed relative error (and three times its noise) the load has changed.
const FAR: f64 = 0.2;

#[cfg(test)]
mod tests {
    use super::*;

    fn all_served(spent: usize, budget: f64) -> Spending {
        Spending { spent, demand: spent, budget, everything: false }
    }

    #[test]
    fn the_literal_rule_moves_by_five_per_cent_outside_its_corridor() {
        let mut threshold = Threshold::new(100.0, Controller::Literal).unwrap();
        threshold.adjust(&all_served(31, 30.0));
        assert_eq!(threshold.value(), 105.0);
        threshold.adjust(&all_served(28, 30.0));
        assert_eq!(threshold.value(), 105.0);
        threshold.adjust(&all_served(26, 30.0));
        assert!((threshold.value() - 99.75).abs() < 1e-9);
    }

    #[test]
    fn a_threshold_that_is_not_positive_is_rejected() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Threshold::new(bad, Controller::Literal).is_err(), "{bad}");
        }
    }

    /// Spends like sources whose refresh interval grows with √τ.
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
            for cycle in 0..3_000 {
                let spent = spend(&threshold, &mut carry);
                threshold.adjust(&all_served(spent, b));
                total += if cycle >= 2_000 { spent } else { 0 };
            }
            let used = total as f64 / (1_000.0 * b);
            assert!((used - 1.0).abs() < 0.02, "b = {b}: {used} of the budget");
        }
    }

    #[test]
    fn it_does_not_fall_while_there_is_nothing_left_to_refresh() {
        let mut threshold = Threshold::new(1.0, Controller::Steady { horizon: 50.0 }).unwrap();
        for _ in 0..1_000 {
            threshold.adjust(&Spending { everything: true, ..all_served(3, 30.0) });
        }
        assert_eq!(threshold.value(), 1.0);
    }
}
