//! One run of one strategy through one world, in virtual time.
//!
//! In each cycle the sources publish, the scheduler decides, the chosen sources are refreshed, the models learn,
//! and then the quality is measured. The scheduler is the code of the node; the simulation only plays the world and
//! keeps exact books.

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

/// The settings of a run.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    pub(crate) strategy: StrategyKind,
    /// Mean refreshes per cycle.
    pub(crate) budget: f64,
    pub(crate) knowing: Knowing,
    pub(crate) manner: Manner,
    pub(crate) taste: Taste,
    /// Whether to measure freshness in the window of the feed, too, which is slow.
    pub(crate) in_window: bool,
}

/// What a strategy knows about the sources.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Knowing {
    /// The exact divergence at every moment, as in the published simulation.
    Truth,
    /// The true rates (per hour for sources with a daily rhythm), never updated.
    Offline,
    /// What its own refreshes have shown, learnt by a fresh copy of this model for each source.
    Learnt {
        model: Box<Model>,
        /// Whether a refresh counts items that have left the window, too, as in the published experiments.
        sees_lost: bool,
    },
}

impl Knowing {
    /// Learning with the default settings of a model, which assumes an item in `prior` seconds at first.
    pub(crate) fn learnt(kind: ModelKind, prior: f64) -> Result<Self, Invalid> {
        Ok(Self::Learnt { model: Box::new(kind.build(1.0 / prior)?), sees_lost: false })
    }
}

/// How threshold and budget work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Manner {
    /// As published: literal threshold, unbounded second step. `threshold` is the first τ.
    Literal { threshold: f64 },
    /// As in the product, with spending averaged over `horizon` cycles.
    Steady { horizon: f64, threshold: f64 },
}

/// The figures of a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outcome {
    /// The share of the relevant items that was delivered; items still unread at the end are missing.
    pub(crate) completeness: f64,
    /// Share of the windows' relevant items ever delivered (the thesis' F), after each cycle's
    /// refreshes.
    pub(crate) freshness: f64,
    /// The same averaged over all time, which does not favour short intervals.
    pub(crate) freshness_over_time: f64,
    /// The same in the window of the feed (the paper's A).
    pub(crate) freshness_in_window: f64,
    /// Refreshes while measuring.
    pub(crate) requests: u64,
    /// Relevant items lost while measuring.
    pub(crate) lost: u64,
    /// From publication to delivery, averaged over items.
    pub(crate) delay: Delay,
    /// The mean delay of each source, averaged over sources.
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
