//! A model taken apart into plain numbers, and put together again.
//!
//! Whoever stores models has a layout of its own and converts to and from these parts, so a model is free to
//! change. Putting a model together checks what it relies on: lengths, places in its tables, finite numbers.

use std::borrow::Cow;

use super::belief::Prior;
use super::single::RecentErrors;
use super::slots::SlotClock;
use super::{
    Calendar, Constant, Dynamo, GammaPoisson, GammaSlots, Hybrid, Likelihood, Model, MovingAverage,
    Periodic, PlannedRefresh, Relayed, Seen, SingleVariable,
};
use crate::Invalid;

/// The parts of any model.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "each variant holds the parts of the model of that name")]
pub enum ModelParts<'a> {
    Constant(ConstantParts),
    Single(SingleParts),
    MovingAverage(MovingAverageParts),
    Dynamo(DynamoParts),
    Periodic(PeriodicParts),
    Hybrid(HybridParts),
    Likelihood(LikelihoodParts),
    Gamma(GammaParts),
    GammaSlots(GammaSlotsParts),
    Calendar(CalendarParts<'a>),
    Relayed(RelayedParts<'a>),
}

/// The parts of a [`Constant`].
#[derive(Debug, Clone, PartialEq)]
pub struct ConstantParts {
    /// Items per second.
    pub rate: f32,
}

/// The parts of a [`SingleVariable`].
#[derive(Debug, Clone, PartialEq)]
pub struct SingleParts {
    /// Items per second.
    pub rate: f32,
    /// The weight of the next observation.
    pub alpha: f32,
    /// The errors that a dynamic α follows: a ring in which error `n` is at `n % 10`, and how many there were.
    pub errors: Option<([f32; 10], u32)>,
}

/// The parts of a [`MovingAverage`].
#[derive(Debug, Clone, PartialEq)]
pub struct MovingAverageParts {
    /// Items per second before anything was seen.
    pub prior: f32,
    /// Items of the last refreshes that found some: a ring.
    pub counts: [f32; 8],
    /// The seconds they took.
    pub spans: [f32; 8],
    /// Where the ring goes on.
    pub next: u8,
    /// Seconds since the last refresh that found something.
    pub idle: f32,
}

/// The parts of a [`Dynamo`].
#[derive(Debug, Clone, PartialEq)]
pub struct DynamoParts {
    /// τ in seconds.
    pub interval: f64,
    /// Items of an update.
    pub items: f64,
    /// The weight of the old value.
    pub alpha: f64,
    /// The last intervals, oldest first.
    pub series: Vec<f32>,
    /// Intervals since α was computed.
    pub unsought: u8,
    /// Seconds since the last refresh that found something.
    pub idle: f64,
}

/// The parts of a [`Periodic`].
#[derive(Debug, Clone, PartialEq)]
pub struct PeriodicParts {
    /// Seconds of a slot.
    pub slot_length: f32,
    /// Slots in use.
    pub slots: u8,
    /// The weight of an observation for a slot that it covers wholly.
    pub alpha: f32,
    /// Items per second of each slot.
    pub rates: [f32; 24],
}

/// The parts of a [`Hybrid`].
#[derive(Debug, Clone, PartialEq)]
pub struct HybridParts {
    /// The single rate.
    pub single: SingleParts,
    /// The table.
    pub periodic: PeriodicParts,
    /// The last errors of the single rate: a ring.
    pub single_errors: [f32; 5],
    /// The last errors of the table: a ring.
    pub periodic_errors: [f32; 5],
    /// Where both rings go on.
    pub next: u8,
}

/// The parts of a [`Likelihood`].
#[derive(Debug, Clone, PartialEq)]
pub struct LikelihoodParts {
    /// Items per second.
    pub rate: f32,
    /// The last observations: a ring of seconds, items, and whether there may have been more items.
    pub profile: [(f32, f32, bool); 16],
    /// Where the ring goes on.
    pub next: u8,
}

/// The parts of a [`GammaPoisson`].
#[derive(Debug, Clone, PartialEq)]
pub struct GammaParts {
    /// Seconds that the prior's half item takes.
    pub prior_time: f32,
    /// Seconds in which evidence fades by the factor e.
    pub memory: f32,
    /// Items seen, faded.
    pub items: f32,
    /// Seconds watched, faded.
    pub time: f32,
}

/// The parts of a [`GammaSlots`].
#[derive(Debug, Clone, PartialEq)]
pub struct GammaSlotsParts {
    /// Seconds of a slot.
    pub slot_length: f32,
    /// Slots in use.
    pub slots: u8,
    /// Seconds that the prior's half item takes.
    pub prior_time: f32,
    /// Whether the items' dates are used.
    pub uses_dates: bool,
    /// Items seen in each slot, faded.
    pub items: [f32; 24],
    /// Seconds watched in each slot, faded.
    pub time: [f32; 24],
}

/// The parts of a [`Calendar`].
#[derive(Debug, Clone, PartialEq)]
pub struct CalendarParts<'a> {
    /// Seconds that the prior's half item takes.
    pub prior_time: f32,
    /// Items seen, faded.
    pub items: f32,
    /// Seconds watched, faded.
    pub time: f32,
    /// Items and seconds of each cell of all tables, multiplied by `scale`.
    pub cells: Cow<'a, [(f32, f32)]>,
    /// What the cells are multiplied by.
    pub scale: f64,
    /// Items credited to each table.
    pub credit: [f32; 5],
}

/// The parts of a [`Relayed`].
#[derive(Debug, Clone, PartialEq)]
pub struct RelayedParts<'a> {
    /// The model that holds outside the plan.
    pub beyond: Box<ModelParts<'a>>,
    /// When the plan was made.
    pub made: f64,
    /// When it ends.
    pub until: f64,
    /// When the upstream plans to refresh, in order, and how many items it expects.
    pub planned: Vec<(f64, f64)>,
}

impl Model {
    /// Takes the model apart. Only its large table is borrowed; the rest is copied.
    pub fn parts(&self) -> ModelParts<'_> {
        match self {
            Self::Constant(model) => ModelParts::Constant(ConstantParts { rate: model.rate }),
            Self::Single(model) => ModelParts::Single(model.parts()),
            Self::MovingAverage(model) => ModelParts::MovingAverage(model.parts()),
            Self::Dynamo(model) => ModelParts::Dynamo(model.parts()),
            Self::Periodic(model) => ModelParts::Periodic(model.parts()),
            Self::Hybrid(model) => ModelParts::Hybrid(model.parts()),
            Self::Likelihood(model) => ModelParts::Likelihood(model.parts()),
            Self::Gamma(model) => ModelParts::Gamma(model.parts()),
            Self::GammaSlots(model) => ModelParts::GammaSlots(model.parts()),
            Self::Calendar(model) => ModelParts::Calendar(model.parts()),
            Self::Relayed(model) => ModelParts::Relayed(model.parts()),
        }
    }

    /// Puts a model together.
    pub fn from_parts(parts: ModelParts<'_>) -> Result<Self, Invalid> {
        Ok(match parts {
            ModelParts::Constant(ConstantParts { rate }) => {
                finite("publication rate", [rate])?;
                Self::Constant(Constant { rate })
            }
            ModelParts::Single(parts) => SingleVariable::from_parts(parts)?.into(),
            ModelParts::MovingAverage(parts) => MovingAverage::from_parts(parts)?.into(),
            ModelParts::Dynamo(parts) => Dynamo::from_parts(parts)?.into(),
            ModelParts::Periodic(parts) => Periodic::from_parts(parts)?.into(),
            ModelParts::Hybrid(parts) => Hybrid::from_parts(parts)?.into(),
            ModelParts::Likelihood(parts) => Likelihood::from_parts(parts)?.into(),
            ModelParts::Gamma(parts) => GammaPoisson::from_parts(&parts)?.into(),
            ModelParts::GammaSlots(parts) => GammaSlots::from_parts(&parts)?.into(),
            ModelParts::Calendar(parts) => Calendar::from_parts(parts)?.into(),
            ModelParts::Relayed(parts) => Relayed::from_parts(parts)?.into(),
        })
    }
}

impl SingleVariable {
    fn parts(&self) -> SingleParts {
        let errors = self.dynamic.as_ref().map(|errors| (errors.ring, errors.seen));
        SingleParts { rate: self.rate, alpha: self.alpha, errors }
    }

    fn from_parts(parts: SingleParts) -> Result<Self, Invalid> {
        let SingleParts { rate, alpha, errors } = parts;
        finite("single rate", [rate, alpha])?;
        finite("error", errors.iter().flat_map(|(ring, _)| *ring))?;
        let dynamic = errors.map(|(ring, seen)| RecentErrors { ring, seen });
        Ok(Self { rate, alpha, dynamic })
    }
}

impl MovingAverage {
    fn parts(&self) -> MovingAverageParts {
        let Self { prior, counts, spans, next, idle } = *self;
        MovingAverageParts { prior, counts, spans, next, idle }
    }

    fn from_parts(parts: MovingAverageParts) -> Result<Self, Invalid> {
        let MovingAverageParts { prior, counts, spans, next, idle } = parts;
        finite("moving average", [prior, idle].into_iter().chain(counts).chain(spans))?;
        place(next, counts.len())?;
        Ok(Self { prior, counts, spans, next, idle })
    }
}

impl Dynamo {
    fn parts(&self) -> DynamoParts {
        let Self { interval, items, alpha, ref series, unsought, idle } = *self;
        let series = series.iter().copied().collect();
        DynamoParts { interval, items, alpha, series, unsought, idle }
    }

    fn from_parts(parts: DynamoParts) -> Result<Self, Invalid> {
        let DynamoParts { interval, items, alpha, series, unsought, idle } = parts;
        finite_doubles("interval between updates", [interval, items, alpha, idle])?;
        finite("interval between updates", series.iter().copied())?;
        Ok(Self { interval, items, alpha, series: series.into(), unsought, idle })
    }
}

impl Periodic {
    fn parts(&self) -> PeriodicParts {
        let Self { clock: SlotClock { length: slot_length, slots }, alpha, rates } = *self;
        PeriodicParts { slot_length, slots, alpha, rates }
    }

    fn from_parts(parts: PeriodicParts) -> Result<Self, Invalid> {
        let PeriodicParts { slot_length, slots, alpha, rates } = parts;
        finite("rate of a slot", rates.into_iter().chain([alpha]))?;
        Ok(Self { clock: clock(slot_length, slots)?, alpha, rates })
    }
}

impl Hybrid {
    fn parts(&self) -> HybridParts {
        let Self { single, periodic, single_errors, periodic_errors, next } = self;
        HybridParts {
            single: single.parts(),
            periodic: periodic.parts(),
            single_errors: *single_errors,
            periodic_errors: *periodic_errors,
            next: *next,
        }
    }

    fn from_parts(parts: HybridParts) -> Result<Self, Invalid> {
        let HybridParts { single, periodic, single_errors, periodic_errors, next } = parts;
        finite("error", single_errors.into_iter().chain(periodic_errors))?;
        place(next, single_errors.len())?;
        let single = SingleVariable::from_parts(single)?;
        let periodic = Periodic::from_parts(periodic)?;
        Ok(Self { single, periodic, single_errors, periodic_errors, next })
    }
}

impl Likelihood {
    fn parts(&self) -> LikelihoodParts {
        let profile = self.profile.map(|seen| (seen.span, seen.count, seen.censored));
        LikelihoodParts { rate: self.rate, profile, next: self.next }
    }

    fn from_parts(parts: LikelihoodParts) -> Result<Self, Invalid> {
        let LikelihoodParts { rate, profile, next } = parts;
        let seen = profile.iter().flat_map(|&(span, count, _)| [span, count]);
        finite("observation", seen.chain([rate]))?;
        place(next, profile.len())?;
        let profile = profile.map(|(span, count, censored)| Seen { span, count, censored });
        Ok(Self { rate, profile, next })
    }
}

impl GammaPoisson {
    fn parts(&self) -> GammaParts {
        let Self { prior: Prior { time: prior_time }, memory, items, time } = *self;
        GammaParts { prior_time, memory, items, time }
    }

    fn from_parts(parts: &GammaParts) -> Result<Self, Invalid> {
        let GammaParts { prior_time, memory, items, time } = *parts;
        finite("belief", [items, time])?;
        Invalid::unless_positive("memory in seconds", f64::from(memory))?;
        Ok(Self { prior: prior(prior_time)?, memory, items, time })
    }
}

impl GammaSlots {
    fn parts(&self) -> GammaSlotsParts {
        let Self { clock, prior, uses_dates, items, time } = *self;
        let SlotClock { length: slot_length, slots } = clock;
        GammaSlotsParts { slot_length, slots, prior_time: prior.time, uses_dates, items, time }
    }

    fn from_parts(parts: &GammaSlotsParts) -> Result<Self, Invalid> {
        let GammaSlotsParts { slot_length, slots, prior_time, uses_dates, items, time } = *parts;
        finite("belief about a slot", items.into_iter().chain(time))?;
        let (clock, prior) = (clock(slot_length, slots)?, prior(prior_time)?);
        Ok(Self { clock, prior, uses_dates, items, time })
    }
}

impl Calendar {
    fn parts(&self) -> CalendarParts<'_> {
        CalendarParts {
            prior_time: self.prior.time,
            items: self.items,
            time: self.time,
            cells: Cow::Borrowed(&self.cells),
            scale: self.scale,
            credit: self.credit,
        }
    }

    fn from_parts(parts: CalendarParts<'_>) -> Result<Self, Invalid> {
        let CalendarParts { prior_time, items, time, cells, scale, credit } = parts;
        let right = cells.len() == super::calendar::CELLS;
        Invalid::unless(right, "number of cells of a calendar", cells.len(), "492")?;
        finite("cell of a calendar", cells.iter().flat_map(|&(items, time)| [items, time]))?;
        finite("belief", [items, time].into_iter().chain(credit))?;
        Invalid::unless_positive("scale of a calendar", scale)?;
        let prior = prior(prior_time)?;
        Ok(Self { prior, items, time, cells: cells.into_owned(), scale, credit })
    }
}

impl Relayed {
    fn parts(&self) -> RelayedParts<'_> {
        RelayedParts {
            beyond: Box::new(self.beyond.parts()),
            made: self.made,
            until: self.until,
            planned: self.planned.iter().map(|refresh| (refresh.at, refresh.items)).collect(),
        }
    }

    fn from_parts(parts: RelayedParts<'_>) -> Result<Self, Invalid> {
        let RelayedParts { beyond, made, until, planned } = parts;
        let beyond = Model::from_parts(*beyond)?;
        let plain = !matches!(beyond, Model::Relayed(_));
        Invalid::unless(plain, "model beyond a plan", "a plan", "a model without a plan")?;
        let all = planned.iter().flat_map(|&(at, items)| [at, items]);
        finite_doubles("plan", all.chain([made, until]))?;
        let in_order = planned.is_sorted_by(|a, b| a.0 <= b.0);
        Invalid::unless(in_order, "plan", "out of order", "in order of time")?;
        let planned = planned.into_iter().map(|(at, items)| PlannedRefresh { at, items }).collect();
        Ok(Self { beyond, made, until, planned })
    }
}

fn clock(length: f32, slots: u8) -> Result<SlotClock, Invalid> {
    Invalid::unless_positive("seconds of a slot", f64::from(length))?;
    let right = (1..=super::slots::MAX_SLOTS).contains(&usize::from(slots));
    Invalid::unless(right, "number of slots", slots, "from 1 to 24")?;
    Ok(SlotClock { length, slots })
}

fn prior(time: f32) -> Result<Prior, Invalid> {
    Invalid::unless_positive("seconds of a prior", f64::from(time))?;
    Ok(Prior { time })
}

/// A place in a ring.
fn place(next: u8, length: usize) -> Result<(), Invalid> {
    let ok = usize::from(next) < length;
    Invalid::unless(ok, "place in a ring", next, "below its length").map(drop)
}

fn finite(what: &'static str, numbers: impl IntoIterator<Item = f32>) -> Result<(), Invalid> {
    finite_doubles(what, numbers.into_iter().map(f64::from))
}

fn finite_doubles(
    what: &'static str,
    numbers: impl IntoIterator<Item = f64>,
) -> Result<(), Invalid> {
    match numbers.into_iter().find(|number| !number.is_finite()) {
        Some(number) => Invalid::unless(false, what, number, "a finite number").map(drop),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DAY, ModelKind};

    #[test]
    fn every_model_comes_back_from_its_parts() {
        for kind in ModelKind::ALL {
            let mut model = kind.build(2.0 / DAY).unwrap();
            assert_eq!(Model::from_parts(model.parts()).unwrap(), model, "{kind:?}");
            model.relay(5.0, [PlannedRefresh { at: 9.0, items: 2.0 }]);
            assert_eq!(Model::from_parts(model.parts()).unwrap(), model, "{kind:?} with a plan");
        }
    }

    #[test]
    fn parts_that_no_model_has_are_refused() {
        let refused = |kind: ModelKind, spoil: fn(&mut ModelParts<'_>)| {
            let model = kind.build(2.0 / DAY).unwrap();
            let mut parts = model.parts();
            spoil(&mut parts);
            assert_ne!(parts, model.parts(), "{kind:?} was not spoilt");
            Model::from_parts(parts).unwrap_err().what
        };
        macro_rules! spoilt {
            ($kind:ident, $parts:ident => $change:expr) => {
                refused(ModelKind::$kind, |parts| {
                    if let ModelParts::$kind($parts) = parts {
                        $change;
                    }
                })
            };
        }
        assert_eq!(spoilt!(MovingAverage, parts => parts.next = 8), "place in a ring");
        assert_eq!(spoilt!(Hybrid, parts => parts.next = 5), "place in a ring");
        assert_eq!(spoilt!(Likelihood, parts => parts.next = 16), "place in a ring");
        assert_eq!(spoilt!(Periodic, parts => parts.slots = 25), "number of slots");
        assert_eq!(spoilt!(GammaSlots, parts => parts.slots = 0), "number of slots");
        assert_eq!(spoilt!(GammaSlots, parts => parts.slot_length = 0.0), "seconds of a slot");
        assert_eq!(spoilt!(Gamma, parts => parts.items = f32::NAN), "belief");
        assert_eq!(
            spoilt!(Dynamo, parts => parts.series.push(f32::INFINITY)),
            "interval between updates"
        );
        let short = spoilt!(Calendar, parts => parts.cells.to_mut().truncate(9));
        assert_eq!(short, "number of cells of a calendar");
    }
}
