//! One node of a cascade: its scheduler, its sources, and the feeds in which it republishes them.

use pergola_refresh::{
    Budget, Controller, HOUR, Invalid, Observation, PlannedLook, Scheduler, Source, Sources, Taste,
    Threshold,
};

use super::{Arrival, CYCLE, Chain, Log};

/// Decisions over which spending is averaged.
const HORIZON: f64 = 100.0;
/// How far ahead a node tells its plans.
const TOLD_AHEAD: f64 = 100.0 * CYCLE;

/// A node.
pub(super) struct Node {
    scheduler: Scheduler<Sources>,
    sources: Sources,
    /// Relayed sources first, then the private ones.
    readers: Vec<Reader>,
    private: Vec<Log>,
    /// One feed for each relayed source.
    feeds: Vec<Log>,
    /// Its moment, in cycles after the beginning of its turn.
    phase: f64,
    window: usize,
    requests: u64,
}

/// How far one source has been read.
#[derive(Debug, Clone, Copy, Default)]
struct Reader {
    seen: Option<usize>,
}

impl Node {
    /// A node that decides at a moment of its own, from 0 (when its turn begins) to 1 (when it ends).
    pub(super) fn new(chain: &Chain, private: Vec<Log>, moment: f64) -> Result<Self, Invalid> {
        let count = chain.relayed + chain.private;
        let mut sources = Sources::new();
        for _ in 0..count {
            sources.add(Source::new(chain.model.build(1.0 / HOUR)?, chain.window as u32))?;
        }
        let decisions = chain.decisions as f64;
        let budget = Budget::new(chain.budget * count as f64 / decisions, CYCLE / decisions)?;
        let budget = budget.with_slack(0.5 * HORIZON)?;
        let threshold = Threshold::new(CYCLE, Controller::Steady { horizon: HORIZON })?;
        Ok(Self {
            scheduler: Scheduler::new(
                chain.strategy.build(Taste::new(0.5, 0.0)?),
                threshold,
                budget,
            ),
            sources,
            readers: vec![Reader::default(); count],
            private,
            feeds: vec![Log::new(); chain.relayed],
            phase: moment / decisions,
            window: chain.window,
            requests: 0,
        })
    }

    pub(super) fn phase(&self) -> f64 {
        self.phase
    }

    /// What it republishes, one feed for each relayed source.
    pub(super) fn feeds(&self) -> &[Log] {
        &self.feeds
    }

    /// Requests for relayed sources while measuring, pages included.
    pub(super) fn requests(&self) -> u64 {
        self.requests
    }

    pub(super) fn choose(&mut self, now: f64) -> Vec<usize> {
        self.scheduler.decide(now, &self.sources).to_vec()
    }

    /// Looks at a source, which shows `log` (its own if it is a private one), and returns what was new.
    pub(super) fn look(
        &mut self,
        source: usize,
        log: Option<&Log>,
        now: f64,
        pages_back: bool,
        measured: bool,
    ) -> Log {
        let relayed = log.is_some();
        let log = log.unwrap_or_else(|| &self.private[source - self.feeds.len()]);
        let end = log.partition_point(|arrival| arrival.at <= now);
        let shown = end.saturating_sub(self.window);
        let seen = self.readers[source].seen.replace(end);
        let from = match seen {
            Some(seen) if pages_back => seen,
            seen => seen.unwrap_or(0).max(shown),
        };
        let observation = Observation {
            at: now,
            since: self.sources.last(source),
            new_items: (end - from) as u32,
            window: (end - shown) as u32,
            censored: seen.is_some() && from == shown && end > from && !pages_back,
            dates: &[],
        };
        let news: Log =
            log[from..end].iter().map(|&arrival| Arrival { at: now, ..arrival }).collect();
        self.sources.observe(source, &observation);
        self.scheduler.observed(source, &observation);
        if relayed {
            self.feeds[source].extend(&news);
            let pages = news.len().div_ceil(self.window).max(1);
            self.requests += if measured { pages as u64 } else { 0 };
        }
        news
    }

    /// When it will look at a relayed source, and what that will bring.
    pub(super) fn planned(&mut self, source: usize, now: f64) -> Vec<PlannedLook> {
        self.scheduler.planned(&self.sources, source, now, now + TOLD_AHEAD)
    }

    /// Takes the plan of the node before it.
    pub(super) fn relay(&mut self, source: usize, now: f64, plan: Vec<PlannedLook>) {
        self.sources.relay(source, now, plan);
    }

    /// Is told how many items wait in each feed of the node before it. What waits is known until now, as a plan
    /// that has come true.
    pub(super) fn notice(&mut self, upstream: &[Log], now: f64) {
        for (source, log) in upstream.iter().enumerate() {
            let (Some(seen), Some(last)) = (self.readers[source].seen, self.sources.last(source))
            else {
                continue;
            };
            let waiting = &log[seen..];
            let items = waiting.len() as f64;
            // One batch with the utility of all of them.
            let came = waiting.iter().map(|arrival| arrival.at).sum::<f64>() / items.max(1.0);
            let all = PlannedLook { at: came, items };
            self.sources.relay(source, last, [all, PlannedLook { at: now, items: 0.0 }]);
        }
    }

    /// Receives what the node before it has just published.
    pub(super) fn receive(&mut self, source: usize, news: &[Arrival]) {
        self.feeds[source].extend(news);
    }

    /// Relayed feeds come by themselves.
    pub(super) fn rely_on_push(&mut self) {
        for source in 0..self.feeds.len() {
            self.sources.hold(source, f64::INFINITY);
        }
    }
}
