//! Predicted refreshes, compared with actual ones.

use pergola_refresh::{
    Budget, Model, ModelKind, Observation, PlannedRefresh, Scheduler, Source, Sources,
    StrategyKind, Taste,
};
use proptest::prelude::*;

use crate::Dice;

const CYCLE: f64 = 300.0;
const SOURCES: usize = 40;
/// Cycles between two refreshes of a source, on average.
const INTERVAL: f64 = 12.0;
const WARMUP: usize = 500;

/// Random streams: the items of each source in order.
fn streams(seed: u64, cycles: usize) -> Vec<Vec<f64>> {
    let mut dice = Dice(seed);
    let mut stream = |source: usize| {
        // From one item in fifty cycles to one a cycle.
        let mean = CYCLE * 50f64.powf(1.0 - source as f64 / SOURCES as f64);
        let (mut at, mut items) = (0.0, Vec::new());
        while at < cycles as f64 * CYCLE {
            at -= mean * dice.roll().ln();
            items.push(at);
        }
        items
    };
    (0..SOURCES).map(&mut stream).collect()
}

/// Plays a strategy. Returns, for every refresh after the warm-up, by how many cycles it differed from the
/// prediction made at the refresh before.
fn misses(kind: StrategyKind, seed: u64) -> Vec<f64> {
    let cycles = WARMUP + 500;
    let streams = streams(seed, cycles);
    let mut sources = Sources::new();
    for _ in 0..SOURCES {
        let model = ModelKind::Gamma.build(0.1 / CYCLE).unwrap();
        sources.add(Source::new(model, 20)).unwrap();
    }
    let budget = Budget::new(SOURCES as f64 / INTERVAL, CYCLE).unwrap();
    let mut scheduler = Scheduler::steady(kind.build(Taste::default()), budget, 288.0).unwrap();
    let mut predicted: Vec<Option<f64>> = vec![None; SOURCES];
    let mut misses = Vec::new();
    for cycle in 0..cycles {
        let now = cycle as f64 * CYCLE;
        let chosen = scheduler.decide(now, &sources).to_vec();
        for &source in &chosen {
            if let (Some(at), true) = (predicted[source], cycle > WARMUP) {
                misses.push((now - at) / CYCLE);
            }
            let since = sources.last(source);
            let before = |instant: f64| streams[source].partition_point(|&at| at <= instant);
            let new_items = (before(now) - since.map_or(0, before)) as u32;
            let observation = Observation {
                at: now,
                since,
                new_items: new_items.min(20),
                window: before(now).min(20) as u32,
                censored: since.is_some() && new_items >= 20,
                dates: &[],
            };
            sources.observe(source, &observation);
            scheduler.observed(source, &observation);
        }
        for source in chosen {
            let planned = scheduler.planned(&sources, source, now, now + 200.0 * CYCLE);
            predicted[source] = planned.first().map(|refresh| refresh.at);
        }
    }
    misses
}

#[test]
fn refreshes_happen_when_they_were_predicted() {
    // Errors of half and of nine in ten refreshes, in cycles; intervals are twelve cycles on average.
    let expected = [
        (StrategyKind::FixedInterval, 0.0, 1.0),
        (StrategyKind::EntryFrequency, 1.0, 2.0),
        (StrategyKind::AdaptiveTtl, 1.0, 2.0),
        (StrategyKind::OnlyTau, 1.0, 2.0),
        (StrategyKind::TopKUtility, 1.0, 3.0),
        (StrategyKind::TwoSteps, 1.0, 2.0),
        (StrategyKind::Index, 1.0, 2.0),
        (StrategyKind::Plan, 1.0, 3.0),
    ];
    for (kind, half, most) in expected {
        let mut errors: Vec<f64> =
            (1..=3).flat_map(|seed| misses(kind, seed)).map(f64::abs).collect();
        errors.sort_by(f64::total_cmp);
        let name = kind.name();
        assert!(errors.len() > 500, "{name} made {} refreshes", errors.len());
        let rank = |share: f64| errors[(share * errors.len() as f64) as usize];
        let found = (rank(0.5), rank(0.9));
        assert!(found.0 <= half + 1e-6 && found.1 <= most + 1e-6, "{name}: {found:?} cycles");
    }
}

/// One source with a model, last refreshed at zero.
fn one(model: Model) -> Sources {
    let mut sources = Sources::new();
    sources.add(Source { last: Some(0.0), ..Source::new(model, 20) }).unwrap();
    sources
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn predictions_are_in_the_future_in_order_and_on_decisions(
        kind in prop::sample::select(StrategyKind::ALL.to_vec()), rate in 1e-6..1.0f64,
        held in prop::option::of(0.0..1e5f64), now in 1.0..1e5f64,
    ) {
        let mut sources = one(ModelKind::Gamma.build(rate).unwrap());
        sources.hold(0, held.unwrap_or(f64::NEG_INFINITY));
        let budget = Budget::new(0.1, CYCLE).unwrap();
        let mut scheduler = Scheduler::steady(kind.build(Taste::default()), budget, 288.0).unwrap();
        let decided = now - 0.4 * CYCLE;
        scheduler.decide(decided, &sources);
        let planned = scheduler.planned(&sources, 0, now, now + 1e6);
        let ordered = planned.windows(2).all(|pair| pair[0].at < pair[1].at);
        prop_assert!(ordered && planned.len() <= 8, "{planned:?}");
        for PlannedRefresh { at, items } in planned {
            prop_assert!(at >= now && at >= held.unwrap_or(0.0) - 1e-3 * CYCLE && at <= now + 1e6);
            prop_assert!((0.0..=20.0).contains(&items));
            let decisions = (at - decided) / CYCLE;
            prop_assert!((decisions - decisions.round()).abs() < 1e-3, "{decisions}");
        }
    }

    #[test]
    fn a_feed_is_refreshed_just_after_the_announced_refreshes_of_its_upstream(
        kind in prop::sample::select(vec![
            StrategyKind::TwoSteps, StrategyKind::OnlyTau, StrategyKind::Index, StrategyKind::Plan,
        ]),
        first in 2.0..12.0f64, interval in 6.0..20.0f64, items in 1.0..8.0f64,
    ) {
        let rate = items / interval / CYCLE;
        let mut sources = one(ModelKind::Gamma.build(rate).unwrap());
        // Others publish as much, but evenly, and share the budget.
        for _ in 0..4 {
            let model = ModelKind::Gamma.build(rate).unwrap();
            sources.add(Source { last: Some(0.0), ..Source::new(model, 20) }).unwrap();
        }
        let budget = Budget::new(5.0 / interval, CYCLE).unwrap();
        let mut scheduler = Scheduler::steady(kind.build(Taste::default()), budget, 288.0).unwrap();
        let upstream = |now: f64| {
            let refreshes = (0..4000).map(move |n| (first + interval * f64::from(n)) * CYCLE);
            refreshes.skip_while(move |&at| at <= now)
        };
        let (mut refreshes, mut after) = (0, 0);
        for cycle in 0..2000 {
            let now = (f64::from(cycle) + 0.5) * CYCLE;
            for source in scheduler.decide(now, &sources).to_vec() {
                let since = sources.last(source).unwrap();
                let new_items = match source {
                    0 => upstream(since).take_while(|&at| at <= now).count() as f64 * items,
                    _ => (rate * now).floor() - (rate * since).floor(),
                };
                let (new_items, since) = (new_items as u32, Some(since));
                let observation =
                    Observation { at: now, since, new_items, window: 20, censored: false, dates: &[] };
                sources.observe(source, &observation);
                scheduler.observed(source, &observation);
                if source == 0 {
                    sources.relay(0, now, upstream(now).take(8).map(|at| PlannedRefresh { at, items }));
                    // At the first or second decision after a refresh by the upstream.
                    let came = upstream(now - 2.0 * CYCLE).next().is_some_and(|at| at <= now);
                    let counts = u32::from(cycle > 800);
                    (refreshes, after) = (refreshes + counts, after + counts * u32::from(came));
                }
            }
        }
        let batches = upstream(800.0 * CYCLE).take_while(|&at| at < 2000.0 * CYCLE).count() as f64;
        prop_assert!(f64::from(refreshes) > 0.3 * batches, "{refreshes} refreshes, {batches} batches");
        // By chance it would be between one in three and one in ten. It is nine in ten nearly always, but
        // less if the budget is just below one refresh per batch.
        prop_assert!(f64::from(after) > 0.75 * f64::from(refreshes), "{after} of {refreshes} refreshes");
    }
}
