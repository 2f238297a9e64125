//! What sources and feeds are about.

use pergola_profile::{Cohesion, StoredProfile};
use serde::{Deserialize, Serialize};

use super::{List, Nonsense, Stored, row};
use crate::records::ProfileRecord;

row!(ProfileRecord as ProfileRow<'a> { kept: KeptRow<'a>, seen: f32, novel: f32 });

row!(StoredProfile as KeptRow<'a> { items: List<'a, Vec<String>>, cohesion: CohesionRow });

#[derive(Serialize, Deserialize)]
pub(crate) struct CohesionRow {
    items: u64,
    mean: f64,
    variance: f64,
}

impl Stored for Cohesion {
    type Row<'a> = CohesionRow;

    fn to_row(&self) -> CohesionRow {
        CohesionRow { items: self.items(), mean: self.mean(), variance: self.variance() }
    }

    fn from_row(CohesionRow { items, mean, variance }: CohesionRow) -> Result<Self, Nonsense> {
        let cohesion = Self::from_parts(items, mean, variance);
        cohesion.ok_or_else(|| Nonsense("a cohesion that is no number".into()))
    }
}
