//! A node that an item has passed, and when.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

use super::ids::NodeId;
use super::item::Item;

/// One stop on an item's way through the mesh. The times are those of that node's own clock, which
/// may be wrong, and a node may have told neither.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Hop {
    /// The node.
    pub node: NodeId,
    /// When it got the item.
    pub fetched: Option<Millis>,
    /// When it published the item.
    pub published: Option<Millis>,
}

impl Hop {
    /// A node of which no times are known.
    pub fn at(node: NodeId) -> Self {
        Self { node, fetched: None, published: None }
    }

    /// When the item could leave the node.
    fn left(&self) -> Option<Millis> {
        self.published.or(self.fetched)
    }
}

impl Item {
    /// Milliseconds that the item took to each node it has passed: from its publication at the stop
    /// before to when that node got it, for the first node from its publisher's date. Nothing where one
    /// of the two was not told; below zero where clocks differ.
    pub fn ages(&self) -> impl Iterator<Item = Option<i64>> {
        let origin = self.published.map(|at| Millis::from_unix(at.unix().saturating_mul(1000)));
        let left = std::iter::once(origin).chain(self.hops.iter().map(Hop::left));
        self.hops.iter().zip(left).map(|(hop, left)| between(left?, hop.fetched?))
    }

    /// Milliseconds from the item's publication at the first node it has passed to when the last one
    /// got it. Nothing if it has passed only one, or they did not tell.
    pub fn age(&self) -> Option<i64> {
        let [first, .., last] = self.hops.as_slice() else { return None };
        between(first.left()?, last.fetched?)
    }
}

fn between(from: Millis, to: Millis) -> Option<i64> {
    to.0.checked_sub(from.0)
}

/// Milliseconds since the beginning of 1970, UTC: between nearby nodes an item is less than a second
/// on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Millis(i64);

/// The years that can be written with four digits.
const EARLIEST: i64 = -62_135_596_800_000; // 0001-01-01T00:00:00.000Z
const LATEST: i64 = 253_402_300_799_999; // 9999-12-31T23:59:59.999Z

impl Millis {
    /// From milliseconds since 1970; times outside the years 1 to 9999 are clamped into them.
    pub fn from_unix(milliseconds: i64) -> Self {
        Self(milliseconds.clamp(EARLIEST, LATEST))
    }

    /// From seconds since 1970, as clocks tell them.
    pub fn from_seconds(seconds: f64) -> Self {
        // What is no number becomes 0, what is too large the largest: a conversion cannot fail.
        Self::from_unix((seconds * 1000.0).round() as i64)
    }

    /// Milliseconds since 1970.
    pub fn unix(self) -> i64 {
        self.0
    }

    /// Seconds since 1970, as clocks tell them.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1000.0
    }

    /// Reads `2026-11-16T02:00:00.250Z`, with any offset and any number of decimals.
    pub fn parse(text: &str) -> Option<Self> {
        let at = DateTime::parse_from_rfc3339(text.trim()).ok()?;
        Some(Self::from_unix(at.timestamp_millis()))
    }

    /// `2026-11-16T02:00:00.250Z`.
    pub fn to_rfc3339(self) -> String {
        let at = self.0.clamp(EARLIEST, LATEST);
        let at: DateTime<Utc> = DateTime::from_timestamp_millis(at).unwrap_or_default();
        at.to_rfc3339_opts(SecondsFormat::Millis, true)
    }
}

impl std::fmt::Display for Millis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.to_rfc3339())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Timestamp;

    #[test]
    fn an_item_was_on_its_way_between_two_nodes_from_publication_to_fetch() {
        let hop = |name: &str, fetched: Option<i64>, published: Option<i64>| Hop {
            node: NodeId(name.into()),
            fetched: fetched.map(Millis::from_unix),
            published: published.map(Millis::from_unix),
        };
        let mut item = Item::new("urn:x:1");
        assert_eq!((item.ages().count(), item.age()), (0, None));
        item.published = Some(Timestamp::from_unix(1));
        item.hops.push(hop("a", Some(3_000), Some(3_100)));
        assert_eq!(item.age(), None, "one node is no way");
        item.hops.push(hop("b", Some(3_500), None));
        item.hops.push(hop("c", Some(3_400), Some(9_000)));
        item.hops.push(hop("d", None, None));
        let ages: Vec<_> = item.ages().collect();
        assert_eq!(ages, [Some(2_000), Some(400), Some(-100), None]);
        assert_eq!(item.age(), None);
        item.hops.pop();
        assert_eq!(item.age(), Some(300));
    }

    #[test]
    fn milliseconds_are_written_and_read_to_the_millisecond() {
        let at = Millis::from_seconds(1_794_880_800.25);
        assert_eq!(at.unix(), 1_794_880_800_250);
        assert_eq!(at.to_rfc3339(), "2026-11-17T02:00:00.250Z");
        assert_eq!(Millis::parse("2026-11-17T03:00:00.250499+01:00"), Some(at));
        assert_eq!(Millis::parse("yesterday"), None);
    }

    #[test]
    fn times_beyond_what_can_be_written_are_clamped() {
        for wild in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300] {
            let at = Millis::from_seconds(wild);
            assert_eq!(Millis::parse(&at.to_rfc3339()), Some(at), "{wild}");
        }
        assert_eq!(Millis::from_unix(i64::MAX).to_rfc3339(), "9999-12-31T23:59:59.999Z");
        assert_eq!(Millis::from_unix(i64::MIN).to_rfc3339(), "0001-01-01T00:00:00.000Z");
    }
}
