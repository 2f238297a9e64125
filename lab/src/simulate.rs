//! One run of one strategy through one world, in virtual time.
//!
//! A cycle: the sources publish, the scheduler decides, the chosen sources are refreshed, what they
//! showed is learnt, and only then is the quality measured. The scheduler is the node's own; the
//! simulation only plays the world and keeps exact books.

mod aggregator;
mod books;

use pergola_refresh::quality::Delay;
use pergola_refresh::{
    Budget, Constant, Controller, DAY, Invalid, Knowledge, Model, ModelKind, Periodic, Scheduler,
    Strategy, StrategyKind, Taste, Threshold,
};

use self::aggregator::{Learner, exact, sources};
use self::books::Books;
use crate::world::World;

/// What a run is told.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    /// The strategy.
    pub(crate) strategy: StrategyKind,
    /// Refreshes per cycle on average.
    pub(crate) budget: f64,
    /// What the strategy knows.
    pub(crate) knowing: Knowing,
    /// As published (literal threshold, unbounded second step) or as the product does it.
    pub(crate) manner: Manner,
    /// What the reader wants.
    pub(crate) taste: Taste,
    /// Also measure freshness in the feed's own window, which takes long.
    pub(crate) in_window: bool,
}

/// What a strategy knows about the sources.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Knowing {
    /// The exact divergence at every moment, as the published simulation assumes.
    Truth,
    /// The true rates (per hour where sources keep hours), never updated.
    Offline,
    /// Only what its own refreshes showed, learnt by this model. Full windows hide items unless
    /// `sees_lost`, an indulgence of the published estimation experiments.
    Learnt {
        /// A fresh model for each source.
        model: Box<Model>,
        /// Whether the count of a refresh includes items that were pushed out of the window.
        sees_lost: bool,
    },
}

impl Knowing {
    /// Learning with a model's default settings, from an item in `prior` seconds at first.
    pub(crate) fn learnt(kind: ModelKind, prior: f64) -> Result<Self, Invalid> {
        Ok(Self::Learnt { model: Box::new(kind.build(1.0 / prior)?), sees_lost: false })
    }
}

/// How budget and threshold are handled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Manner {
    /// As published, from this threshold.
    Literal {
        /// τ to start from.
        threshold: f64,
    },
    /// The product's, with spending averaged over that many cycles.
    Steady {
        /// Cycles of the average.
        horizon: f64,
        /// τ to start from.
        threshold: f64,
    },
}

/// What a run measured.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outcome {
    /// Relevant items delivered over published, strict: unread ones are missing.
    pub(crate) completeness: f64,
    /// Share of the windows' relevant items ever delivered (the thesis' F), after each cycle's
    /// refreshes.
    pub(crate) freshness: f64,
    /// The same as a mean over all time, which does not flatter short intervals.
    pub(crate) freshness_over_time: f64,
    /// The same against the feed's own window (the paper's A).
    pub(crate) freshness_in_window: f64,
    /// Refreshes while measuring.
    pub(crate) requests: u64,
    /// Relevant items lost while measuring.
    pub(crate) lost: u64,
    /// From publication to delivery, over items.
    pub(crate) delay: Delay,
    /// Mean delay of each source, averaged over the sources.
    pub(crate) delay_by_source: f64,
    /// τ after each cycle, warm-up included.
    pub(crate) thresholds: Vec<f64>,
    /// Refreshes of each cycle, warm-up included.
    pub(crate) spent: Vec<u32>,
}

/// Plays a run through a world.
pub(crate) fn simulate(world: &World, run: &Run) -> Result<Outcome, Invalid> {
    let budget = Budget::new(run.budget, world.cycle)?;
    let mut books = Books::new(world);
    match &run.knowing {
        Knowing::Truth => {
            let known = exact(world);
            let strategy = run.strategy.build_for(run.taste).ok_or(Invalid {
                what: "strategy",
                given: run.strategy.name().to_owned(),
                allowed: "one that can use exact divergence; a plan needs a forecast",
            })?;
            let scheduler = run.manner.scheduler(strategy, budget, run.strategy)?;
            books.play(known, scheduler, run.in_window);
        }
        Knowing::Offline => {
            let known = sources(world, true, |stream| match &stream.hourly {
                Some(hourly) => Periodic::known(DAY, hourly).map(Model::from),
                None => Constant::new(stream.rate).map(Model::Constant),
            })?;
            let scheduler =
                run.manner.scheduler(run.strategy.build(run.taste), budget, run.strategy)?;
            books.play(Learner::new(known, true, false), scheduler, run.in_window);
        }
        Knowing::Learnt { model, sees_lost } => {
            let known = sources(world, false, |_| Ok((**model).clone()))?;
            let scheduler =
                run.manner.scheduler(run.strategy.build(run.taste), budget, run.strategy)?;
            books.play(Learner::new(known, false, *sees_lost), scheduler, run.in_window);
        }
    }
    Ok(books.outcome())
}

impl Manner {
    fn scheduler<K: Knowledge>(
        self,
        strategy: Box<dyn Strategy<K>>,
        budget: Budget,
        kind: StrategyKind,
    ) -> Result<Scheduler<K>, Invalid> {
        match self {
            Self::Literal { threshold } => Scheduler::literal(strategy, budget, threshold),
            _ if kind == StrategyKind::Reference => Scheduler::literal(strategy, budget, 1.0),
            Self::Steady { horizon, threshold } => {
                let threshold = Threshold::new(threshold, Controller::Steady { horizon })?;
                Ok(Scheduler::new(strategy, threshold, budget.with_slack(0.5 * horizon)?))
            }
        }
    }
}
