//! Tests of the public interface, in one binary.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking, too")]

mod budgets;
mod foresight;
mod models;
mod small_nodes;
mod strategies;

use pergola_refresh::Observation;
use proptest::prelude::*;

/// Any refresh that a node could report: (seconds since the last, new items, window, full).
type Refresh = (f64, u32, u32, bool);

fn refreshes() -> impl Strategy<Value = Vec<Refresh>> {
    let interval = prop_oneof![1e-3..10.0, 60.0..1e5, 1e5..1e8];
    let items = prop_oneof![Just(0u32), 0u32..30, 0u32..10_000];
    prop::collection::vec((interval, items, 1u32..200, any::<bool>()), 1..25)
}

/// Calls `f` with each refresh as an observation, with or without dates.
fn observe(refreshes: &[Refresh], dated: bool, mut f: impl FnMut(&Observation<'_>)) -> f64 {
    let mut now = 1e6;
    for &(interval, new_items, window, censored) in refreshes {
        let since = now;
        now += interval;
        let count = new_items.min(500);
        let dates: Vec<f64> = (0..count)
            .map(|n| since + interval * (f64::from(n) + 0.5) / f64::from(count))
            .collect();
        let dates = if dated && count == new_items { &dates[..] } else { &[] };
        let since = Some(since);
        f(&Observation { at: now, since, new_items, window, censored, dates });
    }
    now
}

/// A random generator that gives the same numbers everywhere.
struct Dice(u64);

impl Dice {
    /// A number in (0, 1).
    fn roll(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }
}
