//! The node itself: its name and threshold, the hosts it asked, its history, what was learnt of its queries.

use std::borrow::Cow;

use pergola_query::{AgedCount, QueryId, Selectivity, SelectivityParts, SourceId};
use pergola_refresh::{Controller, Threshold, ThresholdParts};
use serde::{Deserialize, Serialize};

use super::{Nonsense, Stored, row};
use crate::records::{HostTally, NodeRecord, Sample};

row!(NodeRecord as NodeRow<'a> {
    id: Cow<'a, str>,
    threshold: Option<ThresholdRow>,
    next_source: u32,
    next_feed: u32,
});

row!(ThresholdParts as ThresholdRow {
    value: f64,
    controller: ControllerRow,
    excess: f64,
    recent: f64,
    searching: u8,
    since_passing: f64,
});

impl Stored for Threshold {
    type Row<'a> = ThresholdRow;

    fn to_row(&self) -> ThresholdRow {
        self.parts().to_row()
    }

    fn from_row(row: ThresholdRow) -> Result<Self, Nonsense> {
        Ok(Self::from_parts(Stored::from_row(row)?)?)
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) enum ControllerRow {
    Literal,
    Steady { horizon: f64 },
}

impl Stored for Controller {
    type Row<'a> = ControllerRow;

    fn to_row(&self) -> ControllerRow {
        match *self {
            Self::Literal => ControllerRow::Literal,
            Self::Steady { horizon } => ControllerRow::Steady { horizon },
        }
    }

    fn from_row(row: ControllerRow) -> Result<Self, Nonsense> {
        Ok(match row {
            ControllerRow::Literal => Self::Literal,
            ControllerRow::Steady { horizon } => Self::Steady { horizon },
        })
    }
}

row!(HostTally as HostRow {
    requests: u64,
    not_modified: u64,
    bytes: u64,
    pauses: u64,
    hints: u64,
    last: f64,
});

row!(Sample as SampleRow {
    threshold: f64,
    budget: f64,
    refreshes: u32,
    not_modified: u32,
    failures: u32,
    items: u32,
    bytes: u64,
    completeness: f64,
    freshness: f64,
});

/// What was learnt about which share of a source each feed keeps.
#[derive(Serialize, Deserialize)]
pub(crate) struct SelectivityRow {
    half_life: u32,
    /// Source, and what was seen of it.
    seen: Vec<(u64, CountRow)>,
    /// Source, feed, what was kept, and what was seen before.
    pairs: Vec<(u64, u64, [CountRow; 2])>,
}

row!(AgedCount as CountRow { count: f64, at: i64 });

impl Stored for Selectivity {
    type Row<'a> = SelectivityRow;

    fn to_row(&self) -> SelectivityRow {
        let SelectivityParts { half_life, seen, pairs } = self.parts();
        let seen = seen.into_iter().map(|(source, count)| (source.0, count.to_row()));
        let pairs = pairs
            .into_iter()
            .map(|(source, feed, counts)| (source.0, feed.0, counts.map(|count| count.to_row())));
        SelectivityRow { half_life, seen: seen.collect(), pairs: pairs.collect() }
    }

    fn from_row(row: SelectivityRow) -> Result<Self, Nonsense> {
        let count = |CountRow { count, at }: CountRow| AgedCount { count, at };
        let seen = row.seen.into_iter().map(|(source, seen)| (SourceId(source), count(seen)));
        let pairs = row.pairs.into_iter();
        let pairs = pairs
            .map(|(source, feed, counts)| (SourceId(source), QueryId(feed), counts.map(count)));
        let (seen, pairs) = (seen.collect(), pairs.collect());
        Ok(Self::from_parts(SelectivityParts { half_life: row.half_life, seen, pairs }))
    }
}
