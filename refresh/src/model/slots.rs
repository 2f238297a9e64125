//! A period of equal slots, and exact integrals of a rate that is constant in each slot.
//!
//! The two periodic models share it. The published formulas are wrong in three cases that this handles:
//! both ends in one slot, intervals longer than a period, and the wrap-around.

use crate::error::Invalid;
use crate::time::DAY;

/// A fixed maximum, so that a table needs no allocation.
pub(crate) const MAX_SLOTS: usize = 24;

/// Maps times to the slots of the period.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SlotClock {
    /// Length of a slot, and not of the period, because multiplying is faster than dividing.
    pub(super) length: f32,
    pub(super) slots: u8,
}

impl SlotClock {
    pub(crate) const DAILY: Self = Self { length: (DAY / 24.0) as f32, slots: 24 };

    pub(crate) fn new(period: f64, slots: usize) -> Result<Self, Invalid> {
        let period = Invalid::unless_positive("period in seconds", period)?;
        let ok = (1..=MAX_SLOTS).contains(&slots);
        let slots = Invalid::unless(ok, "number of slots", slots, "from 1 to 24")?;
        Ok(Self { length: (period / slots as f64) as f32, slots: slots as u8 })
    }

    pub(crate) fn slots(self) -> usize {
        usize::from(self.slots)
    }

    pub(crate) fn period(self) -> f64 {
        self.slot_length() * f64::from(self.slots)
    }

    pub(crate) fn slot_length(self) -> f64 {
        f64::from(self.length)
    }

    pub(crate) fn slot_of(self, instant: f64) -> usize {
        self.locate(instant).0
    }

    /// The slot of a time, and the rest of that slot in seconds. Uses division and floor, because this
    /// is the inner loop of every decision and a remainder would take longer than everything else.
    #[inline]
    fn locate(self, instant: f64) -> (usize, f64) {
        let period = self.period();
        let position = instant - period * (instant / period).floor();
        let length = self.slot_length();
        let slot = ((position / length) as usize).min(self.slots() - 1);
        (slot, (slot as f64 + 1.0) * length - position)
    }

    /// Calls `f(slot, length)` for each piece of `(from, to]` within one slot, in order.
    /// The interval must not be longer than a few periods; see [`SlotClock::integrate`].
    #[inline]
    pub(crate) fn for_each_piece(self, from: f64, to: f64, mut f: impl FnMut(usize, f64)) {
        let mut left = to - from;
        let (slots, slot_length) = (self.slots(), self.slot_length());
        let (mut slot, mut room) = self.locate(from);
        while left > 0.0 {
            let length = room.min(left).max(0.0);
            f(slot, length);
            left -= length;
            slot = if slot + 1 == slots { 0 } else { slot + 1 };
            room = slot_length;
        }
    }

    /// The seconds of each slot in `(from, to]`, for intervals of any length.
    pub(crate) fn coverage(self, from: f64, to: f64) -> [f64; MAX_SLOTS] {
        let whole = self.whole_periods(from, to);
        let mut covered = [0.0; MAX_SLOTS];
        covered[..self.slots()].fill(whole * self.slot_length());
        self.for_each_piece(from + whole * self.period(), to, |slot, length| {
            covered[slot] += length;
        });
        covered
    }

    /// (∫ rate, ∫∫ rate) over `(from, to]`: the divergence and its area.
    #[inline]
    pub(crate) fn integrate(self, from: f64, to: f64, rate: impl Fn(usize) -> f64) -> (f64, f64) {
        let (mut sum, mut area) = (0.0, 0.0);
        let whole = self.whole_periods(from, to);
        if whole > 0.0 {
            let (one, one_area) = self.walk(from, from + self.period(), &rate, 0.0);
            // Each period starts `one` higher than the period before.
            sum = whole * one;
            area = whole * one_area + 0.5 * whole * (whole - 1.0) * one * self.period();
        }
        let rest = from + whole * self.period();
        let (end, rest_area) = self.walk(rest, to, &rate, sum);
        (end, area + rest_area)
    }

    /// Walks over the slots of an interval within one period, with an initial divergence of `start`.
    #[inline]
    fn walk(self, from: f64, to: f64, rate: impl Fn(usize) -> f64, start: f64) -> (f64, f64) {
        let (mut sum, mut area) = (start, 0.0);
        self.for_each_piece(from, to, |slot, length| {
            let rate = rate(slot);
            area += sum * length + 0.5 * rate * length * length;
            sum += rate * length;
        });
        (sum, area)
    }

    fn whole_periods(self, from: f64, to: f64) -> f64 {
        let (span, period) = (to - from, self.period());
        if span < period { 0.0 } else { (span / period).floor() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four slots of 10 s with rates 1, 2, 3, 4.
    fn integrate(from: f64, to: f64) -> (f64, f64) {
        SlotClock::new(40.0, 4).unwrap().integrate(from, to, |slot| slot as f64 + 1.0)
    }

    #[test]
    fn both_ends_inside_one_slot_are_not_counted_twice() {
        assert_eq!(integrate(12.0, 15.0), (6.0, 9.0));
    }

    #[test]
    fn the_end_of_the_period_wraps_to_its_start() {
        // 5 s at 4, then 5 s at 1: 25 items; area = ½·4·25 + 20·5 + ½·1·25
        assert_eq!(integrate(35.0, 45.0), (25.0, 162.5));
    }

    #[test]
    fn several_periods_equal_the_same_walk_in_small_steps() {
        let (from, to) = (33.0, 33.0 + 40.0 * 3.0 + 17.0);
        let (sum, area) = integrate(from, to);
        let (mut slow_sum, mut slow_area) = (0.0, 0.0);
        for step in 0..13_700 {
            let at = from + f64::from(step) * 0.01;
            let (piece, piece_area) = integrate(at, at + 0.01);
            slow_area += slow_sum * 0.01 + piece_area;
            slow_sum += piece;
        }
        assert!((sum - slow_sum).abs() < 1e-6, "{sum} against {slow_sum}");
        assert!((area - slow_area).abs() < 1e-3, "{area} against {slow_area}");
    }

    #[test]
    fn coverage_adds_up_to_the_interval() {
        let clock = SlotClock::DAILY;
        let covered = clock.coverage(1_234.5, 1_234.5 + 3.7 * DAY);
        assert!((covered.iter().sum::<f64>() - 3.7 * DAY).abs() < 1e-6);
    }
}
