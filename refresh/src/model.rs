//! Publication models: how many items has a source published since we last looked?
//!
//! Every model answers the same question ([`PublicationModel::divergence`]), learns from the same [`Observation`], and keeps its rates between
//! [`RATE_FLOOR`] and [`RATE_CEILING`] so that no sequence of observations can make a source
//! disappear or swallow the budget for ever.
//!
//! [`Model`] is an enum rather than a box: a million sources are one array, and a decision one pass.

mod belief;
mod calendar;
mod dynamo;
mod gamma;
mod gamma_slots;
mod hybrid;
mod likelihood;
mod moving_average;
pub mod parts;
mod periodic;
mod relayed;
mod single;
mod slots;

use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use calendar::Calendar;
pub use dynamo::{BestWeight, Dynamo, best_weight, prediction_error};
pub use gamma::GammaPoisson;
pub use gamma_slots::GammaSlots;
pub use hybrid::Hybrid;
pub use likelihood::{Likelihood, Seen, maximum_likelihood};
pub use moving_average::MovingAverage;
pub use periodic::Periodic;
pub use relayed::{PlannedLook, Relayed};
pub use single::SingleVariable;

use crate::{DAY, Invalid, Observation};

/// No source is thought to publish less than one item in ten years …
pub(crate) const RATE_FLOOR: f64 = 1.0 / (3650.0 * DAY);
/// … or more than ten thousand items a second.
pub(crate) const RATE_CEILING: f64 = 1e4;

/// Keeps a rate finite and positive; a NaN becomes the floor.
pub(crate) fn bounded(rate: f64) -> f64 {
    if rate.is_nan() { RATE_FLOOR } else { rate.clamp(RATE_FLOOR, RATE_CEILING) }
}

/// What every publication model can do. Instants are seconds, `from ≤ to`.
pub trait PublicationModel {
    /// The stream divergence, items expected to be published in `(from, to]`, and the area under it:
    /// ∫ of the divergence from `from` to x, for x from `from` to `to`.
    fn divergence(&self, from: f64, to: f64) -> (f64, f64);

    /// Items expected to be published in `(from, to]`.
    fn expected(&self, from: f64, to: f64) -> f64 {
        self.divergence(from, to).0
    }

    /// Items per second, averaged over the model's period.
    fn mean_rate(&self) -> f64;

    /// Learns from one refresh.
    fn learn(&mut self, observation: &Observation<'_>);

    /// Fills `bins` with the items expected in each of the equal steps that follow `from`.
    fn forecast(&self, from: f64, step: f64, bins: &mut [f64]) {
        for (index, bin) in bins.iter_mut().enumerate() {
            let start = from + index as f64 * step;
            *bin = self.expected(start, start + step);
        }
    }
}

/// A rate known beforehand that no observation changes (offline knowledge).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Constant {
    rate: f32,
}

impl Constant {
    /// A constant rate in items per second.
    pub fn new(rate: f64) -> Result<Self, Invalid> {
        let rate = Invalid::unless_not_negative("publication rate", rate)?;
        Ok(Self { rate: bounded(rate) as f32 })
    }
}

impl PublicationModel for Constant {
    fn divergence(&self, from: f64, to: f64) -> (f64, f64) {
        at_constant_rate(f64::from(self.rate), from, to)
    }

    fn mean_rate(&self) -> f64 {
        f64::from(self.rate)
    }

    fn learn(&mut self, _: &Observation<'_>) {}
}

/// Divergence λ·Δ and its area ½·λ·Δ² at a constant rate.
#[inline]
pub(crate) fn at_constant_rate(rate: f64, from: f64, to: f64) -> (f64, f64) {
    let age = (to - from).max(0.0);
    (rate * age, 0.5 * rate * age * age)
}

/// One source's publication model, whichever it is.
///
/// A Gamma belief is what nodes with very many sources have, so it is at hand and as small as can be; what
/// is larger lies elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "each variant is the model of that name")]
pub enum Model {
    Constant(Constant),
    Single(Box<SingleVariable>),
    Periodic(Box<Periodic>),
    Hybrid(Box<Hybrid>),
    Likelihood(Box<Likelihood>),
    Gamma(GammaPoisson),
    GammaSlots(Box<GammaSlots>),
    Calendar(Box<Calendar>),
    MovingAverage(Box<MovingAverage>),
    Relayed(Box<Relayed>),
    // Last, because stored models are known by their place.
    Dynamo(Box<Dynamo>),
}

macro_rules! delegate {
    ($self:ident, $model:ident => $body:expr) => {
        match $self {
            Model::Constant($model) => $body,
            Model::Single($model) => $body,
            Model::Periodic($model) => $body,
            Model::Hybrid($model) => $body,
            Model::Likelihood($model) => $body,
            Model::Gamma($model) => $body,
            Model::GammaSlots($model) => $body,
            Model::Calendar($model) => $body,
            Model::MovingAverage($model) => $body,
            Model::Relayed($model) => $body,
            Model::Dynamo($model) => $body,
        }
    };
}

macro_rules! from {
    ($($kind:ty => $variant:expr),*) => {
        $(impl From<$kind> for Model {
            fn from(model: $kind) -> Self {
                $variant(model.into())
            }
        })*
    };
}

from! {
    Constant => Model::Constant,
    SingleVariable => Model::Single,
    Periodic => Model::Periodic,
    Hybrid => Model::Hybrid,
    Likelihood => Model::Likelihood,
    GammaPoisson => Model::Gamma,
    GammaSlots => Model::GammaSlots,
    Calendar => Model::Calendar,
    MovingAverage => Model::MovingAverage,
    Relayed => Model::Relayed,
    Dynamo => Model::Dynamo
}

impl PublicationModel for Model {
    #[inline]
    fn divergence(&self, from: f64, to: f64) -> (f64, f64) {
        delegate!(self, model => model.divergence(from, to))
    }

    fn mean_rate(&self) -> f64 {
        delegate!(self, model => model.mean_rate())
    }

    fn learn(&mut self, observation: &Observation<'_>) {
        delegate!(self, model => model.learn(observation));
    }

    fn forecast(&self, from: f64, step: f64, bins: &mut [f64]) {
        delegate!(self, model => model.forecast(from, step, bins));
    }
}

/// The learning models by name, each with its default settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModelKind {
    /// One rate, exponentially smoothed.
    Single,
    /// One rate, smoothed by a factor that follows its own error.
    SingleDynamic,
    /// A daily table of 24 rates, exponentially smoothed.
    Periodic,
    /// Single and periodic, whichever erred less lately.
    Hybrid,
    /// The rate that makes the last observations most likely, full windows included.
    Likelihood,
    /// A Gamma belief about one rate, forgetting with time, full windows understood.
    Gamma,
    /// The same per hour of the day, without dates.
    GammaSlots,
    /// The same per hour of the day, with the items' dates.
    GammaDates,
    /// A mixture of five tables, from the level to five minutes of the day, with dates.
    Calendar,
    /// The mean interval between the last new items.
    MovingAverage,
    /// The time between updates, smoothed by the weight that fits it best.
    Dynamo,
}

impl ModelKind {
    /// All of them, in the order in which tables list them.
    pub const ALL: [Self; 11] = [
        Self::Single,
        Self::SingleDynamic,
        Self::MovingAverage,
        Self::Dynamo,
        Self::Periodic,
        Self::Hybrid,
        Self::Likelihood,
        Self::Gamma,
        Self::GammaSlots,
        Self::GammaDates,
        Self::Calendar,
    ];

    /// The name used in commands and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::SingleDynamic => "single-dynamic",
            Self::Periodic => "periodic",
            Self::Hybrid => "hybrid",
            Self::Likelihood => "likelihood",
            Self::Gamma => "gamma",
            Self::GammaSlots => "gamma-slots",
            Self::GammaDates => "gamma-dates",
            Self::Calendar => "calendar",
            Self::MovingAverage => "moving-average",
            Self::Dynamo => "dynamo",
        }
    }

    /// A fresh model that expects `prior_rate` items per second until it has seen something.
    pub fn build(self, prior_rate: f64) -> Result<Model, Invalid> {
        let rate = Invalid::unless_positive("prior rate", prior_rate)?;
        Ok(match self {
            Self::Single => SingleVariable::new(rate, 0.1)?.into(),
            Self::SingleDynamic => SingleVariable::new(rate, 0.1)?.dynamic().into(),
            Self::Periodic => Periodic::daily(rate, 0.1)?.into(),
            Self::Hybrid => {
                Hybrid::new(SingleVariable::new(rate, 0.1)?, Periodic::daily(rate, 0.1)?).into()
            }
            Self::Likelihood => Likelihood::new(rate)?.into(),
            Self::Gamma => GammaPoisson::new(rate)?.into(),
            Self::GammaSlots => GammaSlots::daily(rate)?.into(),
            Self::GammaDates => GammaSlots::daily(rate)?.with_dates().into(),
            Self::Calendar => Calendar::new(rate)?.into(),
            Self::MovingAverage => MovingAverage::new(rate)?.into(),
            Self::Dynamo => Dynamo::new(rate)?.into(),
        })
    }
}

impl FromStr for ModelKind {
    type Err = Invalid;

    fn from_str(name: &str) -> Result<Self, Invalid> {
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| Invalid {
            what: "model",
            given: format!("`{name}`"),
            allowed: "one of single, single-dynamic, moving-average, dynamo, periodic, hybrid, likelihood, \
                      gamma, gamma-slots, gamma-dates, calendar",
        })
    }
}
