//! Strategies that refresh everything whose score reaches the threshold: OnlyTau, the index, and the
//! rules of feed readers, whose intervals are stretched by the threshold until the budget is met.

use super::{Cycle, Rule, Strategy, take_highest};
use crate::{DAY, Knowledge, Observation, Taste};

/// The second step of 2Steps alone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OnlyTau;

impl<K: Knowledge> Strategy<K> for OnlyTau {
    fn choose(&mut self, cycle: &Cycle, known: &K, chosen: &mut Vec<usize>) -> usize {
        choose_above(cycle, known, |source| known.outlook(source, cycle.now).utility, chosen)
    }

    fn rule(&mut self, cycle: &Cycle, _: &K, _: usize, _: f64) -> Rule {
        Rule::Utility { least: cycle.threshold, saturated: false }
    }
}

/// Everything whose index is above the price.
///
/// The index is the price at which refreshing now and waiting are equally good, from the share of
/// items that would be lost and the share of the window that is missing. 2Steps is the lexicographic
/// version of this sum.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Index {
    taste: Taste,
}

impl Index {
    /// An index for a user's taste.
    pub(crate) fn new(taste: Taste) -> Self {
        Self { taste }
    }
}

impl<K: Knowledge> Strategy<K> for Index {
    fn choose(&mut self, cycle: &Cycle, known: &K, chosen: &mut Vec<usize>) -> usize {
        let score = |source| known.index(source, cycle.now, &self.taste);
        choose_above(cycle, known, score, chosen)
    }

    fn rule(&mut self, cycle: &Cycle, _: &K, _: usize, _: f64) -> Rule {
        Rule::Index { least: cycle.threshold, taste: self.taste }
    }
}

/// Intervals of feed readers lie between five minutes and a day, before they are scaled.
const SHORTEST: f64 = 300.0;
const LONGEST: f64 = DAY;

/// An interval by the number of entries of the last week, as Miniflux has it.
#[derive(Debug, Clone, Default)]
pub(crate) struct EntryFrequency {
    books: Vec<WeekBook>,
}

/// Entries per day of the last week and the interval that follows from them.
#[derive(Debug, Clone, Copy)]
struct WeekBook {
    counts: [u32; 7],
    day: i64,
    interval: f64,
}

impl Default for WeekBook {
    fn default() -> Self {
        Self { counts: [0; 7], day: i64::MIN, interval: LONGEST }
    }
}

impl WeekBook {
    fn advance(&mut self, day: i64) {
        let passed = day.saturating_sub(self.day).clamp(0, 7);
        for back in 0..passed {
            self.counts[(day - back).rem_euclid(7) as usize] = 0;
        }
        self.day = self.day.max(day);
    }

    fn enter(&mut self, observation: &Observation<'_>) {
        let today = (observation.at / DAY) as i64;
        self.advance(today);
        let mut count = |instant: f64, entries: u32| {
            let day = (instant / DAY) as i64;
            if today - day < 7 {
                self.counts[day.rem_euclid(7) as usize] += entries;
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
}

impl EntryFrequency {
    fn interval(&self, source: usize) -> f64 {
        self.books.get(source).map_or(LONGEST, |book| book.interval)
    }
}

impl<K: Knowledge> Strategy<K> for EntryFrequency {
    fn choose(&mut self, cycle: &Cycle, known: &K, chosen: &mut Vec<usize>) -> usize {
        let score = |source| known.age(source, cycle.now) / self.interval(source);
        choose_above(cycle, known, score, chosen)
    }

    fn rule(&mut self, cycle: &Cycle, _: &K, source: usize, _: f64) -> Rule {
        Rule::Interval(cycle.threshold * self.interval(source))
    }

    fn observed(&mut self, source: usize, observation: &Observation<'_>) {
        if self.books.len() <= source {
            self.books.resize(source + 1, WeekBook::default());
        }
        self.books[source].enter(observation);
    }
}

/// An interval by the age of the newest item, as web caches and some feed readers have it.
#[derive(Debug, Clone, Default)]
pub(crate) struct AdaptiveTtl {
    /// Instant of the newest item and the interval that followed from it.
    books: Vec<(f64, f64)>,
}

/// Share of the newest item's age after which a source is looked at again.
const TTL_SHARE: f64 = 0.5;

impl AdaptiveTtl {
    fn interval(&self, source: usize) -> f64 {
        self.books.get(source).map_or(LONGEST, |&(_, interval)| interval)
    }
}

impl<K: Knowledge> Strategy<K> for AdaptiveTtl {
    fn choose(&mut self, cycle: &Cycle, known: &K, chosen: &mut Vec<usize>) -> usize {
        let score = |source| known.age(source, cycle.now) / self.interval(source);
        choose_above(cycle, known, score, chosen)
    }

    fn rule(&mut self, cycle: &Cycle, _: &K, source: usize, _: f64) -> Rule {
        Rule::Interval(cycle.threshold * self.interval(source))
    }

    fn observed(&mut self, source: usize, observation: &Observation<'_>) {
        if self.books.len() <= source {
            self.books.resize(source + 1, (f64::NEG_INFINITY, LONGEST));
        }
        let (newest, interval) = &mut self.books[source];
        if observation.new_items > 0 {
            let dated = observation.dates_are_plausible();
            let latest = if dated { observation.dates.last().copied() } else { None };
            *newest = latest.unwrap_or(observation.at);
        }
        *interval = (TTL_SHARE * (observation.at - *newest)).clamp(SHORTEST, LONGEST);
    }
}

/// Everything whose score reaches the threshold, up to the limit, highest first.
fn choose_above<K: Knowledge>(
    cycle: &Cycle,
    known: &K,
    score: impl Fn(usize) -> f64,
    chosen: &mut Vec<usize>,
) -> usize {
    let mut candidates: Vec<(f64, usize)> = (0..known.len())
        .map(|source| (score(source), source))
        .filter(|&(score, source)| score >= cycle.threshold && known.ready(source, cycle.now))
        .collect();
    take_highest(&mut candidates, cycle.limit, chosen)
}
