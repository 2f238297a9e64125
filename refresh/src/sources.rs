//! What the scheduler knows about its sources: plain arrays, one element per source, so that a
//! decision is one pass over memory. At most 256 bytes per source with a model of 24 slots.

use serde::{Deserialize, Serialize};

use crate::counts::Distribution;
use crate::{
    Constant, DAY, Invalid, Knowledge, Model, Observation, Outlook, PlannedLook, PublicationModel,
    Taste,
};

/// A source as it is handed to the scheduler.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// What is believed about when it publishes.
    pub model: Model,
    /// Items its document shows at one time.
    pub window: u32,
    /// Last refresh, if there was one.
    pub last: Option<f64>,
    /// Σ over this node's feeds of weight × selectivity, times the source's importance: what one of
    /// its items is worth.
    pub relevance: f64,
    /// What one refresh costs, relative to the average (1 unless the budget is in bytes).
    pub cost: f64,
    /// Items that its document showed at the last refresh; the window's size until one was seen.
    pub shown: u32,
    /// Variance of its counts over what a Poisson stream would have; 1 until bursts were seen.
    pub dispersion: f64,
}

impl Source {
    /// A source about which nothing is known yet, of which every item is wanted.
    pub fn new(model: Model, window: u32) -> Self {
        Self {
            model,
            window,
            last: None,
            relevance: 1.0,
            cost: 1.0,
            shown: window,
            dispersion: 1.0,
        }
    }
}

impl Source {
    /// The source after a refresh, as [`Sources::observe`] leaves it.
    pub fn after(mut self, observation: &Observation<'_>) -> Result<Self, Invalid> {
        self.check()?;
        self.dispersion = learn(&mut self.model, self.dispersion, observation);
        self.last = Some(observation.at);
        if observation.window > 0 {
            self.shown = u32::from(narrow(observation.window));
            self.window = self.window.max(self.shown);
        }
        Ok(self)
    }

    fn check(&self) -> Result<(), Invalid> {
        Invalid::unless_not_negative("relevance", self.relevance)?;
        Invalid::unless_positive("refresh cost", self.cost)?;
        Invalid::unless_positive("dispersion", self.dispersion)?;
        Ok(())
    }
}

/// Lets a model learn from a refresh; returns the dispersion after it, as precisely as it is kept.
fn learn(model: &mut Model, dispersion: f64, observation: &Observation<'_>) -> f64 {
    let mut after = dispersion;
    if let (Some(since), false) = (observation.since, observation.censored) {
        let expected = model.expected(since, observation.at);
        let count = f64::from(observation.new_items);
        // Half an item in the denominator: a surprise in a quiet stretch is not a burst.
        let seen = (count - expected).powi(2) / (expected + 0.5);
        after += (seen.min(MOST_DISPERSION * 4.0) - dispersion) / DISPERSION_MEMORY;
    }
    model.learn(observation);
    f64::from(after.clamp(1.0, MOST_DISPERSION) as f32)
}

/// Windows are kept in 16 bits.
fn narrow(items: u32) -> u16 {
    u16::try_from(items).unwrap_or(u16::MAX)
}

/// The state of all sources of a node.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    models: Vec<Model>,
    /// Last refresh; −∞ if there was none.
    last: Vec<f64>,
    /// Not to be refreshed before this instant (politeness, backoff).
    held_until: Vec<f64>,
    relevance: Vec<f32>,
    cost: Vec<f32>,
    /// Variance of the counts over what a Poisson stream would have (≥ 1).
    dispersion: Vec<f32>,
    window: Vec<u16>,
    /// Items seen in the document at the last refresh.
    shown: Vec<u16>,
    /// Σ over the sources of rate × relevance.
    relevant_rate: f64,
}

/// The learnt dispersion forgets after about this many refreshes and is never believed above the cap.
const DISPERSION_MEMORY: f64 = 50.0;
const MOST_DISPERSION: f64 = 8.0;

impl Sources {
    /// No sources yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Bytes of scheduler state per source, apart from what a boxed model keeps elsewhere.
    pub const BYTES_PER_SOURCE: usize = size_of::<Model>() + 8 + 8 + 4 + 4 + 4 + 2 + 2;

    /// Adds a source and returns its number.
    pub fn add(&mut self, source: Source) -> Result<usize, Invalid> {
        source.check()?;
        let place = self.models.len();
        self.models.push(Model::Constant(Constant::default()));
        self.held_until.push(f64::NEG_INFINITY);
        self.last.push(0.0);
        self.relevance.push(0.0);
        self.cost.push(0.0);
        self.dispersion.push(0.0);
        self.window.push(0);
        self.shown.push(0);
        self.set(place, source)?;
        Ok(place)
    }

    /// Puts another state in a source's place, as after a refresh that was learnt from elsewhere. What
    /// holds it back stays.
    pub fn set(&mut self, place: usize, source: Source) -> Result<(), Invalid> {
        source.check()?;
        let window = narrow(source.window).max(1);
        self.relevant_rate -= self.models[place].mean_rate() * f64::from(self.relevance[place]);
        self.relevance[place] = source.relevance as f32;
        self.relevant_rate += source.model.mean_rate() * f64::from(self.relevance[place]);
        self.models[place] = source.model;
        self.last[place] = source.last.unwrap_or(f64::NEG_INFINITY);
        self.cost[place] = source.cost as f32;
        self.dispersion[place] = source.dispersion.clamp(1.0, MOST_DISPERSION) as f32;
        self.window[place] = window;
        self.shown[place] = narrow(source.shown).min(window);
        Ok(())
    }

    /// Sets what one refresh costs, relative to the average.
    pub fn set_cost(&mut self, source: usize, cost: f64) -> Result<(), Invalid> {
        self.cost[source] = Invalid::unless_positive("refresh cost", cost)? as f32;
        Ok(())
    }

    /// One source as it stands, to be saved.
    pub fn get(&self, source: usize) -> Source {
        Source {
            model: self.models[source].clone(),
            window: u32::from(self.window[source]),
            last: self.last(source),
            relevance: f64::from(self.relevance[source]),
            cost: f64::from(self.cost[source]),
            shown: u32::from(self.shown[source]),
            dispersion: f64::from(self.dispersion[source]),
        }
    }

    /// Takes the plan of the node that publishes a source, as it was at `made`: from now on its model
    /// counts batches. See [`crate::Relayed`].
    pub fn relay(
        &mut self,
        source: usize,
        made: f64,
        looks: impl IntoIterator<Item = PlannedLook>,
    ) {
        self.models[source].relay(made, looks);
    }

    /// No plan comes with a source any more: the model it had before goes on.
    pub fn unrelay(&mut self, source: usize) {
        self.models[source].unrelay();
    }

    /// The model of one source.
    pub fn model(&self, source: usize) -> &Model {
        &self.models[source]
    }

    /// When a source was last refreshed, if ever.
    pub fn last(&self, source: usize) -> Option<f64> {
        let last = self.last[source];
        last.is_finite().then_some(last)
    }

    /// Holds a source back until `instant`: what politeness forbids is no demand.
    pub fn hold(&mut self, source: usize, instant: f64) {
        self.held_until[source] = instant;
    }

    /// Sets what an item of the source is worth (learnt selectivity, weights and importance).
    pub fn set_relevance(&mut self, source: usize, relevance: f64) -> Result<(), Invalid> {
        let relevance = Invalid::unless_not_negative("relevance", relevance)?;
        let before = std::mem::replace(&mut self.relevance[source], relevance as f32);
        // What is stored, not what was given: the sum must be that of the stored numbers.
        let change = f64::from(self.relevance[source]) - f64::from(before);
        self.relevant_rate += change * self.models[source].mean_rate();
        Ok(())
    }

    /// Takes in the outcome of a refresh.
    pub fn observe(&mut self, source: usize, observation: &Observation<'_>) {
        let model = &mut self.models[source];
        let relevance = f64::from(self.relevance[source]);
        let before = model.mean_rate();
        let dispersion = f64::from(self.dispersion[source]);
        self.dispersion[source] = learn(model, dispersion, observation) as f32;
        self.relevant_rate += relevance * (model.mean_rate() - before);
        self.last[source] = observation.at;
        if observation.window > 0 {
            self.shown[source] = narrow(observation.window);
            self.window[source] = self.window[source].max(self.shown[source]);
        }
    }

    /// The share of the windows that is believed to be held now: the mean over the sources that were
    /// ever refreshed and are wanted at all. One if there are none.
    pub fn freshness(&self, now: f64) -> f64 {
        let (mut held, mut count) = (0.0, 0u32);
        for source in 0..self.models.len() {
            let last = self.last[source];
            if last.is_finite() && self.relevance[source] > 0.0 {
                let expected = self.models[source].expected(last, now);
                held += 1.0 - (expected / self.shown(source) as f64).min(1.0);
                count += 1;
            }
        }
        if count == 0 { 1.0 } else { held / f64::from(count) }
    }

    /// Σ over the sources of rate × relevance, in relevant items per second.
    pub fn relevant_rate(&self) -> f64 {
        self.relevant_rate.max(f64::MIN_POSITIVE)
    }

    /// Not to be refreshed before this instant; infinite while a refresh is under way.
    pub(crate) fn held_until(&self, source: usize) -> f64 {
        self.held_until[source]
    }

    pub(crate) fn window(&self, source: usize) -> usize {
        usize::from(self.window[source])
    }

    /// Items in the document that a refresh can find missing: at least one. A window that is not
    /// yet full is counted as it will be in a day: by what it showed at a first look alone, a source
    /// with few items would look worthless and never be looked at again.
    pub(crate) fn shown(&self, source: usize) -> usize {
        let soon = self.models[source].mean_rate() * DAY;
        let window = self.window(source);
        (usize::from(self.shown[source]) + soon.min(window as f64) as usize).clamp(1, window)
    }

    /// What an item of the source is worth.
    pub fn relevance(&self, source: usize) -> f64 {
        f64::from(self.relevance[source])
    }

    /// What one refresh of the source costs, relative to the average.
    pub fn cost(&self, source: usize) -> f64 {
        f64::from(self.cost[source])
    }

    pub(crate) fn dispersion(&self, source: usize) -> f64 {
        f64::from(self.dispersion[source])
    }
}

impl Knowledge for Sources {
    fn len(&self) -> usize {
        self.models.len()
    }

    #[inline]
    fn ready(&self, source: usize, now: f64) -> bool {
        self.held_until[source] <= now
    }

    #[inline]
    fn age(&self, source: usize, now: f64) -> f64 {
        now - self.last[source]
    }

    #[inline]
    fn outlook(&self, source: usize, now: f64) -> Outlook {
        self.outlook_since(source, self.last[source], now)
    }

    fn index(&self, source: usize, now: f64, taste: &Taste) -> f64 {
        self.index_since(source, self.last[source], now, taste)
    }
}

impl Sources {
    /// What waits at a source if it was last refreshed at `last`.
    #[inline]
    pub(crate) fn outlook_since(&self, source: usize, last: f64, now: f64) -> Outlook {
        if last == f64::NEG_INFINITY {
            return Outlook::NEVER_SEEN;
        }
        let relevance = self.relevance(source);
        let (divergence, area) = self.models[source].divergence(last, now);
        let window = f64::from(self.window[source]);
        let worth = relevance / self.cost(source);
        Outlook {
            saturated: divergence >= window,
            relevant: worth * divergence.min(window),
            utility: worth * ((now - last) * divergence - area).max(0.0),
        }
    }

    /// The index of a source if it was last refreshed at `last`.
    pub(crate) fn index_since(&self, source: usize, last: f64, now: f64, taste: &Taste) -> f64 {
        if last == f64::NEG_INFINITY {
            return f64::INFINITY;
        }
        let (expected, area) = self.models[source].divergence(last, now);
        let age = match self.models[source] {
            // What came in batches is as old as if it had come in a stream of the same utility: between
            // two of them the index stands still, and only the next one can raise it over the price.
            Model::Relayed(_) => 2.0 * (now - last - area / expected),
            _ => now - last,
        };
        // Nothing can have come since, or no time has passed.
        if expected <= 0.0 || age <= 0.0 {
            return 0.0;
        }
        let counts = Distribution::poisson(expected);
        let (window, shown) = (self.window(source), self.shown(source));
        let rate = self.models[source].mean_rate();
        let weights = self.price_weights(source, rate, taste);
        let completeness = weights.lost * window as f64 * counts.at_least(window + 1);
        let freshness =
            weights.stale * age / (expected * shown as f64) * counts.staleness_sum(shown);
        (completeness + freshness) / self.cost(source)
    }
}

/// What a lost item and a stale window cost one source, in seconds of the node's total quality.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PriceWeights {
    /// Per item lost.
    pub(crate) lost: f64,
    /// Per share of the window missing and second.
    pub(crate) stale: f64,
}

impl Sources {
    /// The two factors of the index and the plan: a_C·p and a_F, with equity.
    pub(crate) fn price_weights(&self, source: usize, rate: f64, taste: &Taste) -> PriceWeights {
        let relevance = self.relevance(source);
        PriceWeights {
            lost: taste.completeness() * relevance / self.relevant_rate(),
            stale: taste.freshness() / self.len() as f64
                * taste.equity_factor(rate)
                * window_relevance(relevance, self.shown(source)),
        }
    }
}

/// A share of the window is only worth having if the window shows anything relevant: in full where
/// at least one relevant item is expected in it, in proportion below. Weights above one (several
/// feeds, importance) count in full.
fn window_relevance(relevance: f64, shown: usize) -> f64 {
    (relevance * shown as f64).min(1.0) * relevance.max(1.0)
}
