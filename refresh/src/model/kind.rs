//! The learning models by name.

use std::str::FromStr;

use super::{
    Calendar, Dynamo, GammaPoisson, GammaSlots, Hybrid, Likelihood, Model, MovingAverage, Periodic,
    SingleVariable,
};
use crate::error::Invalid;

/// A learning model with its default settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ModelKind {
    /// One rate, exponentially smoothed.
    Single,
    /// One rate, smoothed by a factor that follows its own error.
    SingleDynamic,
    /// A daily table of 24 rates, exponentially smoothed.
    Periodic,
    /// Single or periodic, whichever had the smaller recent errors.
    Hybrid,
    /// The most likely rate for the last observations, including full windows.
    Likelihood,
    /// A Gamma belief about one rate, which fades with time and takes full windows into account.
    Gamma,
    /// A Gamma belief for each hour of the day, without the dates of items.
    GammaSlots,
    /// A Gamma belief for each hour of the day, with the dates of items.
    GammaDates,
    /// A mixture of five tables, from the overall level to five minutes of the day, with dates.
    Calendar,
    /// The mean interval between the last new items.
    MovingAverage,
    /// The time between updates, smoothed with the best-fitting weight.
    Dynamo,
}

impl ModelKind {
    /// All kinds, in the order of tables.
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

    /// A new model that expects `prior_rate` items per second until it learns otherwise.
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
