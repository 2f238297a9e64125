//! An endless stream of items, drawn from a process, in order of time.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Exp1, Poisson};

use crate::process::part_at;
use crate::{KeywordSet, Process, ProcessError};

/// The random numbers of one source: independent of every other source with the same seed.
pub fn random_stream(seed: u64, source: u64) -> ChaCha8Rng {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(source);
    random
}

/// A published item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Item {
    /// In seconds of virtual time.
    pub at: f64,
    pub keywords: KeywordSet,
}

/// A source that publishes. As an iterator it returns items in order of time; it ends only after the last recorded
/// time, or if the source will never publish again.
#[derive(Debug, Clone)]
pub struct Publisher {
    process: Process,
    profile: KeywordSet,
    /// Chance that an item carries a keyword of the profile.
    item_share: f64,
    random: ChaCha8Rng,
    now: f64,
    /// The rate is this many times that of the process.
    factor: f64,
    /// Recorded items already played.
    played: usize,
    /// Instants of the rest of a burst, latest first.
    burst: Vec<f64>,
}

impl Publisher {
    /// Source number `source` of a newsroom with this seed.
    pub fn new(process: Process, seed: u64, source: u64) -> Result<Self, ProcessError> {
        process.check()?;
        Ok(Self {
            process,
            profile: KeywordSet::default(),
            item_share: 0.0,
            random: random_stream(seed, source),
            now: 0.0,
            factor: 1.0,
            played: 0,
            burst: Vec::new(),
        })
    }

    /// Gives the source a profile; each item carries each of its keywords with chance `item_share`.
    pub fn with_profile(self, profile: KeywordSet, item_share: f64) -> Self {
        Self { profile, item_share: item_share.clamp(0.0, 1.0), ..self }
    }

    /// Continues from `at` with `factor` times the rate of the process. Items after `at` are drawn again; recorded
    /// times stay the same.
    pub fn restart(&mut self, at: f64, factor: f64) {
        if let Process::Recorded(times) = &self.process {
            self.played = times.partition_point(|&time| time <= at);
        }
        self.now = at;
        self.factor = factor;
        self.burst.clear();
    }

    /// Draws keywords for an item.
    pub fn draw_keywords(&mut self) -> KeywordSet {
        self.profile.sample(self.item_share, &mut self.random)
    }

    /// All items until an instant.
    pub fn until(self, end: f64) -> Vec<Item> {
        self.take_while(|item| item.at <= end).collect()
    }

    fn next_instant(&mut self) -> Option<f64> {
        if let Process::Recorded(times) = &self.process {
            self.played += 1;
            return times.get(self.played - 1).copied();
        }
        if let Some(at) = self.burst.pop() {
            return Some(at);
        }
        let (after, opened) = arrival(&self.process, self.now, self.factor, &mut self.random)?;
        self.now = after;
        if let Some((size, spread)) = opened {
            let more = Poisson::new((size - 1.0).max(1e-9))
                .map_or(0.0, |law| law.sample(&mut self.random));
            self.burst =
                (0..more as usize).map(|_| after + self.random.random::<f64>() * spread).collect();
            // Bursts may overlap; the next one then starts after the last item of this one.
            self.burst.sort_unstable_by(|a, b| b.total_cmp(a));
            self.now = self.burst.first().copied().unwrap_or(after).max(after);
        }
        Some(after)
    }
}

/// The next arrival after `now` and, for bursts, how many items follow within how many seconds.
fn arrival(
    process: &Process,
    now: f64,
    factor: f64,
    random: &mut ChaCha8Rng,
) -> Option<(f64, Option<(f64, f64)>)> {
    if factor <= 0.0 {
        return None;
    }
    let mut gap = || -> f64 {
        let drawn: f64 = Exp1.sample(random);
        drawn / factor
    };
    match process {
        Process::Constant { rate } => (*rate > 0.0).then(|| (now + gap() / rate, None)),
        Process::Bursts { rate, size, spread } => {
            (*rate > 0.0).then(|| (now + gap() / rate, Some((*size, *spread))))
        }
        Process::Periodic { rates, period } => {
            if rates.iter().all(|&rate| rate == 0.0) {
                return None;
            }
            // Walk the slots until the drawn number of expected items is used up.
            let mut wanted = gap();
            let length = period / rates.len() as f64;
            let mut slot = ((now.rem_euclid(*period) / length) as usize).min(rates.len() - 1);
            let mut at = now;
            let mut end = now - now.rem_euclid(*period) + (slot as f64 + 1.0) * length;
            loop {
                let room = (end - at).max(0.0) * rates[slot];
                if wanted < room {
                    return Some((at + wanted / rates[slot], None));
                }
                wanted -= room;
                at = end;
                end += length;
                slot = (slot + 1) % rates.len();
            }
        }
        Process::Sequence(parts) => {
            let mut at = now;
            loop {
                let (start, part) = part_at(parts, at);
                let index = parts.iter().position(|(_, p)| std::ptr::eq(p, part))?;
                let end =
                    if index + 1 < parts.len() { start + parts[index].0 } else { f64::INFINITY };
                match arrival(part, at - start, factor, random) {
                    Some((after, opened)) if start + after < end => {
                        return Some((start + after, opened));
                    }
                    // Nothing more in this part. Processes have no memory: draw again in the next.
                    _ if end.is_finite() => at = end,
                    _ => return None,
                }
            }
        }
        Process::Recorded(times) => times.iter().find(|&&at| at > now).map(|&at| (at, None)),
    }
}

impl Iterator for Publisher {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        let at = self.next_instant()?;
        let keywords = self.draw_keywords();
        Some(Item { at, keywords })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pergola_refresh::DAY;

    use crate::Rhythm;

    fn published(process: Process, days: f64, source: u64) -> Vec<f64> {
        let items = Publisher::new(process, 7, source).unwrap().until(days * DAY);
        items.iter().map(|item| item.at).collect()
    }

    #[test]
    fn the_same_seed_gives_the_same_items_and_another_source_others() {
        let process = Process::Constant { rate: 10.0 / DAY };
        let first = published(process.clone(), 30.0, 3);
        assert_eq!(first, published(process.clone(), 30.0, 3));
        assert_ne!(first, published(process, 30.0, 4));
    }

    #[test]
    fn every_process_publishes_in_order_and_at_its_rate() {
        let day = 100.0 / DAY;
        let processes = [
            Process::Constant { rate: day },
            Process::daily(Rhythm::Waves, 100.0, 3),
            Process::daily(Rhythm::Peaks, 100.0, 0),
            Process::Bursts { rate: day / 5.0, size: 5.0, spread: 60.0 },
            Process::Sequence(vec![
                (50.0 * DAY, Process::Constant { rate: day }),
                (50.0 * DAY, Process::daily(Rhythm::Uniform, 100.0, 0)),
            ]),
        ];
        for process in processes {
            let times = published(process.clone(), 100.0, 1);
            assert!(times.is_sorted(), "{process:?}");
            let error = times.len() as f64 / 10_000.0 - 1.0;
            assert!(error.abs() < 0.06, "{process:?} is off by {error}");
        }
    }

    #[test]
    fn a_daily_rhythm_keeps_its_hours() {
        let times = published(Process::daily(Rhythm::Peaks, 48.0, 0), 60.0, 1);
        assert!(times.iter().all(|at| ((at % DAY / 3600.0) as u32).is_multiple_of(4)));
    }

    #[test]
    fn a_sequence_changes_when_its_parts_do() {
        let quiet = (10.0 * DAY, Process::Constant { rate: 0.0 });
        let busy = (10.0 * DAY, Process::Constant { rate: 50.0 / DAY });
        let times = published(Process::Sequence(vec![quiet, busy]), 20.0, 1);
        assert!(times.iter().all(|&at| at > 10.0 * DAY));
        assert!((400..600).contains(&times.len()), "{}", times.len());
    }

    #[test]
    fn a_publisher_starts_again_anywhere_and_at_another_rate() {
        let mut publisher = Publisher::new(Process::daily(Rhythm::Waves, 100.0, 0), 7, 1).unwrap();
        publisher.restart(1_000.0 * DAY, 3.0);
        let items = publisher.clone().until(1_010.0 * DAY);
        assert!(items[0].at > 1_000.0 * DAY);
        assert!((2_700..3_300).contains(&items.len()), "{}", items.len());
        publisher.restart(2_000.0 * DAY, 0.0);
        assert_eq!(publisher.next(), None);
        let mut recorded = Publisher::new(Process::Recorded(vec![1.0, 2.0, 3.0]), 7, 1).unwrap();
        recorded.restart(2.0, 5.0);
        assert_eq!(recorded.map(|item| item.at).collect::<Vec<_>>(), [3.0]);
    }

    #[test]
    fn recorded_times_are_played_as_they_are_and_end() {
        let times = vec![1.0, 1.0, 5.0];
        assert_eq!(published(Process::Recorded(times.clone()), 1.0, 0), times);
        assert!(published(Process::Constant { rate: 0.0 }, 10.0, 0).is_empty());
    }
}
