//! How the node schedules: which strategy and which model by the number of its sources, and what their
//! items are worth by its queries.

use pergola_config::{Choice, Config};
use pergola_refresh::{DAY, Invalid, Model, ModelKind, Source, StrategyKind};
use pergola_store::archive::{SourceId, SourceState};

use tokio::sync::oneshot;

use super::Node;
use crate::crawl::driver::Report;
use crate::metrics::RefreshCounts;

/// Above this many sources the planner and the calendar cost more than they gain: 2Steps and a single
/// rate with dates take their place. When the price has moved, everything is planned again in one
/// decision, some 0.07 ms for each source, and nobody else gets at the roster meanwhile.
const FEW: usize = 5_000;
/// Before anything is known, a source is believed to publish an item a day.
pub const FIRST_RATE: f64 = 1.0 / DAY;
/// The window is believed to be this long until one was seen.
pub const FIRST_WINDOW: u32 = 20;

impl Node {
    /// The scheduler's threshold τ.
    pub fn threshold(&self) -> f64 {
        self.crawler.pulse(self.clock.now()).threshold
    }

    /// Seconds between two decisions.
    pub fn cycle(&self) -> f64 {
        self.crawler.cycle
    }

    /// What the scheduler believes of a source.
    pub fn schedule_of(&self, id: SourceId) -> Option<Source> {
        self.crawler.schedule_of(id)
    }

    /// Refreshes that are due and wait for their lane, and those on the way.
    pub fn queue(&self) -> (usize, usize) {
        self.crawler.queue()
    }

    /// Refreshes since the node was opened.
    pub fn refresh_counts(&self) -> RefreshCounts {
        self.metrics.refresh_counts()
    }

    /// Has a source refreshed as soon as its lane is free, whatever the source has asked for. The receiver
    /// hears how it ended.
    pub fn request_refresh(&self, id: SourceId) -> oneshot::Receiver<Report> {
        self.crawler.request(id)
    }

    /// What every item of some sources is worth, as the queries stand.
    pub(super) fn weigh(&self, sources: impl IntoIterator<Item = SourceId>) {
        let now = self.clock.now();
        for id in sources {
            let relevance = self.desk.relevance(id, now);
            self.crawler.weigh(id, relevance);
        }
    }

    /// A node that has outgrown the planner, having had `before` sources, goes on with 2Steps.
    pub(super) fn choose_strategy(&self, before: usize) {
        let config = self.config();
        let (old, new) = (strategy(&config, before), strategy(&config, self.crawler.count()));
        if old != new {
            self.crawler.set_strategy(new, config.schedule.taste);
        }
    }

    /// A source (or a page read by selectors) that was never refreshed, as the scheduler starts with it in a
    /// node of so many sources.
    pub(super) fn blank_state(&self, page: bool, sources: usize) -> Result<SourceState, Invalid> {
        let schedule = &self.config().schedule;
        let usual = schedule.model.or(match sources < FEW {
            true => ModelKind::Calendar,
            false => ModelKind::Gamma,
        });
        let kind = if page { schedule.page_model.or(usual) } else { usual };
        let model: Model = kind.build(FIRST_RATE)?;
        Ok(SourceState::new(Source::new(model, FIRST_WINDOW)))
    }
}

/// Who decides in a node of so many sources.
pub(super) fn strategy(config: &Config, sources: usize) -> StrategyKind {
    match config.schedule.strategy {
        Choice::Fixed(kind) => kind,
        Choice::Auto if sources < FEW => StrategyKind::Plan,
        Choice::Auto => StrategyKind::TwoSteps,
    }
}
