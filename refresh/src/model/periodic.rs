//! The periodic model: a table of rates over a period (by default a day of 24 hours). Each slot is
//! exponentially smoothed in proportion to the part of it that an interval covers.

use super::publication::{PublicationModel, RATE_FLOOR, bounded};
use super::slots::{MAX_SLOTS, SlotClock};
use crate::error::Invalid;
use crate::observation::Observation;

/// Every slot receives items for at least this share of the mean rate, or a slot that has fallen to
/// zero would stay there for ever.
const CLAIM: f64 = 0.1;

/// A rate for each slot of a period, learnt from the counts between refreshes.
#[derive(Debug, Clone, PartialEq)]
pub struct Periodic {
    pub(super) clock: SlotClock,
    /// Weight of an observation for a slot that it covers completely.
    pub(super) alpha: f32,
    pub(super) rates: [f32; MAX_SLOTS],
}

impl Periodic {
    /// 24 slots of an hour, which all start at `rate` items per second.
    pub fn daily(rate: f64, alpha: f64) -> Result<Self, Invalid> {
        Self::starting(SlotClock::DAILY, rate, alpha)
    }

    /// `slots` slots (1 to 24) over `period` seconds.
    pub fn new(period: f64, slots: usize, rate: f64, alpha: f64) -> Result<Self, Invalid> {
        Self::starting(SlotClock::new(period, slots)?, rate, alpha)
    }

    fn starting(clock: SlotClock, rate: f64, alpha: f64) -> Result<Self, Invalid> {
        let rate = Invalid::unless_not_negative("publication rate", rate)?;
        let alpha = Invalid::unless_share("smoothing factor", alpha)?;
        Ok(Self { clock, alpha: alpha as f32, rates: [bounded(rate) as f32; MAX_SLOTS] })
    }

    /// A table of known rates in items per second, which learning does not change.
    pub fn known(period: f64, rates: &[f64]) -> Result<Self, Invalid> {
        let mut model = Self::new(period, rates.len(), 0.0, 0.0)?;
        for (slot, &rate) in model.rates.iter_mut().zip(rates) {
            *slot = bounded(Invalid::unless_not_negative("publication rate", rate)?) as f32;
        }
        Ok(model)
    }

    /// The rate of each slot, in items per second.
    pub fn rates(&self) -> &[f32] {
        &self.rates[..self.clock.slots()]
    }

    fn rate(&self, slot: usize) -> f64 {
        f64::from(self.rates[slot])
    }
}

impl PublicationModel for Periodic {
    fn divergence(&self, from: f64, to: f64) -> (f64, f64) {
        self.clock.integrate(from, to, |slot| self.rate(slot))
    }

    fn mean_rate(&self) -> f64 {
        self.rates().iter().map(|&rate| f64::from(rate)).sum::<f64>() / self.clock.slots() as f64
    }

    fn learn(&mut self, observation: &Observation<'_>) {
        let Some(evidence) = observation.undated() else {
            return;
        };
        if self.alpha == 0.0 {
            return;
        }
        // λ_j' = α·w·(share of x for slot j) + (1 − α·w)·λ_j. The share is in proportion to the current
        // rates; w is the covered part of the slot.
        let covered = self.clock.coverage(evidence.from, evidence.to);
        let least = CLAIM * self.mean_rate() + RATE_FLOOR;
        let claims: [f64; MAX_SLOTS] = std::array::from_fn(|slot| self.rate(slot).max(least));
        let claimed: f64 = claims.iter().zip(&covered).map(|(claim, time)| claim * time).sum();
        for slot in 0..self.clock.slots() {
            let weight = (covered[slot] / self.clock.slot_length()).min(1.0);
            let weight = f64::from(self.alpha) * weight;
            let seen = claims[slot] * evidence.count / claimed;
            self.rates[slot] = bounded(weight * seen + (1.0 - weight) * self.rate(slot)) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::HOUR;

    fn seen(from_hour: f64, to_hour: f64, new_items: u32) -> Observation<'static> {
        let since = Some(from_hour * HOUR);
        Observation {
            at: to_hour * HOUR,
            since,
            new_items,
            window: 20,
            censored: false,
            dates: &[],
        }
    }

    #[test]
    fn a_slot_covered_partly_moves_less_than_one_covered_completely() {
        let mut model = Periodic::daily(2.0 / HOUR, 0.5).unwrap();
        // All of slot 3 and a quarter of slot 4: 2.5 items expected, 5 seen.
        model.learn(&seen(3.0, 4.25, 5));
        let hourly: Vec<f64> = model.rates().iter().map(|&r| f64::from(r) * HOUR).collect();
        assert!((hourly[3] - (0.5 * 4.0 + 0.5 * 2.0)).abs() < 1e-3);
        assert!((hourly[4] - (0.125 * 4.0 + 0.875 * 2.0)).abs() < 1e-3);
        assert!((hourly[5] - 2.0).abs() < 1e-3, "a slot outside the interval stays");
    }

    #[test]
    fn a_slot_at_zero_recovers_within_two_days_of_refreshes_every_four_hours() {
        let mut rates = [10.0 / HOUR; 24];
        rates[9] = 0.0;
        let mut model = Periodic::known(24.0 * HOUR, &rates).unwrap();
        model.alpha = 0.3;
        for day in 0..2 {
            for refresh in 0..6 {
                let start = f64::from(day * 24 + refresh * 4);
                model.learn(&seen(start, start + 4.0, 40));
            }
        }
        let recovered = f64::from(model.rates()[9]) * HOUR;
        assert!(recovered > 0.5, "slot 9 is at {recovered} items an hour");
    }

    #[test]
    fn an_all_zero_start_recovers_within_two_days() {
        let mut model = Periodic::daily(0.0, 0.3).unwrap();
        for refresh in 0..12 {
            model.learn(&seen(f64::from(refresh * 4), f64::from(refresh * 4 + 4), 40));
        }
        assert!(model.mean_rate() * HOUR > 5.0, "{}", model.mean_rate() * HOUR);
    }

    #[test]
    fn a_known_table_predicts_exactly_and_does_not_learn() {
        let mut rates = [0.0; 24];
        rates[1] = 6.0 / HOUR;
        let mut model = Periodic::known(24.0 * HOUR, &rates).unwrap();
        let before = model.clone();
        model.learn(&seen(0.0, 24.0, 999));
        assert_eq!(model, before);
        assert!((model.expected(0.0, 1.5 * HOUR) - 3.0).abs() < 1e-2);
    }
}
