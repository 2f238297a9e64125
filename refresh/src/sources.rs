//! All sources of a node, as plain arrays with one element per source, so that a decision is one pass over
//! memory. A source with a model of 24 slots takes at most 256 bytes.

mod source;
mod value;

use crate::error::Invalid;
use crate::knowledge::{Knowledge, Outlook, Taste};
use crate::model::{Constant, Model, PlannedRefresh, PublicationModel};
use crate::observation::Observation;
use crate::time::DAY;
pub use source::Source;
use source::{MOST_DISPERSION, learn, narrow};
pub(crate) use value::PriceWeights;

/// All sources of a node.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    models: Vec<Model>,
    /// The last refresh; −∞ if there was none.
    last: Vec<f64>,
    /// No refresh before this time (politeness, backoff).
    held_until: Vec<f64>,
    relevance: Vec<f32>,
    cost: Vec<f32>,
    /// The variance of the counts over that of a Poisson stream (≥ 1).
    dispersion: Vec<f32>,
    window: Vec<u16>,
    /// Items in the document at the last refresh.
    shown: Vec<u16>,
    /// Σ over the sources of rate × relevance.
    relevant_rate: f64,
}

impl Sources {
    pub fn new() -> Self {
        Self::default()
    }

    /// Bytes per source, without the heap of a boxed model.
    pub const BYTES_PER_SOURCE: usize = size_of::<Model>() + 8 + 8 + 4 + 4 + 4 + 2 + 2;

    /// Adds a source and returns its number.
    pub fn add(&mut self, source: Source) -> Result<usize, Invalid> {
        source.check()?;
        let number = self.models.len();
        self.models.push(Model::Constant(Constant::default()));
        self.held_until.push(f64::NEG_INFINITY);
        self.last.push(0.0);
        self.relevance.push(0.0);
        self.cost.push(0.0);
        self.dispersion.push(0.0);
        self.window.push(0);
        self.shown.push(0);
        self.set(number, source)?;
        Ok(number)
    }

    /// Replaces the state of a source, for example after a refresh that was learnt from elsewhere. Does
    /// not change how long it is held back.
    pub fn set(&mut self, number: usize, source: Source) -> Result<(), Invalid> {
        source.check()?;
        let window = narrow(source.window).max(1);
        self.relevant_rate -= self.models[number].mean_rate() * f64::from(self.relevance[number]);
        self.relevance[number] = source.relevance as f32;
        self.relevant_rate += source.model.mean_rate() * f64::from(self.relevance[number]);
        self.models[number] = source.model;
        self.last[number] = source.last.unwrap_or(f64::NEG_INFINITY);
        self.cost[number] = source.cost as f32;
        self.dispersion[number] = source.dispersion.clamp(1.0, MOST_DISPERSION) as f32;
        self.window[number] = window;
        self.shown[number] = narrow(source.shown).min(window);
        Ok(())
    }

    /// Sets the cost of one refresh, relative to the average.
    pub fn set_cost(&mut self, source: usize, cost: f64) -> Result<(), Invalid> {
        self.cost[source] = Invalid::unless_positive("refresh cost", cost)? as f32;
        Ok(())
    }

    /// The state of one source, for example to store it.
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

    /// Sets the plan that the upstream of a source made at `made`: the model now expects batches.
    pub fn relay(
        &mut self,
        source: usize,
        made: f64,
        refreshes: impl IntoIterator<Item = PlannedRefresh>,
    ) {
        self.models[source].relay(made, refreshes);
    }

    /// Removes the plan of a source; its previous model continues.
    pub fn unrelay(&mut self, source: usize) {
        self.models[source].unrelay();
    }

    pub fn model(&self, source: usize) -> &Model {
        &self.models[source]
    }

    /// The last refresh of a source.
    pub fn last(&self, source: usize) -> Option<f64> {
        let last = self.last[source];
        last.is_finite().then_some(last)
    }

    /// Prevents refreshes of a source until `instant`.
    pub fn hold(&mut self, source: usize, instant: f64) {
        self.held_until[source] = instant;
    }

    /// Sets the worth of an item of the source.
    pub fn set_relevance(&mut self, source: usize, relevance: f64) -> Result<(), Invalid> {
        let relevance = Invalid::unless_not_negative("relevance", relevance)?;
        let before = std::mem::replace(&mut self.relevance[source], relevance as f32);
        // Use the stored, rounded number, so that the sum stays exact.
        let change = f64::from(self.relevance[source]) - f64::from(before);
        self.relevant_rate += change * self.models[source].mean_rate();
        Ok(())
    }

    /// Learns from a refresh.
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

    /// The estimated freshness: the mean share of the windows that the node has, over the relevant sources
    /// that were ever refreshed. Nothing if there are none.
    pub fn freshness(&self, now: f64) -> Option<f64> {
        let (mut held, mut count) = (0.0, 0u32);
        for source in 0..self.models.len() {
            let last = self.last[source];
            if last.is_finite() && self.relevance[source] > 0.0 {
                let expected = self.models[source].expected(last, now);
                held += 1.0 - (expected / self.shown(source) as f64).min(1.0);
                count += 1;
            }
        }
        (count > 0).then(|| held / f64::from(count))
    }

    /// Σ over the sources of rate × relevance, in relevant items per second.
    pub fn relevant_rate(&self) -> f64 {
        self.relevant_rate.max(f64::MIN_POSITIVE)
    }

    /// No refresh before this time; infinite while a refresh is running.
    pub(crate) fn held_until(&self, source: usize) -> f64 {
        self.held_until[source]
    }

    pub(crate) fn window(&self, source: usize) -> usize {
        usize::from(self.window[source])
    }

    /// Items in the document, at least one. A window that is not full yet counts as it will be in a day:
    /// by its items at the first refresh alone, a source with few items would seem worthless and never be
    /// refreshed again.
    pub(crate) fn shown(&self, source: usize) -> usize {
        let soon = self.models[source].mean_rate() * DAY;
        let window = self.window(source);
        (usize::from(self.shown[source]) + soon.min(window as f64) as usize).clamp(1, window)
    }

    /// The worth of an item of the source.
    pub fn relevance(&self, source: usize) -> f64 {
        f64::from(self.relevance[source])
    }

    /// The cost of one refresh, relative to the average.
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
