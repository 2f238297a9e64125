//! What a node says about when a feed of it may have news.

use pergola_manners::hints::Hints;
use pergola_proto::v1;

use super::{WireError, millis, seconds};

/// Hints as a message.
pub fn hints_to_wire(hints: Hints) -> v1::Hints {
    let refresh = |(at, items)| v1::PlannedRefresh { at_ms: millis(at), items };
    v1::Hints {
        items_per_day: hints.items_per_day,
        completeness: hints.completeness,
        freshness: hints.freshness,
        planned: hints.planned.into_iter().map(refresh).collect(),
        now_ms: millis(hints.now),
    }
}

/// The hints in a message, by the clock of whoever sent it.
pub fn hints_from_wire(hints: v1::Hints) -> Result<Hints, WireError> {
    let mut planned = Vec::with_capacity(hints.planned.len());
    for refresh in hints.planned {
        if !(refresh.items.is_finite() && refresh.items >= 0.0) {
            return Err(WireError::new("planned.items", "is no number of items"));
        }
        planned.push((seconds(refresh.at_ms), refresh.items));
    }
    planned.sort_by(|a, b| a.0.total_cmp(&b.0));
    let rate = hints.items_per_day.filter(|rate| !(rate.is_finite() && *rate >= 0.0));
    if rate.is_some() {
        return Err(WireError::new("items_per_day", "is no number of items"));
    }
    Ok(Hints {
        items_per_day: hints.items_per_day,
        completeness: share("completeness", hints.completeness)?,
        freshness: share("freshness", hints.freshness)?,
        planned,
        now: seconds(hints.now_ms),
    })
}

fn share(field: &str, share: Option<f64>) -> Result<Option<f64>, WireError> {
    match share {
        Some(share) if !(0.0..=1.0).contains(&share) => {
            Err(WireError::new(field, "is not between 0 and 1"))
        }
        fine => Ok(fine),
    }
}
