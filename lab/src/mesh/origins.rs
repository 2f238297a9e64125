//! What the sources of a mesh publish. It is drawn in advance, so that a mesh is played many times with the same
//! items.

use pergola_newsroom::{Process, Trace, random_stream};
use pergola_refresh::Invalid;
use rand::RngExt;

use super::CYCLE;
use super::wiring::Wiring;
use crate::world::publisher;

/// How sources publish.
#[derive(Debug, Clone)]
pub(crate) enum Publishing<'a> {
    /// At constant rates, uniform up to so many items per cycle.
    Uniform(f64),
    /// At the same rates, but in bursts of `size` items on average, each within a tenth of a cycle.
    Bursts { highest: f64, size: f64 },
    /// As recorded; if there are more sources than streams, streams are used again.
    Recorded(&'a Trace),
}

/// Items that one source publishes in addition, all within a cycle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Burst {
    pub(crate) source: usize,
    /// When it begins, in cycles.
    pub(crate) at: f64,
    pub(crate) items: usize,
}

/// All items, source after source.
#[derive(Debug, Clone, Default)]
pub(crate) struct Origins {
    /// When they are published, in order within each source.
    pub(crate) times: Vec<f64>,
    /// Which of its source's topics each is about.
    pub(crate) topics: Vec<u32>,
    /// Where the items of each source begin, and where those of the last end.
    begins: Vec<u32>,
}

/// The random streams for sources and nodes; those for the items of sources are lower.
pub(super) const DRAWN: u64 = 1 << 41;

impl Origins {
    /// Draws what a mesh's sources publish in so many cycles.
    pub(crate) fn draw(
        wiring: &Wiring,
        publishing: &Publishing<'_>,
        burst: Option<Burst>,
        cycles: usize,
        seed: u64,
    ) -> Result<Self, Invalid> {
        let end = cycles as f64 * CYCLE;
        let mut origins = Self { begins: vec![0], ..Self::default() };
        for (number, source) in wiring.sources.iter().enumerate() {
            let stream = number as u64 + 1;
            let mut random = random_stream(seed, DRAWN + stream);
            let mut rate = |highest: f64| random.random::<f64>() * highest / CYCLE;
            let process = match *publishing {
                Publishing::Uniform(highest) => Process::Constant { rate: rate(highest) },
                Publishing::Bursts { highest, size } => {
                    Process::Bursts { rate: rate(highest) / size, size, spread: 0.1 * CYCLE }
                }
                Publishing::Recorded(trace) => {
                    let stream = &trace.streams[number % trace.streams.len()];
                    Process::Recorded(stream.items.iter().map(|item| item.at).collect())
                }
            };
            let first = origins.times.len();
            let items = publisher(process, seed, stream).until(end);
            origins.times.extend(items.iter().map(|item| item.at));
            if let Some(burst) = burst.filter(|burst| burst.source == number) {
                let spacing = CYCLE / burst.items.max(1) as f64;
                let more = (0..burst.items).map(|n| burst.at * CYCLE + n as f64 * spacing);
                origins.times.extend(more.filter(|&at| at <= end));
                origins.times[first..].sort_by(f64::total_cmp);
            }
            let count = source.topics.len() as u32;
            let topic = |_: &f64| if count > 1 { random.random_range(0..count) } else { 0 };
            origins.topics.extend(origins.times[first..].iter().map(topic));
            let published = u32::try_from(origins.times.len()).map_err(|_| Invalid {
                what: "number of items",
                given: origins.times.len().to_string(),
                allowed: "at most 4294967295; take fewer sources or cycles",
            })?;
            origins.begins.push(published);
        }
        Ok(origins)
    }

    /// Items that real sources have published: for each source, in order, when and about which of its topics.
    pub(crate) fn told(sources: &[Vec<(f64, u32)>]) -> Self {
        let mut origins = Self { begins: vec![0], ..Self::default() };
        for items in sources {
            origins.times.extend(items.iter().map(|(at, _)| at));
            origins.topics.extend(items.iter().map(|(_, topic)| topic));
            origins.begins.push(origins.times.len() as u32);
        }
        origins
    }

    /// The numbers of a source's items.
    pub(crate) fn items(&self, source: u32) -> std::ops::Range<usize> {
        self.begins[source as usize] as usize..self.begins[source as usize + 1] as usize
    }

    /// The source that has published an item.
    pub(crate) fn source(&self, item: u32) -> u32 {
        self.begins.partition_point(|&begin| begin <= item) as u32 - 1
    }
}
