//! What a node says about when a feed of it may have news.

use pergola_proto::v1;

use super::{WireError, millis, seconds};

/// How busy and how good a feed is, and when it may have news; all of it estimated by its node.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hints {
    /// Items a day.
    pub items_per_day: Option<f64>,
    /// The share of its sources' items that it has got.
    pub completeness: Option<f64>,
    /// The share of its sources' windows that it holds now.
    pub freshness: Option<f64>,
    /// When sources of it will be looked at, in order, and the items that each look may bring.
    pub planned: Vec<(f64, f64)>,
    /// The node's clock when it said this.
    pub now: f64,
}

/// Hints as a message.
pub fn hints_to_wire(hints: Hints) -> v1::Hints {
    let look = |(at, items)| v1::PlannedLook { at_ms: millis(at), items };
    v1::Hints {
        items_per_day: hints.items_per_day,
        completeness: hints.completeness,
        freshness: hints.freshness,
        planned: hints.planned.into_iter().map(look).collect(),
        now_ms: millis(hints.now),
    }
}

/// The hints in a message, by the clock of whoever sent it.
pub fn hints_from_wire(hints: v1::Hints) -> Result<Hints, WireError> {
    let mut planned = Vec::with_capacity(hints.planned.len());
    for look in hints.planned {
        if !(look.items.is_finite() && look.items >= 0.0) {
            return Err(WireError::new("planned.items", "is no number of items"));
        }
        planned.push((seconds(look.at_ms), look.items));
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
