//! Publication models: estimate how many items a source has published since its last refresh.
//!
//! All models implement [`PublicationModel`] and learn from the same [`Observation`]. They limit their
//! rates to a range, so that no sequence of observations can make a source disappear or take the whole
//! budget for ever.
//!
//! [`Model`] is an enum and not a boxed trait object, so that a million sources are one array and a
//! decision is one pass over it.

mod belief;
mod calendar;
mod constant;
mod dynamo;
mod gamma;
mod gamma_slots;
mod hybrid;
mod kind;
mod likelihood;
mod moving_average;
pub mod parts;
mod periodic;
mod publication;
mod relayed;
mod single;
mod slots;

use crate::observation::Observation;
pub use calendar::Calendar;
pub use constant::Constant;
pub use dynamo::{BestWeight, Dynamo, best_weight, prediction_error};
pub use gamma::GammaPoisson;
pub use gamma_slots::GammaSlots;
pub use hybrid::Hybrid;
pub use kind::ModelKind;
pub use likelihood::{Likelihood, Seen, maximum_likelihood};
pub use moving_average::MovingAverage;
pub use periodic::Periodic;
pub use publication::PublicationModel;
pub use relayed::{PlannedRefresh, Relayed};
pub use single::SingleVariable;

/// The publication model of one source.
///
/// Nodes with very many sources use the Gamma model, so it is small and stored inline. Larger models are
/// boxed.
#[derive(Debug, Clone, PartialEq)]
pub enum Model {
    Constant(Constant),
    Single(Box<SingleVariable>),
    MovingAverage(Box<MovingAverage>),
    Dynamo(Box<Dynamo>),
    Periodic(Box<Periodic>),
    Hybrid(Box<Hybrid>),
    Likelihood(Box<Likelihood>),
    Gamma(GammaPoisson),
    GammaSlots(Box<GammaSlots>),
    Calendar(Box<Calendar>),
    Relayed(Box<Relayed>),
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
