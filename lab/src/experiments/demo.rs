//! `demo` and `synthesise`: a synthetic newsroom with all kinds of sources. It shows in seconds what a scheduler
//! gains, and gives `replay` a trace where there is no recording.

use pergola_newsroom::wording::{Filler, TOPICS};
use pergola_newsroom::{KeywordSet, Process, Rhythm, Trace, TraceItem, TraceStream, random_stream};
use pergola_refresh::{DAY, HOUR, Invalid, ModelKind, StrategyKind, WEEK};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::replay::{Entry, Settings, contest};
use crate::report::Report;
use crate::trials::Lab;
use crate::world::publisher;

/// Draws a trace: daily rhythms, robots on timers and bursts, from an item in some days to hundreds a day.
pub(crate) fn synthesise(sources: usize, weeks: usize, seed: u64) -> Trace {
    let end = weeks as f64 * WEEK;
    let streams = (0..sources)
        .map(|source| {
            let mut random = random_stream(seed, DRAWS + source as u64);
            // From one item in five days to 150 a day, evenly over powers of ten.
            let per_day = 10f64.powf(-0.7 + 2.9 * random.random::<f64>());
            let shift = random.random_range(0..24);
            let process = match random.random_range(0..10) {
                0..4 => Process::daily(Rhythm::Waves, per_day, shift),
                4..6 => Process::daily(Rhythm::Uniform, per_day, shift),
                6 => Process::daily(Rhythm::Peaks, per_day, shift),
                7 => Process::Bursts { rate: per_day / 4.0 / DAY, size: 4.0, spread: 600.0 },
                _ => timer(per_day, end, &mut random),
            };
            let robot = matches!(process, Process::Recorded(_));
            let items = publisher(process, seed, source as u64).until(end);
            let mut wording = Wording::new(robot, random);
            TraceStream {
                id: format!("s{source:04}"),
                items: items
                    .iter()
                    .enumerate()
                    .map(|(n, item)| {
                        let (title, keywords) = wording.next(item.at, n as u64 + 1);
                        TraceItem { at: item.at.round(), keywords, title }
                    })
                    .collect(),
            }
        })
        .collect();
    Trace { streams, weeks }
}

/// The words of a source: it has subjects of its own, and one that is in the news for some days. A robot almost
/// always repeats itself.
struct Wording {
    robot: bool,
    subjects: KeywordSet,
    /// What is in the news, and until when.
    news: usize,
    until: f64,
    filler: Filler,
    random: ChaCha8Rng,
}

/// Subjects of a source, and mean time that one thing is in the news.
const SUBJECTS: usize = 3;
const IN_THE_NEWS: f64 = 5.0 * DAY;

impl Wording {
    fn new(robot: bool, mut random: ChaCha8Rng) -> Self {
        let all = KeywordSet::dictionary(TOPICS.len());
        let subjects = all.draw(SUBJECTS, &mut random);
        Self { robot, subjects, news: 0, until: 0.0, filler: Filler::without([]), random }
    }

    /// Title and keywords of the item `number`, published at `at`.
    fn next(&mut self, at: f64, number: u64) -> (String, String) {
        if at >= self.until {
            self.news = self.random.random_range(0..TOPICS.len());
            self.until = at - IN_THE_NEWS * (1.0 - self.random.random::<f64>()).ln();
        }
        let subject = self.subjects.draw(1, &mut self.random).iter().next().unwrap_or(0);
        if self.robot && self.random.random_bool(0.9) {
            let topic = self.subjects.iter().next().map_or("numbers", |subject| TOPICS[subject]);
            return (format!("Update {topic} data ({number})"), topic.to_owned());
        }
        let mut topics = vec![TOPICS[subject]];
        if self.random.random_bool(0.6) {
            topics.push(TOPICS[self.news]);
        }
        (self.filler.title(&topics, number, self.random.random()), topics.join(","))
    }
}

/// A robot: it publishes at a fixed interval of whole quarters of an hour, a little late each time, and skips some
/// turns.
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

/// The random streams that decide the kind of each source.
const DRAWS: u64 = 1 << 42;

/// `demo`: the intervals of feed readers and our strategies, on three weeks of 120 synthetic sources.
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
