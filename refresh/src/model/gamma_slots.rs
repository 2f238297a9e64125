//! Gamma-Poisson for each slot of a period; each slot is shrunk towards the common level.
//!
//! Without dates, the items of an interval are distributed over its slots in proportion to the expected
//! items. With dates, every item goes into its own slot, and a full window becomes an exact observation
//! of the shorter interval since its oldest item.

use super::belief::{Belief, Prior, fading};
use super::publication::{PublicationModel, bounded};
use super::slots::{MAX_SLOTS, SlotClock};
use crate::error::Invalid;
use crate::observation::Observation;
use crate::time::DAY;

/// Items that a slot needs to move half-way from the common level to its own rate.
const SHRINKAGE: f64 = 1.0;
/// Evidence fades by a factor of e in this time.
const MEMORY: f64 = 10.0 * DAY;

/// Beliefs about the rate of each slot of a period.
#[derive(Debug, Clone, PartialEq)]
pub struct GammaSlots {
    pub(super) clock: SlotClock,
    pub(super) prior: Prior,
    pub(super) uses_dates: bool,
    pub(super) items: [f32; MAX_SLOTS],
    pub(super) time: [f32; MAX_SLOTS],
}

impl GammaSlots {
    /// 24 slots of an hour; expects `prior` items per second until it learns otherwise.
    pub fn daily(prior: f64) -> Result<Self, Invalid> {
        Self::starting(SlotClock::DAILY, prior)
    }

    /// `slots` slots (1 to 24) over `period` seconds.
    pub fn new(period: f64, slots: usize, prior: f64) -> Result<Self, Invalid> {
        Self::starting(SlotClock::new(period, slots)?, prior)
    }

    fn starting(clock: SlotClock, prior: f64) -> Result<Self, Invalid> {
        let prior = bounded(Invalid::unless_not_negative("publication rate", prior)?);
        let prior = Prior::of(prior);
        let none = [0.0; MAX_SLOTS];
        Ok(Self { clock, prior, uses_dates: false, items: none, time: none })
    }

    /// Uses the dates of items if they are plausible.
    pub fn with_dates(self) -> Self {
        Self { uses_dates: true, ..self }
    }

    /// The rate of each slot, in items per second.
    pub fn rates(&self) -> Vec<f64> {
        let level = self.mean_rate();
        (0..self.clock.slots()).map(|slot| self.rate(slot, level)).collect()
    }

    /// The belief about all slots together.
    fn level(&self) -> Belief {
        self.prior.and(self.items.iter().sum(), self.time.iter().sum())
    }

    /// The belief about the slots of an interval, at the expected rate. A few hours are less certain than
    /// the whole day, so a full window teaches more about them.
    fn covered_belief(&self, covered: &[f64; MAX_SLOTS], rate: f64) -> Belief {
        let whole = self.clock.slot_length();
        let evidence = |slot: usize| {
            (f64::from(self.items[slot]) + SHRINKAGE) * (covered[slot] / whole).min(1.0)
        };
        let items: f64 = (0..self.clock.slots()).map(evidence).sum();
        Belief::new(items, items / rate)
    }

    #[inline]
    fn rate(&self, slot: usize, level: f64) -> f64 {
        let items = f64::from(self.items[slot]) + SHRINKAGE;
        let time = f64::from(self.time[slot]) + SHRINKAGE / level;
        bounded(items / time)
    }
}

impl PublicationModel for GammaSlots {
    fn divergence(&self, from: f64, to: f64) -> (f64, f64) {
        let level = self.mean_rate();
        self.clock.integrate(from, to, |slot| self.rate(slot, level))
    }

    fn mean_rate(&self) -> f64 {
        self.level().rate()
    }

    fn learn(&mut self, observation: &Observation<'_>) {
        let by_date = self.uses_dates && observation.dates_are_plausible();
        let evidence = if by_date { observation.dated() } else { observation.undated() };
        let Some(evidence) = evidence else { return };
        let level = self.mean_rate();
        let covered = self.clock.coverage(evidence.from, evidence.to);
        let expected: [f64; MAX_SLOTS] =
            std::array::from_fn(|slot| self.rate(slot, level) * covered[slot]);
        let total: f64 = expected[..self.clock.slots()].iter().sum();
        let (kept, counted) = fading(evidence.length(), MEMORY);
        let (mut count, mut time_share) = (counted * evidence.count, counted);
        if evidence.censored {
            let belief = self.covered_belief(&covered, total / evidence.length());
            let (hidden, length) = belief.full_window(total, evidence.count);
            (count, time_share) = (hidden, length / evidence.length());
        }
        for slot in 0..self.clock.slots() {
            let share = if by_date { 0.0 } else { count * expected[slot] / total };
            self.items[slot] = (kept * f64::from(self.items[slot]) + share).min(1e30) as f32;
            let time = kept * f64::from(self.time[slot]) + time_share * covered[slot];
            self.time[slot] = time.min(1e30) as f32;
        }
        if by_date {
            // The oldest item of a full window starts the interval and is not counted in it.
            let first = observation.dates.len() - evidence.count as usize;
            for &date in &observation.dates[first..] {
                self.items[self.clock.slot_of(date)] += counted as f32;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::HOUR;

    fn morning_paper(model: &mut GammaSlots, days: u32, dated: bool) {
        for refresh in 0..days * 6 {
            let (since, at) =
                (f64::from(refresh) * 4.0 * HOUR, f64::from(refresh + 1) * 4.0 * HOUR);
            let dates: Vec<f64> = if refresh % 6 == 1 {
                (0..8).map(|i| since + 1.5 * HOUR + f64::from(i) * 60.0).collect()
            } else {
                Vec::new()
            };
            model.learn(&Observation {
                at,
                since: Some(since),
                new_items: dates.len() as u32,
                window: 20,
                censored: false,
                dates: if dated { &dates } else { &[] },
            });
        }
    }

    #[test]
    fn items_with_dates_go_to_their_hour_and_others_to_their_interval() {
        let hourly = |dated: bool| {
            let mut model = GammaSlots::daily(1.0 / DAY).unwrap();
            if dated {
                model = model.with_dates();
            }
            morning_paper(&mut model, 30, dated);
            model.rates().iter().map(|rate| rate * HOUR).collect::<Vec<_>>()
        };
        let dated = hourly(true);
        assert!(dated[5] > 6.0, "five o'clock: {} of 8", dated[5]);
        assert!(dated[4] < 0.2 && dated[6] < 0.2);
        let undated = hourly(false);
        for (hour, rate) in undated.iter().enumerate().take(8).skip(4) {
            assert!((rate - 2.0).abs() < 0.6, "{hour} h: {rate}");
        }
        assert!(undated[12] < 0.2);
    }

    #[test]
    fn an_all_zero_start_recovers_within_two_days() {
        let mut model = GammaSlots::daily(0.0).unwrap();
        morning_paper(&mut model, 2, false);
        assert!(model.mean_rate() * DAY > 1.0, "{}", model.mean_rate() * DAY);
    }
}
