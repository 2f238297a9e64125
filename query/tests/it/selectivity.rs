//! Learning the share of items that a feed keeps.

use pergola_query::{AgedCount, Estimate, QueryId, Selectivity, SelectivityParts, SourceId};
use proptest::collection::vec;
use proptest::prelude::*;

const SOURCE: SourceId = SourceId(1);
const FEED: QueryId = QueryId(2);
const DAY: i64 = 86_400;

#[test]
fn the_estimate_before_the_first_item_is_one_half() {
    let learnt = Selectivity::default();
    let estimate = learnt.estimate(SOURCE, FEED, 0);
    assert_eq!(estimate, Estimate::NOTHING);
    assert_eq!(estimate.share(), 0.5);
}

#[test]
fn the_estimate_converges_and_its_deviation_shrinks() {
    let mut learnt = Selectivity::default();
    learnt.begin(SOURCE, FEED, 0);
    let mut doubts = Vec::new();
    for number in 0..1_000 {
        if [1, 10, 100].contains(&number) {
            doubts.push(learnt.estimate(SOURCE, FEED, 0).deviation());
        }
        learnt.observe(SOURCE, (number % 10 == 0).then_some(FEED), 0);
    }
    let estimate = learnt.estimate(SOURCE, FEED, 0);
    assert_eq!((estimate.kept, estimate.seen), (100.0, 1_000.0));
    assert!((estimate.share() - 0.1).abs() < 0.001);
    assert!(doubts.is_sorted_by(|earlier, later| earlier > later), "{doubts:?}");
}

#[test]
fn a_changed_source_is_learnt_again_within_a_few_half_lives() {
    let mut learnt = Selectivity::new(DAY as u32);
    learnt.begin(SOURCE, FEED, 0);
    for hour in 0..24 * 30 {
        learnt.observe(SOURCE, Some(FEED), hour * 3600);
    }
    let then = 30 * DAY;
    assert!(learnt.estimate(SOURCE, FEED, then).share() > 0.95);
    for hour in 0..24 * 5 {
        learnt.observe(SOURCE, None, then + hour * 3600);
    }
    assert!(learnt.estimate(SOURCE, FEED, then + 5 * DAY).share() < 0.08);
    let later = learnt.estimate(SOURCE, FEED, then + 100 * DAY);
    assert!((later.share() - 0.5).abs() < 0.001, "all is forgotten in the end: {later:?}");
}

#[test]
fn a_feed_that_begins_later_counts_only_from_then_on() {
    let mut learnt = Selectivity::default();
    for _ in 0..100 {
        learnt.observe(SOURCE, None, 0);
    }
    learnt.begin(SOURCE, FEED, DAY);
    for _ in 0..10 {
        learnt.observe(SOURCE, Some(FEED), DAY);
    }
    let estimate = learnt.estimate(SOURCE, FEED, DAY);
    assert!((estimate.seen - 10.0).abs() < 1e-9 && (estimate.kept - 10.0).abs() < 1e-9);
    learnt.end(SOURCE, FEED);
    assert_eq!(learnt.estimate(SOURCE, FEED, DAY), Estimate::NOTHING);
}

#[test]
fn invalid_stored_counts_are_reset() {
    let count = |count: f64| AgedCount { count, at: 0 };
    let learnt = Selectivity::from_parts(SelectivityParts {
        half_life: 0,
        seen: vec![(SOURCE, count(-5.0))],
        pairs: vec![(SOURCE, FEED, [count(-1e308), count(3.0)])],
    });
    let share = learnt.estimate(SOURCE, FEED, 10).share();
    assert!(share > 0.0 && share < 1.0, "{share}");
}

proptest! {
    /// Items of a few sources and feeds at times that may also go back.
    #[test]
    fn shares_are_shares_and_what_is_stored_comes_back(
        items in vec((0u64..3, vec(0u64..3, 0..3), -10 * DAY..400 * DAY), 0..60),
        now in -10 * DAY..500 * DAY,
    ) {
        let mut learnt = Selectivity::new(7 * DAY as u32);
        for (source, feeds, time) in items {
            let feeds: std::collections::BTreeSet<u64> = feeds.into_iter().collect();
            learnt.observe(SourceId(source), feeds.into_iter().map(QueryId), time);
        }
        let back = Selectivity::from_parts(learnt.parts());
        for source in (0..4).map(SourceId) {
            for feed in (0..4).map(QueryId) {
                let estimate = learnt.estimate(source, feed, now);
                prop_assert!(estimate.kept >= 0.0 && estimate.seen >= estimate.kept);
                prop_assert!(estimate.share() > 0.0 && estimate.share() < 1.0);
                let again = back.estimate(source, feed, now);
                prop_assert!((again.share() - estimate.share()).abs() < 1e-9);
            }
        }
    }
}
