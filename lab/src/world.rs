//! The world of an experiment: what every source publishes, and which items are relevant.
//!
//! A world is drawn once per seed and shared by all strategies, so that they are compared on the
//! same items.

use pergola_newsroom::{
    Interests, Item, KeywordSet, Process, Publisher, Rhythm, Trace, hourly_rates, random_stream,
};
use pergola_refresh::{DAY, HOUR, WEEK};
use rand::RngExt;

/// Everything that one source will publish.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stream {
    /// When its items appear, in order.
    pub(crate) times: Vec<f64>,
    /// Which items the reader wants.
    pub(crate) relevant: Vec<bool>,
    /// True mean rate, items per second.
    pub(crate) rate: f64,
    /// True share of relevant items.
    pub(crate) selectivity: f64,
    /// True rate in each hour of the day, items per second, for a source with a daily rhythm.
    pub(crate) hourly: Option<[f64; 24]>,
}

/// Everything that is published during an experiment.
#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) streams: Vec<Stream>,
    /// Items that a source's document shows.
    pub(crate) window: usize,
    /// Seconds between two decisions.
    pub(crate) cycle: f64,
    /// Cycles before measuring starts.
    pub(crate) warmup: usize,
    /// All cycles, warm-up included.
    pub(crate) cycles: usize,
}

/// Sources, highest rate per cycle, and window of the published setting.
const PUBLISHED_SOURCES: u64 = 100;
const PUBLISHED_RATE: f64 = 6.5;
const PUBLISHED_WINDOW: usize = 10;
/// Cycle and window of the estimation experiments.
const SHAPED_CYCLE: f64 = 600.0;
const SHAPED_WINDOW: usize = 20;
/// Cycle of a replay.
const REPLAY_CYCLE: f64 = 300.0;
/// The random streams of the world begin here; those below belong to the sources.
const WORLD: u64 = 1 << 40;

impl World {
    /// The world of Table 4.1: 100 sources, rates uniform in [0, 6.5] per cycle of an hour, windows
    /// of 10, keywords from a dictionary of 10. With `doubling`, all rates are half as high
    /// until that cycle.
    pub(crate) fn published(
        seed: u64,
        warmup: usize,
        measured: usize,
        doubling: Option<usize>,
    ) -> Self {
        let interests = Interests::PUBLISHED;
        let cycles = warmup + measured;
        let end = cycles as f64 * HOUR;
        let dictionary = KeywordSet::dictionary(interests.dictionary);
        let query = dictionary.draw(interests.query, &mut random_stream(seed, WORLD));
        let streams = (0..PUBLISHED_SOURCES)
            .map(|source| {
                let mut random = random_stream(seed, WORLD + 1 + source);
                let rate = random.random::<f64>() * PUBLISHED_RATE / HOUR;
                let profile = dictionary.sample(interests.profile, &mut random);
                let mut process = Process::Constant { rate };
                if let Some(cycle) = doubling {
                    let half = Process::Constant { rate: 0.5 * rate };
                    process = Process::Sequence(vec![(cycle as f64 * HOUR, half), (end, process)]);
                }
                let publisher = publisher(process, seed, source);
                let items = publisher.with_profile(profile, interests.item).until(end);
                Stream {
                    relevant: items.iter().map(|item| item.keywords.meets(query)).collect(),
                    times: times(&items),
                    rate,
                    selectivity: interests.selectivity(profile, query),
                    hourly: None,
                }
            })
            .collect();
        Self { streams, window: PUBLISHED_WINDOW, cycle: HOUR, warmup, cycles }
    }

    /// `sources` sources of one daily rhythm: 24 to 300 items a day (evenly by order of magnitude), cycles
    /// of ten minutes, windows of 20, every item relevant.
    pub(crate) fn shaped(
        rhythm: Rhythm,
        seed: u64,
        sources: u64,
        warmup_days: f64,
        days: f64,
    ) -> Self {
        let streams = (0..sources)
            .map(|source| {
                let mut random = random_stream(seed, WORLD + 1 + source);
                let per_day = 24.0 * (300.0f64 / 24.0).powf(random.random());
                let shift = random.random_range(0..24);
                let process = Process::daily(rhythm, per_day, shift);
                let hourly = hourly_rates(rhythm, shift).map(|hour| hour * per_day / DAY);
                let items = publisher(process, seed, source).until(days * DAY);
                Stream {
                    relevant: vec![true; items.len()],
                    times: times(&items),
                    rate: per_day / DAY,
                    selectivity: 1.0,
                    hourly: Some(hourly),
                }
            })
            .collect();
        let cycles = |days: f64| (days * DAY / SHAPED_CYCLE) as usize;
        Self {
            streams,
            window: SHAPED_WINDOW,
            cycle: SHAPED_CYCLE,
            warmup: cycles(warmup_days),
            cycles: cycles(days),
        }
    }

    /// A recorded trace, of which the first week is warm-up. Each item is relevant with chance
    /// `share`, drawn by `seed`.
    pub(crate) fn replay(trace: &Trace, window: usize, share: f64, seed: u64) -> Self {
        let end = trace.weeks as f64 * WEEK;
        let streams = trace
            .streams
            .iter()
            .zip(0..)
            .map(|(stream, source)| {
                let mut random = random_stream(seed, WORLD + 1 + source);
                Stream {
                    times: stream.items.iter().map(|item| item.at).collect(),
                    relevant: stream.items.iter().map(|_| random.random_bool(share)).collect(),
                    rate: stream.items.len() as f64 / end,
                    selectivity: share,
                    hourly: None,
                }
            })
            .collect();
        let cycles = (end / REPLAY_CYCLE) as usize;
        // A trace of one week has nothing to spare but its first day.
        let warmup = if trace.weeks > 1 { WEEK } else { DAY };
        Self {
            streams,
            window,
            cycle: REPLAY_CYCLE,
            warmup: (warmup / REPLAY_CYCLE) as usize,
            cycles,
        }
    }

    /// Cycles that are measured.
    pub(crate) fn measured(&self) -> usize {
        self.cycles - self.warmup
    }
}

/// A publisher of a process that the lab has made.
pub(crate) fn publisher(process: Process, seed: u64, source: u64) -> Publisher {
    Publisher::new(process, seed, source).expect("the processes of the lab are valid")
}

fn times(items: &[Item]) -> Vec<f64> {
    items.iter().map(|item| item.at).collect()
}
