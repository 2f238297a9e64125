//! How old items are when they come through the mesh: by the last hop, and from end to end.
//!
//! The times are those of other nodes' clocks. A clock that is hours ahead makes an age negative: it
//! counts as zero, and is counted, so that a strange histogram can be told from a fast mesh.

use pergola_feed::Item;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Unit;

use super::register::Register;

/// From a neighbour's round trip to a day.
const SECONDS: [f64; 15] = [
    0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1_000.0, 3_600.0, 10_800.0,
    86_400.0,
];

type Label = [(&'static str, &'static str); 1];

/// What an item's hops tell of its way here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Journey {
    /// Nodes passed, this one included.
    nodes: usize,
    /// Milliseconds since its publication at the node before.
    last: Option<i64>,
    /// Milliseconds since its publication at the first node.
    whole: Option<i64>,
}

impl Journey {
    /// The way of an item that has just come; nothing if it has passed no other node.
    pub fn of(item: &Item) -> Option<Self> {
        let nodes = item.hops.len();
        let last = item.ages().last().flatten();
        (nodes > 1).then(|| Self { nodes, last, whole: item.age() })
    }
}

/// Ages of items that came through nodes.
pub struct Ages {
    last: Histogram,
    whole: Family<Label, Histogram, fn() -> Histogram>,
    negative: Counter,
}

impl Ages {
    /// Of an item that a refresh has delivered.
    pub fn count(&self, journey: Journey) {
        let Journey { nodes, last, whole } = journey;
        if let Some(age) = last {
            self.last.observe(self.seconds(age));
        }
        if let Some(age) = whole {
            self.whole.get_or_create(&[("nodes", label(nodes))]).observe(self.seconds(age));
        }
    }

    fn seconds(&self, age: i64) -> f64 {
        if age < 0 {
            self.negative.inc();
        }
        age.max(0) as f64 / 1000.0
    }

    pub(super) fn register(&self, to: &mut Register) {
        let last = "From an item's publication at the node before to its delivery here";
        to.register_with_unit("hop_age", last, Unit::Seconds, self.last.clone());
        let whole =
            "From an item's publication at its first node to its delivery here, by nodes passed";
        to.register_with_unit("path_age", whole, Unit::Seconds, self.whole.clone());
        let negative = "Ages below zero, counted as zero: the clocks of nodes differ";
        to.register("ages_negative", negative, self.negative.clone());
    }
}

impl Default for Ages {
    fn default() -> Self {
        let histogram: fn() -> Histogram = || Histogram::new(SECONDS);
        let whole = Family::new_with_constructor(histogram);
        Self { last: histogram(), whole, negative: Counter::default() }
    }
}

/// One label for each of the usual lengths, and one for all others.
fn label(nodes: usize) -> &'static str {
    match nodes {
        2 => "2",
        3 => "3",
        4 => "4",
        5 => "5",
        6 => "6",
        7 => "7",
        8 => "8",
        _ => "more",
    }
}

#[cfg(test)]
mod tests {
    use pergola_feed::{Hop, Millis, NodeId};
    use prometheus_client::encoding::text::encode;

    use super::*;

    /// An item that each node got and published at these milliseconds.
    fn item(stops: &[(i64, i64)]) -> Item {
        let hop = |(number, (fetched, published)): (usize, &(i64, i64))| Hop {
            node: NodeId(format!("node {number}")),
            fetched: Some(Millis::from_unix(*fetched)),
            published: Some(Millis::from_unix(*published)),
        };
        let hops = stops.iter().enumerate().map(hop).collect();
        Item { hops, ..Item::new("urn:item:1") }
    }

    fn text(journeys: &[Option<Journey>]) -> String {
        let ages = Ages::default();
        journeys.iter().flatten().for_each(|journey| ages.count(*journey));
        let mut register = Register::new();
        ages.register(&mut register);
        let mut text = String::new();
        encode(&mut text, &register.registry).unwrap();
        text
    }

    #[test]
    fn an_item_has_the_age_of_its_last_hop_and_of_its_whole_way() {
        let far = Journey::of(&item(&[(900, 1_000), (3_000, 3_100), (3_500, 3_600)]));
        assert_eq!(far, Some(Journey { nodes: 3, last: Some(400), whole: Some(2_500) }));
        assert_eq!(Journey::of(&item(&[(900, 1_000)])), None);
        let text = text(&[far]);
        assert!(text.contains("hop_age_seconds_sum 0.4"), "{text}");
        assert!(text.contains("path_age_seconds_sum{nodes=\"3\"} 2.5"), "{text}");
        assert!(text.contains("ages_negative_total 0"), "{text}");
    }

    #[test]
    fn a_clock_that_is_hours_ahead_makes_an_item_new_and_is_counted() {
        let hour = 3_600_000;
        let text = text(&[Journey::of(&item(&[(5 * hour, 5 * hour), (10, 20)]))]);
        assert!(text.contains("hop_age_seconds_sum 0.0"), "{text}");
        assert!(text.contains("path_age_seconds_sum{nodes=\"2\"} 0.0"), "{text}");
        assert!(text.contains("ages_negative_total 2"), "{text}");
    }

    #[test]
    fn a_way_of_any_length_has_one_of_few_labels() {
        let journeys: Vec<_> =
            (2..130).map(|nodes| Journey { nodes, last: None, whole: Some(1) }).map(Some).collect();
        let text = text(&journeys);
        assert_eq!(text.matches("path_age_seconds_count{").count(), 8, "{text}");
    }
}
