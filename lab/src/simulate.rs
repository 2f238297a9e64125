//! One run of one strategy through one world, in virtual time.
//!
//! A cycle: the sources publish, the scheduler decides, the chosen sources are refreshed, what they
//! showed is learnt, and only then is the quality measured. The scheduler is the node's own; the
//! simulation only plays the world and keeps exact books.

use pergola_refresh::quality::{Delay, Delivery, Ledger, completeness};
use pergola_refresh::{
    Budget, Constant, Controller, DAY, Exact, Invalid, Knowledge, Model, ModelKind, Observation,
    Periodic, PublicationModel, Scheduler, Source, Sources, Strategy, StrategyKind, Taste,
    Threshold,
};

use crate::world::{Stream, World};

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
    /// Also measure what takes long: freshness in the feed's own window and divergence errors.
    pub(crate) in_detail: bool,
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
    /// Root mean square error of the estimated divergence over the sources, averaged over cycles.
    pub(crate) divergence_error: f64,
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
            books.play(known, scheduler, run.in_detail);
        }
        Knowing::Offline => {
            let known = sources(world, true, |stream| match &stream.hourly {
                Some(hourly) => Periodic::known(DAY, hourly).map(Model::Periodic),
                None => Constant::new(stream.rate).map(Model::Constant),
            })?;
            let scheduler =
                run.manner.scheduler(run.strategy.build(run.taste), budget, run.strategy)?;
            books.play(Learner::new(known, true, false), scheduler, run.in_detail);
        }
        Knowing::Learnt { model, sees_lost } => {
            let known = sources(world, false, |_| Ok((**model).clone()))?;
            let scheduler =
                run.manner.scheduler(run.strategy.build(run.taste), budget, run.strategy)?;
            books.play(Learner::new(known, false, *sees_lost), scheduler, run.in_detail);
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

/// A simulated aggregator: what it knows, and how a refresh changes that.
trait Aggregator {
    type Known: Knowledge;

    fn known(&self) -> &Self::Known;

    /// The truth before a decision; those who estimate ignore it.
    fn shown_truth(&mut self, _ledgers: &[Ledger]) {}

    /// A source was refreshed, having published `unread` items since the last time.
    fn refreshed<'a>(
        &mut self,
        source: usize,
        now: f64,
        unread: u32,
        delivery: &'a Delivery,
    ) -> Observation<'a>;

    /// Estimated divergence, if it is estimated.
    fn estimate(&self, _source: usize, _now: f64) -> Option<f64> {
        None
    }
}

impl Aggregator for Exact {
    type Known = Self;

    fn known(&self) -> &Self {
        self
    }

    fn shown_truth(&mut self, ledgers: &[Ledger]) {
        for (source, ledger) in ledgers.iter().enumerate() {
            self.unread[source] = ledger.stream_divergence();
            self.relevant[source] = ledger.window_divergence();
            self.relevant_shown[source] = ledger.shown_relevant();
        }
    }

    fn refreshed<'a>(
        &mut self,
        source: usize,
        now: f64,
        _: u32,
        delivery: &'a Delivery,
    ) -> Observation<'a> {
        let since = std::mem::replace(&mut self.last[source], now);
        observe(now, Some(since), delivery.new.len() as u32, delivery)
    }
}

/// Learns rates and selectivities from refreshes alone, as a node does.
struct Learner {
    sources: Sources,
    /// (relevant, all) items seen per source; `None` where selectivities are known.
    selectivity: Option<Vec<(f64, f64)>>,
    sees_lost: bool,
}

impl Learner {
    fn new(sources: Sources, knows_selectivity: bool, sees_lost: bool) -> Self {
        let count = sources.len();
        // One imagined item, half relevant: defined from the start, soon outweighed.
        let selectivity = (!knows_selectivity).then(|| vec![(0.5, 1.0); count]);
        Self { sources, selectivity, sees_lost }
    }
}

impl Aggregator for Learner {
    type Known = Sources;

    fn known(&self) -> &Sources {
        &self.sources
    }

    fn refreshed<'a>(
        &mut self,
        source: usize,
        now: f64,
        unread: u32,
        delivery: &'a Delivery,
    ) -> Observation<'a> {
        let since = self.sources.last(source);
        let mut observed = observe(now, since, delivery.new.len() as u32, delivery);
        if self.sees_lost {
            observed.new_items = unread;
            observed.censored = false;
        }
        self.sources.observe(source, &observed);
        if let Some(counts) = &mut self.selectivity {
            let (relevant, all) = &mut counts[source];
            *relevant += delivery.relevant.iter().filter(|&&relevant| relevant).count() as f64;
            *all += delivery.new.len() as f64;
            let share = *relevant / *all;
            self.sources.set_relevance(source, share).expect("a share is a sane relevance");
        }
        observed
    }

    fn estimate(&self, source: usize, now: f64) -> Option<f64> {
        let last = self.sources.last(source)?;
        Some(self.sources.model(source).expected(last, now))
    }
}

fn observe(at: f64, since: Option<f64>, new_items: u32, delivery: &Delivery) -> Observation<'_> {
    let Delivery { censored, shown, ref new, .. } = *delivery;
    Observation { at, since, new_items, window: shown, censored, dates: new }
}

/// Sources as a learner starts with them.
fn sources(
    world: &World,
    knows_selectivity: bool,
    model: impl Fn(&Stream) -> Result<Model, Invalid>,
) -> Result<Sources, Invalid> {
    let mut sources = Sources::new();
    for stream in &world.streams {
        let mut source = Source::new(model(stream)?, world.window as u32);
        if knows_selectivity {
            source.relevance = stream.selectivity;
        }
        sources.add(source)?;
    }
    Ok(sources)
}

/// Sources whose divergence is known; all were refreshed at the start.
fn exact(world: &World) -> Exact {
    let count = world.streams.len();
    Exact {
        last: vec![0.0; count],
        unread: vec![0; count],
        relevant: vec![0; count],
        relevant_shown: vec![0; count],
        rate: world.streams.iter().map(|stream| stream.rate).collect(),
        relevant_rate: world.streams.iter().map(|s| s.rate * s.selectivity).sum(),
        window: world.window as u32,
        cycle: world.cycle,
    }
}

/// The exact books of a run.
struct Books<'a> {
    world: &'a World,
    ledgers: Vec<Ledger>,
    /// Next item of each stream that is not yet published.
    next: Vec<usize>,
    /// Relevant items delivered so far, over all sources.
    order: u64,
    /// Freshness of each source and since when, their sum, and the integral of that sum over time.
    fresh: Vec<(f64, f64)>,
    fresh_sum: f64,
    fresh_time: f64,
    /// Delays of the relevant items of each source that were published while measuring.
    delays: Vec<Vec<f32>>,
    published: u64,
    lost_before: u64,
    outcome: Outcome,
}

impl<'a> Books<'a> {
    fn new(world: &'a World) -> Self {
        let count = world.streams.len();
        Self {
            world,
            ledgers: vec![Ledger::new(world.window); count],
            next: vec![0; count],
            order: 0,
            fresh: vec![(1.0, world.warmup as f64 * world.cycle); count],
            fresh_sum: count as f64,
            fresh_time: 0.0,
            delays: vec![Vec::new(); count],
            published: 0,
            lost_before: 0,
            outcome: Outcome::default(),
        }
    }

    fn measuring_from(&self) -> f64 {
        self.world.warmup as f64 * self.world.cycle
    }

    /// Publishes everything up to an instant.
    fn publish(&mut self, until: f64) {
        let from = self.measuring_from();
        for (source, stream) in self.world.streams.iter().enumerate() {
            while let Some(&at) = stream.times.get(self.next[source])
                && at <= until
            {
                let relevant = stream.relevant[self.next[source]];
                self.ledgers[source].publish(at, relevant);
                self.published += u64::from(relevant && at > from);
                self.next[source] += 1;
                self.mark(source, at);
            }
        }
    }

    fn refresh(&mut self, source: usize, now: f64, delivery: &mut Delivery) {
        self.ledgers[source].refresh(&mut self.order, delivery);
        self.mark(source, now);
        let from = self.measuring_from();
        for (&at, &relevant) in delivery.new.iter().zip(&delivery.relevant) {
            if relevant && at > from {
                self.delays[source].push((now - at) as f32);
            }
        }
    }

    /// Brings the books of freshness up to date after a source has changed.
    fn mark(&mut self, source: usize, at: f64) {
        let fresh = self.ledgers[source].freshness();
        let (before, since) = self.fresh[source];
        self.fresh_sum += fresh - before;
        if at > since {
            self.fresh_time += before * (at - since);
        }
        self.fresh[source] = (fresh, at.max(since));
    }

    /// Measures after a cycle's refreshes.
    fn measure(&mut self, spent: usize, in_detail: bool) {
        let count = self.ledgers.len() as f64;
        self.outcome.requests += spent as u64;
        self.outcome.freshness += self.fresh_sum / count;
        if !in_detail {
            return;
        }
        let capacity = (self.world.window * self.ledgers.len()) as u64;
        let in_window: f64 = self
            .ledgers
            .iter()
            .map(|ledger| ledger.freshness_in_window(self.order, capacity))
            .sum();
        self.outcome.freshness_in_window += in_window / count;
    }

    fn divergence_error(&self, estimate: impl Fn(usize) -> Option<f64>) -> f64 {
        let squares: Vec<f64> = self
            .ledgers
            .iter()
            .enumerate()
            .filter_map(|(source, ledger)| {
                Some((estimate(source)? - f64::from(ledger.stream_divergence())).powi(2))
            })
            .collect();
        (squares.iter().sum::<f64>() / squares.len().max(1) as f64).sqrt()
    }

    fn play<A: Aggregator>(
        &mut self,
        mut aggregator: A,
        mut scheduler: Scheduler<A::Known>,
        in_detail: bool,
    ) {
        let mut delivery = Delivery::default();
        let mut chosen = Vec::new();
        for cycle in 0..self.world.cycles {
            let now = (cycle + 1) as f64 * self.world.cycle;
            let measuring = cycle >= self.world.warmup;
            if cycle == self.world.warmup {
                self.lost_before = self.ledgers.iter().map(|ledger| ledger.lost).sum();
            }
            self.publish(now);
            if measuring && in_detail {
                self.outcome.divergence_error +=
                    self.divergence_error(|source| aggregator.estimate(source, now));
            }
            aggregator.shown_truth(&self.ledgers);
            chosen.clear();
            chosen.extend_from_slice(scheduler.decide(now, aggregator.known()));
            for &source in &chosen {
                let unread = self.ledgers[source].stream_divergence();
                self.refresh(source, now, &mut delivery);
                let observed = aggregator.refreshed(source, now, unread, &delivery);
                scheduler.observed(source, &observed);
            }
            self.outcome.thresholds.push(scheduler.threshold().value());
            self.outcome.spent.push(chosen.len() as u32);
            if measuring {
                self.measure(chosen.len(), in_detail);
            }
        }
    }

    fn outcome(mut self) -> Outcome {
        let measured = self.world.measured() as f64;
        let end = self.world.cycles as f64 * self.world.cycle;
        (0..self.ledgers.len()).for_each(|source| self.mark(source, end));
        let outcome = &mut self.outcome;
        outcome.freshness /= measured;
        outcome.freshness_in_window /= measured;
        let time = measured * self.world.cycle * self.ledgers.len() as f64;
        outcome.freshness_over_time = self.fresh_time / time;
        outcome.divergence_error /= measured;
        let lost: u64 = self.ledgers.iter().map(|ledger| ledger.lost).sum();
        outcome.lost = lost - self.lost_before;
        let means: Vec<f64> = self
            .delays
            .iter()
            .filter(|delays| !delays.is_empty())
            .map(|d| d.iter().map(|&delay| f64::from(delay)).sum::<f64>() / d.len() as f64)
            .collect();
        outcome.delay_by_source = means.iter().sum::<f64>() / means.len().max(1) as f64;
        let all: Vec<f64> = self.delays.iter().flatten().map(|&delay| f64::from(delay)).collect();
        outcome.completeness = completeness(all.len() as u64, self.published);
        outcome.delay = Delay::of(all);
        self.outcome
    }
}
