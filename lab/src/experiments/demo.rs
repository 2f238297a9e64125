//! `demo` and `synthesise`: a synthetic newsroom of all kinds of sources, to show in seconds what a
//! scheduler gains, and to give `replay` something to chew on where no recording is at hand.

use pergola_newsroom::{Process, Rhythm, Trace, TraceItem, TraceStream, random_stream};
use pergola_refresh::{DAY, HOUR, Invalid, ModelKind, StrategyKind, WEEK};
use rand::RngExt;

use super::replay::{Entry, Settings, contest};
use crate::report::Report;
use crate::trials::Lab;
use crate::world::publisher;

/// Draws a trace: daily rhythms, robots on timers, bursts; from one item in days to hundreds a day.
pub(crate) fn synthesise(sources: usize, weeks: usize, seed: u64) -> Trace {
    let end = weeks as f64 * WEEK;
    let streams = (0..sources)
        .map(|source| {
            let mut random = random_stream(seed, DRAWS + source as u64);
            // Rates spread evenly over powers of ten, from one item in five days to 150 a day.
            let per_day = 10f64.powf(-0.7 + 2.9 * random.random::<f64>());
            let shift = random.random_range(0..24);
            let process = match random.random_range(0..10) {
                0..4 => Process::daily(Rhythm::Waves, per_day, shift),
                4..6 => Process::daily(Rhythm::Uniform, per_day, shift),
                6 => Process::daily(Rhythm::Peaks, per_day, shift),
                7 => Process::Bursts { rate: per_day / 4.0 / DAY, size: 4.0, spread: 600.0 },
                _ => timer(per_day, end, &mut random),
            };
            let items = publisher(process, seed, source as u64).until(end);
            let number = |n: usize| format!("Item {} of source {}", n + 1, source + 1);
            TraceStream {
                id: format!("s{source:04}"),
                items: items
                    .iter()
                    .enumerate()
                    .map(|(n, item)| TraceItem {
                        at: item.at.round(),
                        keywords: String::new(),
                        title: number(n),
                    })
                    .collect(),
            }
        })
        .collect();
    Trace { streams, weeks }
}

/// A robot: a fixed interval of whole quarters of an hour, a little late each time, now and then
/// with nothing to say.
fn timer(per_day: f64, end: f64, random: &mut impl rand::Rng) -> Process {
    let quarter = 0.25 * HOUR;
    let interval = quarter * (DAY / per_day / quarter).round().max(1.0);
    let mut times = Vec::new();
    let mut at = random.random_range(0..60) as f64 * 60.0;
    while at + 60.0 < end {
        if random.random_bool(0.9) {
            times.push(at + 60.0 * random.random::<f64>());
        }
        at += interval;
    }
    Process::Recorded(times)
}

/// Random streams that decide what kind of source each one is.
const DRAWS: u64 = 1 << 42;

/// `demo`: the rules of feed readers and our strategies on three weeks of 120 synthetic sources.
pub(crate) fn demo(lab: &Lab) -> Result<Report, Invalid> {
    let trace = synthesise(120, 3, lab.seed);
    let entries = [
        (StrategyKind::FixedInterval, None),
        (StrategyKind::EntryFrequency, None),
        (StrategyKind::TwoSteps, Some(ModelKind::Gamma)),
        (StrategyKind::Index, Some(ModelKind::Gamma)),
        (StrategyKind::Plan, Some(ModelKind::Calendar)),
    ]
    .map(|(strategy, model)| Entry { strategy, model, equity: 0.0 });
    contest(lab, &trace, &Settings::default(), &entries)
}
