//! The rules of feed readers: an interval for each source, derived from its past items. The threshold
//! stretches all intervals until the budget is met.

use super::above::choose_above;
use super::{Cycle, Rule, Strategy};
use crate::knowledge::Knowledge;
use crate::observation::Observation;
use crate::time::DAY;

/// The range of intervals, before they are stretched.
const SHORTEST: f64 = 300.0;
const LONGEST: f64 = DAY;

/// What a rule remembers of one source. A new source has the longest interval.
pub(crate) trait History: Clone + Default + Send {
    fn add(&mut self, observation: &Observation<'_>);

    fn interval(&self) -> f64;
}

/// Refreshes each source at the interval that follows from its history.
#[derive(Debug, Clone, Default)]
pub(crate) struct ByInterval<H> {
    sources: Vec<H>,
}

/// An interval that depends on the number of items in the last week, as in Miniflux.
pub(crate) type EntryFrequency = ByInterval<LastWeek>;

/// An interval that depends on the age of the newest item, as in web caches and some feed readers.
pub(crate) type AdaptiveTtl = ByInterval<NewestItem>;

impl<H: History> ByInterval<H> {
    fn interval(&self, source: usize) -> f64 {
        self.sources.get(source).map_or(LONGEST, History::interval)
    }
}

impl<K: Knowledge, H: History> Strategy<K> for ByInterval<H> {
    fn choose(&mut self, cycle: &Cycle, known: &K, chosen: &mut Vec<usize>) -> usize {
        let score = |source| known.age(source, cycle.now) / self.interval(source);
        choose_above(cycle, known, score, chosen)
    }

    fn rule(&mut self, cycle: &Cycle, _: &K, source: usize, _: f64) -> Rule {
        Rule::Interval(cycle.threshold * self.interval(source))
    }

    fn observed(&mut self, source: usize, observation: &Observation<'_>) {
        if self.sources.len() <= source {
            self.sources.resize(source + 1, H::default());
        }
        self.sources[source].add(observation);
    }
}

/// Items per day of the last week, and the interval that follows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LastWeek {
    counts: [u32; 7],
    day: i64,
    interval: f64,
}

impl Default for LastWeek {
    fn default() -> Self {
        Self { counts: [0; 7], day: i64::MIN, interval: LONGEST }
    }
}

impl LastWeek {
    fn advance(&mut self, day: i64) {
        let passed = day.saturating_sub(self.day).clamp(0, 7);
        for back in 0..passed {
            self.counts[(day - back).rem_euclid(7) as usize] = 0;
        }
        self.day = self.day.max(day);
    }
}

impl History for LastWeek {
    fn add(&mut self, observation: &Observation<'_>) {
        let today = (observation.at / DAY) as i64;
        self.advance(today);
        let mut count = |instant: f64, items: u32| {
            let day = (instant / DAY) as i64;
            if today - day < 7 {
                self.counts[day.rem_euclid(7) as usize] += items;
            }
        };
        if observation.dates_are_plausible() {
            observation.dates.iter().for_each(|&date| count(date, 1));
        } else {
            count(observation.at, observation.new_items);
        }
        let week: u32 = self.counts.iter().sum();
        self.interval = (7.0 * DAY / f64::from(week.max(1))).clamp(SHORTEST, LONGEST);
    }

    fn interval(&self) -> f64 {
        self.interval
    }
}

/// The time of the newest item, and the interval that follows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewestItem {
    newest: f64,
    interval: f64,
}

/// The interval is this share of the age of the newest item.
const TTL_SHARE: f64 = 0.5;

impl Default for NewestItem {
    fn default() -> Self {
        Self { newest: f64::NEG_INFINITY, interval: LONGEST }
    }
}

impl History for NewestItem {
    fn add(&mut self, observation: &Observation<'_>) {
        if observation.new_items > 0 {
            let dated = observation.dates_are_plausible();
            let latest = if dated { observation.dates.last().copied() } else { None };
            self.newest = latest.unwrap_or(observation.at);
        }
        self.interval = (TTL_SHARE * (observation.at - self.newest)).clamp(SHORTEST, LONGEST);
    }

    fn interval(&self) -> f64 {
        self.interval
    }
}
