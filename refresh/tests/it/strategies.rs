//! Strategies with exact and with estimated knowledge.

use pergola_refresh::{
    Budget, DAY, Exact, HOUR, Invalid, Knowledge, ModelKind, Observation, Scheduler, Source,
    Sources, StrategyKind, Taste,
};
use proptest::prelude::*;

/// The truth about some sources: (age in cycles, unread items, their relevant share).
fn exact(states: &[(u32, u32, f64)], now: f64) -> Exact {
    const WINDOW: u32 = 10;
    let relevant = |&(_, unread, share): &(u32, u32, f64)| {
        (f64::from(unread.min(WINDOW)) * share).round() as u32
    };
    Exact {
        last: states.iter().map(|&(age, ..)| now - f64::from(age) * HOUR).collect(),
        unread: states.iter().map(|&(_, unread, _)| unread).collect(),
        relevant: states.iter().map(relevant).collect(),
        relevant_shown: vec![WINDOW; states.len()],
        rate: states
            .iter()
            .map(|&(age, unread, _)| f64::from(unread) / (f64::from(age) * HOUR))
            .collect(),
        window: WINDOW,
        cycle: HOUR,
        relevant_rate: 100.0 / HOUR,
    }
}

fn decide(kind: StrategyKind, known: &Exact, b: f64, threshold: f64, now: f64) -> Vec<usize> {
    let strategy = kind.build_for(Taste::default()).unwrap();
    let budget = Budget::new(b, HOUR).unwrap();
    let mut scheduler = Scheduler::literal(strategy, budget, threshold).unwrap();
    let mut chosen = scheduler.decide(now, known).to_vec();
    chosen.sort_unstable();
    chosen
}

fn states(unread: std::ops::Range<u32>) -> impl Strategy<Value = Vec<(u32, u32, f64)>> {
    prop::collection::vec((1u32..40, unread, 0.0..1.0f64), 1..60)
}

const NOW: f64 = 1e7;

proptest! {
    #[test]
    fn two_steps_is_only_sat_when_everything_is_saturated(
        states in states(10..60), b in 1u32..20, threshold in 1.0..1e7f64,
    ) {
        // With more saturated sources than budget, nothing is left for the second step.
        let known = exact(&states, NOW);
        let wanted = known.relevant.iter().filter(|&&relevant| relevant > 0).count();
        prop_assume!(wanted >= b as usize);
        let both = [StrategyKind::TwoSteps, StrategyKind::OnlySat]
            .map(|kind| decide(kind, &known, f64::from(b), threshold, NOW));
        prop_assert_eq!(&both[0], &both[1]);
        prop_assert_eq!(both[0].len(), b as usize);
    }

    #[test]
    fn two_steps_is_only_tau_when_nothing_is_saturated(
        states in states(0..10), b in 1u32..20, threshold in 1.0..1e7f64,
    ) {
        let known = exact(&states, NOW);
        let both = [StrategyKind::TwoSteps, StrategyKind::OnlyTau]
            .map(|kind| decide(kind, &known, f64::from(b), threshold, NOW));
        prop_assert_eq!(&both[0], &both[1]);
    }

    #[test]
    fn a_decision_contains_each_source_once_and_respects_the_burst_limit(
        states in states(0..60), kind in prop::sample::select(StrategyKind::ALL.to_vec()),
        b in 0.1..20.0f64, burst in 1usize..12, cycles in 1usize..30,
    ) {
        let mut sources = sources(&states, ModelKind::Gamma);
        let budget = Budget::new(b, HOUR).unwrap().with_burst(burst).unwrap();
        let mut scheduler = Scheduler::steady(kind.build(Taste::default()), budget, 20.0).unwrap();
        for cycle in 0..cycles {
            let now = NOW + cycle as f64 * HOUR;
            let mut chosen = scheduler.decide(now, &sources).to_vec();
            prop_assert!(chosen.len() <= burst, "{} of {burst}", chosen.len());
            for &source in &chosen {
                sources.observe(source, &nothing_new(now, sources.last(source)));
            }
            chosen.sort_unstable();
            chosen.dedup();
            prop_assert!(chosen.len() <= burst && chosen.iter().all(|&s| s < sources.len()));
        }
    }

    #[test]
    fn sources_held_back_by_politeness_are_never_chosen(
        states in states(0..60), kind in prop::sample::select(StrategyKind::ALL.to_vec()),
        held in prop::collection::vec(any::<bool>(), 60),
    ) {
        let mut sources = sources(&states, ModelKind::Calendar);
        for (source, _) in states.iter().enumerate().filter(|&(source, _)| held[source]) {
            sources.hold(source, NOW + 1.0);
        }
        let budget = Budget::new(5.0, HOUR).unwrap().unlimited_bursts();
        let mut scheduler = Scheduler::steady(kind.build(Taste::default()), budget, 20.0).unwrap();
        let chosen = scheduler.decide(NOW, &sources);
        prop_assert!(chosen.iter().all(|&source| !held[source]), "{chosen:?}");
    }
}

fn nothing_new(at: f64, since: Option<f64>) -> Observation<'static> {
    Observation { at, since, new_items: 0, window: 10, censored: false, dates: &[] }
}

fn sources(states: &[(u32, u32, f64)], kind: ModelKind) -> Sources {
    let mut sources = Sources::new();
    for &(age, unread, relevance) in states {
        let rate = (f64::from(unread) + 0.1) / (f64::from(age) * HOUR);
        let last = (age % 7 != 0).then(|| NOW - f64::from(age) * HOUR);
        let model = kind.build(rate).unwrap();
        sources.add(Source { last, relevance, ..Source::new(model, 10) }).unwrap();
    }
    sources
}

#[test]
fn a_new_source_goes_before_all_others() {
    let states = [(30, 500, 1.0), (7, 0, 0.01), (20, 300, 1.0)];
    let sources = sources(&states, ModelKind::Gamma);
    for kind in [StrategyKind::TwoSteps, StrategyKind::Index, StrategyKind::Plan] {
        let budget = Budget::new(1.0, HOUR).unwrap().with_burst(1).unwrap();
        let mut scheduler = Scheduler::steady(kind.build(Taste::default()), budget, 20.0).unwrap();
        assert_eq!(scheduler.decide(NOW, &sources), [1], "{}", kind.name());
    }
}

#[test]
fn a_plan_waits_for_the_hour_at_which_a_source_publishes() {
    // Six items each day at nine, refreshed every three hours for a month.
    let mut sources = Sources::new();
    let model = ModelKind::Calendar.build(6.0 / DAY).unwrap();
    sources.add(Source::new(model, 20)).unwrap();
    for refresh in 0..30 * 8 {
        let at = f64::from(refresh + 1) * 3.0 * HOUR;
        let day = (at / DAY).floor() * DAY;
        let dates: Vec<f64> = if refresh % 8 == 3 {
            (0..6).map(|n| day + 9.0 * HOUR + f64::from(n) * 20.0).collect()
        } else {
            Vec::new()
        };
        // The items of nine o'clock are found at noon.
        let since = (refresh > 0).then_some(at - 3.0 * HOUR);
        let new_items = dates.len() as u32;
        let window = 20;
        sources.observe(
            0,
            &Observation { at, since, new_items, window, censored: false, dates: &dates },
        );
    }
    let budget = Budget::new(1.0 / 144.0, 600.0).unwrap();
    let mut scheduler =
        Scheduler::steady(StrategyKind::Plan.build(Taste::default()), budget, 144.0).unwrap();
    let mut hours = Vec::new();
    for cycle in 1..=60 * 144 {
        let now = 30.0 * DAY + f64::from(cycle) * 600.0;
        if scheduler.decide(now, &sources).is_empty() {
            continue;
        }
        hours.push(now % DAY / HOUR);
        let day = (now / DAY).floor() * DAY;
        let since = sources.last(0);
        let nine = day + 9.0 * HOUR;
        let fresh = since.is_some_and(|since| since <= nine && nine + 120.0 < now);
        let dates: Vec<f64> =
            (0..6).filter(|_| fresh).map(|n| nine + f64::from(n) * 20.0).collect();
        let new_items = dates.len() as u32;
        sources.observe(
            0,
            &Observation { at: now, since, new_items, window: 20, censored: false, dates: &dates },
        );
    }
    let settled = &hours[hours.len() - 15..];
    let just_after = settled.iter().filter(|&&hour| (9.0..10.5).contains(&hour)).count();
    assert!(2 * just_after > settled.len(), "it refreshed at these hours: {settled:.1?}");
}

#[test]
fn invalid_numbers_are_rejected_with_the_value_and_what_is_allowed() {
    let message = |error: Invalid| error.to_string();
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = Budget::new(bad, HOUR).unwrap_err();
        assert_eq!(message(error), format!("budget is {bad}, but must be a finite number above 0"));
    }
    assert!(Budget::new(1.0, HOUR).unwrap().with_burst(0).is_err());
    assert!(Taste::new(1.5, 0.0).is_err());
    assert!(ModelKind::Gamma.build(f64::NAN).is_err());
    let error = "twosteps".parse::<StrategyKind>().unwrap_err();
    assert!(message(error).contains("2Steps"));
}
