//! What the scheduler believes of a source: its model and a few numbers.

use std::borrow::Cow;

use pergola_refresh::parts::{
    CalendarParts, ConstantParts, DynamoParts, GammaParts, GammaSlotsParts, HybridParts,
    LikelihoodParts, ModelParts, MovingAverageParts, PeriodicParts, RelayedParts, SingleParts,
};
use pergola_refresh::{Model, Source};
use serde::{Deserialize, Serialize};

use super::{Nonsense, Stored, row};

row!(Source as ScheduleRow<'a> {
    model: ModelRow<'a>,
    window: u32,
    last: Option<f64>,
    relevance: f64,
    cost: f64,
    shown: u32,
    dispersion: f64,
});

/// Any model. A stored model is known by its place in this list: a new one comes last.
#[derive(Serialize, Deserialize)]
pub(crate) enum ModelRow<'a> {
    Constant(ConstantRow),
    Single(SingleRow),
    Periodic(PeriodicRow),
    Hybrid(Box<HybridRow>),
    Likelihood(Box<LikelihoodRow>),
    Gamma(GammaRow),
    GammaSlots(Box<GammaSlotsRow>),
    Calendar(CalendarRow<'a>),
    MovingAverage(MovingAverageRow),
    Relayed(RelayedRow<'a>),
    Dynamo(DynamoRow),
}

impl Stored for Model {
    type Row<'a> = ModelRow<'a>;

    fn to_row(&self) -> ModelRow<'_> {
        self.parts().into()
    }

    fn from_row(row: ModelRow<'static>) -> Result<Self, Nonsense> {
        Ok(Self::from_parts(row.into())?)
    }
}

impl<'a> From<ModelParts<'a>> for ModelRow<'a> {
    fn from(parts: ModelParts<'a>) -> Self {
        match parts {
            ModelParts::Constant(parts) => Self::Constant(parts.into()),
            ModelParts::Single(parts) => Self::Single(parts.into()),
            ModelParts::MovingAverage(parts) => Self::MovingAverage(parts.into()),
            ModelParts::Dynamo(parts) => Self::Dynamo(parts.into()),
            ModelParts::Periodic(parts) => Self::Periodic(parts.into()),
            ModelParts::Hybrid(parts) => Self::Hybrid(Box::new(parts.into())),
            ModelParts::Likelihood(parts) => Self::Likelihood(Box::new(parts.into())),
            ModelParts::Gamma(parts) => Self::Gamma(parts.into()),
            ModelParts::GammaSlots(parts) => Self::GammaSlots(Box::new(parts.into())),
            ModelParts::Calendar(parts) => Self::Calendar(parts.into()),
            ModelParts::Relayed(parts) => Self::Relayed(parts.into()),
        }
    }
}

impl<'a> From<ModelRow<'a>> for ModelParts<'a> {
    fn from(row: ModelRow<'a>) -> Self {
        match row {
            ModelRow::Constant(row) => Self::Constant(row.into()),
            ModelRow::Single(row) => Self::Single(row.into()),
            ModelRow::MovingAverage(row) => Self::MovingAverage(row.into()),
            ModelRow::Dynamo(row) => Self::Dynamo(row.into()),
            ModelRow::Periodic(row) => Self::Periodic(row.into()),
            ModelRow::Hybrid(row) => Self::Hybrid((*row).into()),
            ModelRow::Likelihood(row) => Self::Likelihood((*row).into()),
            ModelRow::Gamma(row) => Self::Gamma(row.into()),
            ModelRow::GammaSlots(row) => Self::GammaSlots((*row).into()),
            ModelRow::Calendar(row) => Self::Calendar(row.into()),
            ModelRow::Relayed(row) => Self::Relayed(row.into()),
        }
    }
}

/// Declares the row of a model's parts, which are moved one by one.
macro_rules! parts {
    ($parts:ident$(<$a:lifetime>)? as $row:ident { $($field:ident: $kind:ty),* $(,)? }) => {
        #[derive(Serialize, Deserialize)]
        pub(crate) struct $row$(<$a>)? { $($field: $kind),* }

        impl$(<$a>)? From<$parts$(<$a>)?> for $row$(<$a>)? {
            fn from(parts: $parts$(<$a>)?) -> Self {
                Self { $($field: parts.$field.into()),* }
            }
        }

        impl$(<$a>)? From<$row$(<$a>)?> for $parts$(<$a>)? {
            fn from(row: $row$(<$a>)?) -> Self {
                Self { $($field: row.$field.into()),* }
            }
        }
    };
}

parts!(ConstantParts as ConstantRow { rate: f32 });

parts!(SingleParts as SingleRow { rate: f32, alpha: f32, errors: Option<([f32; 10], u32)> });

parts!(PeriodicParts as PeriodicRow {
    slot_length: f32,
    slots: u8,
    alpha: f32,
    rates: [f32; 24],
});

parts!(HybridParts as HybridRow {
    single: SingleRow,
    periodic: PeriodicRow,
    single_errors: [f32; 5],
    periodic_errors: [f32; 5],
    next: u8,
});

parts!(LikelihoodParts as LikelihoodRow {
    rate: f32,
    profile: [(f32, f32, bool); 16],
    next: u8,
});

parts!(GammaParts as GammaRow { prior_time: f32, memory: f32, items: f32, time: f32 });

parts!(GammaSlotsParts as GammaSlotsRow {
    slot_length: f32,
    slots: u8,
    prior_time: f32,
    uses_dates: bool,
    items: [f32; 24],
    time: [f32; 24],
});

parts!(CalendarParts<'a> as CalendarRow {
    prior_time: f32,
    items: f32,
    time: f32,
    cells: Cow<'a, [(f32, f32)]>,
    scale: f64,
    credit: [f32; 5],
});

parts!(MovingAverageParts as MovingAverageRow {
    prior: f32,
    counts: [f32; 8],
    spans: [f32; 8],
    next: u8,
    idle: f32,
});

parts!(DynamoParts as DynamoRow {
    interval: f64,
    items: f64,
    alpha: f64,
    series: Vec<f32>,
    unsought: u8,
    idle: f64,
});

#[derive(Serialize, Deserialize)]
pub(crate) struct RelayedRow<'a> {
    beyond: Box<ModelRow<'a>>,
    made: f64,
    until: f64,
    /// When, and how many items.
    planned: Vec<(f64, f64)>,
}

impl<'a> From<RelayedParts<'a>> for RelayedRow<'a> {
    fn from(parts: RelayedParts<'a>) -> Self {
        let RelayedParts { beyond, made, until, planned } = parts;
        Self { beyond: Box::new((*beyond).into()), made, until, planned }
    }
}

impl<'a> From<RelayedRow<'a>> for RelayedParts<'a> {
    fn from(row: RelayedRow<'a>) -> Self {
        let RelayedRow { beyond, made, until, planned } = row;
        Self { beyond: Box::new((*beyond).into()), made, until, planned }
    }
}
