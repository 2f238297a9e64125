//! The calendar: a mixture of five tables of dated items, from coarse to fine.
//!
//! People publish by the hour of the day and the day of the week; robots publish at fixed minutes of
//! the hour or times of the day. So five beliefs learn in parallel: the overall level, the hour of the
//! day, the hour of the week, the five minutes within the hour and the five minutes of the day. Each
//! cell is shrunk towards its cell in a coarser table, so that a fine table has no effect until it has
//! data. Each source learns by online EM which of the five explains its items best.
//!
//! An item is credited to the tables *before* it enters them, that is, by their predictions. If it were
//! credited afterwards, the finest table would always win.

use super::belief::{Prior, fading};
use super::publication::{PublicationModel, bounded};
use crate::error::Invalid;
use crate::observation::Observation;
use crate::time::{DAY, WEEK};

/// The finest step of any table.
const STEP: f64 = 300.0;
const STEPS_PER_HOUR: usize = 12;
const STEPS_PER_DAY: usize = 288;
const STEPS_PER_WEEK: usize = 2016;

/// The views of time besides the level (the first), from coarse to fine.
const DAY_HOUR: usize = 1;
const WEEK_HOUR: usize = 2;
const HOUR_STEP: usize = 3;
const DAY_STEP: usize = 4;
const VIEWS: usize = 5;

/// Where each table starts in the array of cells; the level is stored apart.
const TABLES: [usize; VIEWS] = [0, 0, 24, 24 + 168, 24 + 168 + 12];
pub(super) const CELLS: usize = 24 + 168 + 12 + STEPS_PER_DAY;

/// Items that a cell needs to move half-way from the coarser table to its own rate.
const SHRINKAGE: f64 = 0.25;
/// The level fades by a factor of e in this time.
const LEVEL_MEMORY: f64 = 5.0 * DAY;
/// The tables fade more slowly.
const HABIT_MEMORY: f64 = 42.0 * DAY;
/// Items until the weights count half, and the memory of the weights in items.
const WEIGHT_PRIOR: f64 = 3.0;
const WEIGHT_MEMORY: f64 = 150.0;

/// A mixture of five beliefs about when a source publishes.
#[derive(Debug, Clone, PartialEq)]
pub struct Calendar {
    pub(super) prior: Prior,
    pub(super) items: f32,
    pub(super) time: f32,
    /// Items and seconds per cell, both multiplied by `scale`.
    pub(super) cells: Vec<(f32, f32)>,
    /// Grows with time, instead of fading every cell at each refresh.
    pub(super) scale: f64,
    /// Items credited to each view.
    pub(super) credit: [f32; VIEWS],
}

/// The cells of the four tables for a step of the week.
fn cells_at(step_of_week: usize) -> [usize; VIEWS] {
    let step_of_day = step_of_week % STEPS_PER_DAY;
    [
        0,
        TABLES[DAY_HOUR] + step_of_day / STEPS_PER_HOUR,
        TABLES[WEEK_HOUR] + step_of_week / STEPS_PER_HOUR,
        TABLES[HOUR_STEP] + step_of_day % STEPS_PER_HOUR,
        TABLES[DAY_STEP] + step_of_day,
    ]
}

fn step_of_week(instant: f64) -> usize {
    ((instant.rem_euclid(WEEK) / STEP) as usize).min(STEPS_PER_WEEK - 1)
}

/// Calls `f(step of the week, seconds)` for each piece of an interval, which must not be long.
fn for_each_step(from: f64, to: f64, mut f: impl FnMut(usize, f64)) {
    let mut left = to - from;
    let mut step = step_of_week(from);
    let mut room = ((step as f64 + 1.0) * STEP - from.rem_euclid(WEEK)).max(0.0);
    while left > 0.0 {
        let length = room.min(left);
        f(step, length);
        left -= length;
        step = (step + 1) % STEPS_PER_WEEK;
        room = STEP;
    }
}

impl Calendar {
    /// Expects `prior` items per second until it learns otherwise.
    pub fn new(prior: f64) -> Result<Self, Invalid> {
        let prior = bounded(Invalid::unless_not_negative("publication rate", prior)?);
        Ok(Self {
            prior: Prior::of(prior),
            items: 0.0,
            time: 0.0,
            cells: vec![(0.0, 0.0); CELLS],
            scale: 1.0,
            credit: [0.0; VIEWS],
        })
    }

    /// The weight of each view: level, hour of the day, hour of the week, five minutes of the hour,
    /// five minutes of the day. They add up to one.
    pub fn weights(&self) -> [f64; VIEWS] {
        let total: f64 = self.credit.iter().map(|&c| f64::from(c)).sum();
        std::array::from_fn(|view| {
            (f64::from(self.credit[view]) + WEIGHT_PRIOR / VIEWS as f64) / (total + WEIGHT_PRIOR)
        })
    }

    /// The rate of a cell, from its items and time and `SHRINKAGE` items at the rate of the coarser cell.
    #[inline]
    fn cell_rate(&self, cell: usize, coarser: f64) -> f64 {
        let (items, time) = self.cells[cell];
        let prior = SHRINKAGE * self.scale;
        (f64::from(items) + prior) / (f64::from(time) + prior / coarser)
    }

    /// The rate of each view for one step.
    #[inline]
    fn views(&self, step: usize, level: f64) -> [f64; VIEWS] {
        let cells = cells_at(step);
        let day_hour = self.cell_rate(cells[DAY_HOUR], level);
        [
            level,
            day_hour,
            self.cell_rate(cells[WEEK_HOUR], day_hour),
            self.cell_rate(cells[HOUR_STEP], level),
            self.cell_rate(cells[DAY_STEP], day_hour),
        ]
    }

    #[inline]
    fn rate(&self, step: usize, level: f64, weights: &[f64; VIEWS]) -> f64 {
        let views = self.views(step, level);
        bounded(views.iter().zip(weights).map(|(rate, weight)| rate * weight).sum())
    }

    /// Credits an item to the views in proportion to their predictions.
    fn credit(&mut self, step: usize, amount: f64) {
        let weights = self.weights();
        let views = self.views(step, self.mean_rate());
        let shares: [f64; VIEWS] = std::array::from_fn(|view| views[view] * weights[view]);
        let total: f64 = shares.iter().sum();
        let kept = 1.0 - amount / WEIGHT_MEMORY;
        for (credit, share) in self.credit.iter_mut().zip(shares) {
            *credit = (f64::from(*credit) * kept + amount * share / total) as f32;
        }
    }

    fn add(&mut self, step: usize, items: f64, time: f64) {
        for cell in &cells_at(step)[DAY_HOUR..] {
            self.cells[*cell].0 += (items * self.scale) as f32;
            self.cells[*cell].1 += (time * self.scale) as f32;
        }
    }

    /// Adds the time of an interval to the cells, and fades what they had.
    fn pass_time(&mut self, from: f64, to: f64) {
        self.scale *= ((to - from).min(WEEK * 52.0) / HABIT_MEMORY).exp();
        if self.scale > 1e3 {
            for cell in &mut self.cells {
                *cell = (
                    (f64::from(cell.0) / self.scale) as f32,
                    (f64::from(cell.1) / self.scale) as f32,
                );
            }
            self.scale = 1.0;
        }
        // Only the last weeks of a very long interval matter.
        let from = from.max(to - 3.0 * WEEK);
        for_each_step(from, to, |step, length| self.add(step, 0.0, length));
    }
}

impl PublicationModel for Calendar {
    fn divergence(&self, from: f64, to: f64) -> (f64, f64) {
        let (level, weights) = (self.mean_rate(), self.weights());
        let walk = |from: f64, to: f64, start: f64| {
            let (mut sum, mut area) = (start, 0.0);
            for_each_step(from, to, |step, length| {
                let rate = self.rate(step, level, &weights);
                area += sum * length + 0.5 * rate * length * length;
                sum += rate * length;
            });
            (sum, area)
        };
        let weeks = ((to - from) / WEEK).floor().max(0.0);
        if weeks == 0.0 {
            return walk(from, to, 0.0);
        }
        // Each whole week equals the first, but starts `one` higher than the week before.
        let (one, one_area) = walk(from, from + WEEK, 0.0);
        let whole_area = weeks * one_area + 0.5 * weeks * (weeks - 1.0) * one * WEEK;
        let (sum, area) = walk(from + weeks * WEEK, to, weeks * one);
        (sum, whole_area + area)
    }

    fn mean_rate(&self) -> f64 {
        self.prior.and(self.items, self.time).rate()
    }

    fn forecast(&self, from: f64, step: f64, bins: &mut [f64]) {
        let (level, weights) = (self.mean_rate(), self.weights());
        for (index, bin) in bins.iter_mut().enumerate() {
            let start = from + index as f64 * step;
            *bin = 0.0;
            for_each_step(start, start + step, |step, length| {
                *bin += self.rate(step, level, &weights) * length;
            });
        }
    }

    fn learn(&mut self, observation: &Observation<'_>) {
        let by_date = observation.dates_are_plausible();
        let evidence = if by_date { observation.dated() } else { observation.undated() };
        let Some(evidence) = evidence else { return };
        let (kept, counted) = fading(evidence.length(), LEVEL_MEMORY);
        let (mut count, mut length) = (counted * evidence.count, counted * evidence.length());
        if evidence.censored {
            let expected = self.expected(evidence.from, evidence.to);
            let belief = self.prior.and(self.items, self.time);
            (count, length) = belief.full_window(expected, evidence.count);
        }
        let recent = evidence.from.max(evidence.to - WEEK);
        if by_date {
            let first = observation.dates.len() - evidence.count as usize;
            for &date in &observation.dates[first..] {
                self.credit(step_of_week(date), 1.0);
            }
            self.pass_time(evidence.from, evidence.to);
            for &date in &observation.dates[first..] {
                self.add(step_of_week(date), 1.0, 0.0);
            }
        } else {
            // Without dates: distribute the items over the interval as the mixture expected them.
            let (level, weights) = (self.mean_rate(), self.weights());
            let mut shares = Vec::new();
            if count > 0.0 {
                for_each_step(recent, evidence.to, |step, length| {
                    shares.push((step, self.rate(step, level, &weights) * length));
                });
            }
            self.pass_time(evidence.from, evidence.to);
            let total: f64 = shares.iter().map(|(_, share)| share).sum();
            for (step, share) in shares {
                self.add(step, count * share / total, 0.0);
            }
        }
        self.items = (kept * f64::from(self.items) + count).min(1e30) as f32;
        self.time = (kept * f64::from(self.time) + length).min(1e30) as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::HOUR;

    /// Refreshes every three hours, for `days` days, a source that publishes at the given times of day.
    fn watch(days: u32, times_of_day: &[f64]) -> Calendar {
        let mut model = Calendar::new(1.0 / DAY).unwrap();
        for refresh in 0..days * 8 {
            let (since, at) =
                (f64::from(refresh) * 3.0 * HOUR, f64::from(refresh + 1) * 3.0 * HOUR);
            let midnight = (since / DAY).floor() * DAY;
            let dates: Vec<f64> = times_of_day
                .iter()
                .map(|time| midnight + time)
                .filter(|date| *date > since && *date <= at)
                .collect();
            let new_items = dates.len() as u32;
            model.learn(&Observation {
                at,
                since: Some(since),
                new_items,
                window: 20,
                censored: false,
                dates: &dates,
            });
        }
        model
    }

    #[test]
    fn a_robot_that_publishes_at_one_minute_of_the_day_is_detected() {
        let model = watch(28, &[7.0 * HOUR + 120.0]);
        let day = 28.0 * DAY;
        let in_its_minutes = model.expected(day + 7.0 * HOUR, day + 7.0 * HOUR + STEP);
        assert!(in_its_minutes > 0.6, "{in_its_minutes} of one item");
        let rest = model.expected(day + 8.0 * HOUR, day + DAY);
        assert!(rest < 0.25, "{rest} items expected in the rest of the day");
    }

    #[test]
    fn a_robot_on_the_hour_moves_the_weight_to_the_minutes_of_the_hour() {
        let hourly: Vec<f64> = (0..24).map(|hour| f64::from(hour) * HOUR + 60.0).collect();
        let model = watch(14, &hourly);
        let weights = model.weights();
        assert!(weights[HOUR_STEP] > weights[0], "{weights:?}");
        let next_hour = 14.0 * DAY + 5.0 * HOUR;
        let early = model.expected(next_hour, next_hour + STEP);
        let late = model.expected(next_hour + STEP, next_hour + HOUR);
        assert!(early > 3.0 * late, "{early} in the first five minutes, {late} in the others");
    }

    #[test]
    fn the_weights_add_up_to_one_and_the_total_matches_the_level() {
        let model = watch(28, &[7.0 * HOUR, 7.5 * HOUR, 19.0 * HOUR]);
        assert!((model.weights().iter().sum::<f64>() - 1.0).abs() < 1e-6);
        let week = model.expected(28.0 * DAY, 35.0 * DAY) / 7.0;
        assert!((week - 3.0).abs() < 0.3, "{week} items a day");
    }
}
