//! One source, and what it learns from a refresh.

use crate::counts::Distribution;
use crate::error::Invalid;
use crate::model::{Model, PublicationModel};
use crate::observation::Observation;

/// The memory of the dispersion in refreshes, and its maximum.
const DISPERSION_MEMORY: f64 = 50.0;
pub(super) const MOST_DISPERSION: f64 = 8.0;

/// The state of one source.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    pub model: Model,
    /// Items that its document can show.
    pub window: u32,
    /// The last refresh.
    pub last: Option<f64>,
    /// The worth of an item: Σ over the feeds of weight × selectivity, times the importance of the source.
    pub relevance: f64,
    /// The cost of one refresh, relative to the average; 1 unless the budget is in bytes.
    pub cost: f64,
    /// Items in its document at the last refresh; the size of the window before the first.
    pub shown: u32,
    /// The variance of its counts over that of a Poisson stream; 1 until there are bursts.
    pub dispersion: f64,
}

impl Source {
    /// A new source, all items of which are relevant.
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

    /// The source after a refresh, exactly as `Sources::observe` would change it.
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

    /// Items expected to be published since the last refresh; nothing before the first.
    pub fn waiting(&self, now: f64) -> Option<f64> {
        self.last.map(|last| self.model.expected(last, now.max(last)))
    }

    /// How likely a refresh at `at` comes too late for some items: more were published than the document shows.
    /// Nothing before the first refresh.
    pub fn risk_of_loss(&self, at: f64) -> Option<f64> {
        let counts = Distribution::bursty(self.waiting(at)?, self.dispersion);
        Some(counts.at_least(self.window as usize + 1).clamp(0.0, 1.0))
    }

    pub(super) fn check(&self) -> Result<(), Invalid> {
        Invalid::unless_not_negative("relevance", self.relevance)?;
        Invalid::unless_positive("refresh cost", self.cost)?;
        Invalid::unless_positive("dispersion", self.dispersion)?;
        Ok(())
    }
}

/// Lets a model learn from a refresh; returns the new dispersion, rounded as it is stored.
pub(super) fn learn(model: &mut Model, dispersion: f64, observation: &Observation<'_>) -> f64 {
    let mut after = dispersion;
    if let (Some(since), false) = (observation.since, observation.censored) {
        let expected = model.expected(since, observation.at);
        let count = f64::from(observation.new_items);
        // Half an item in the denominator: one unexpected item in a quiet time is not a burst.
        let seen = (count - expected).powi(2) / (expected + 0.5);
        after += (seen.min(MOST_DISPERSION * 4.0) - dispersion) / DISPERSION_MEMORY;
    }
    model.learn(observation);
    f64::from(after.clamp(1.0, MOST_DISPERSION) as f32)
}

/// Windows are stored in 16 bits.
pub(super) fn narrow(items: u32) -> u16 {
    u16::try_from(items).unwrap_or(u16::MAX)
}
