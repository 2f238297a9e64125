//! Limits and ticks, for tame data and nasty.

use super::*;

fn labels(range: &Range, wanted: usize) -> String {
    let ticks = range.ticks(wanted);
    assert!(ticks.iter().all(|t| (-0.001..=1.001).contains(&t.at)), "{ticks:?}");
    let text = |l: Label| {
        if l.exponent.is_empty() { l.text } else { format!("{}^{}", l.text, l.exponent) }
    };
    ticks.into_iter().filter_map(|t| t.label).map(text).collect::<Vec<_>>().join(" ")
}

fn fitted(scale: Scale, values: &[f64], fit: Fit) -> String {
    labels(&Range::new(&Axis::new("", scale), values.iter().copied(), fit), 5)
}

#[test]
fn ticks_fall_on_round_values() {
    assert_eq!(fitted(Scale::Linear, &[0.02, 0.93], Fit::Round(5)), "0 0.2 0.4 0.6 0.8 1.0");
    assert_eq!(fitted(Scale::Linear, &[2.0, 100.0], Fit::Tight), "20 40 60 80 100");
    assert_eq!(fitted(Scale::Linear, &[-3.0, 4.0], Fit::Round(5)), "−4 −2 0 2 4");
    assert_eq!(
        fitted(Scale::Linear, &[0.0, 48_000.0], Fit::Round(5)),
        "0 10,000 20,000 30,000 40,000 50,000"
    );
    assert_eq!(
        fitted(Scale::Linear, &[0.0, 4.2e7], Fit::Round(5)),
        "0 1×10^7 2×10^7 3×10^7 4×10^7 5×10^7"
    );
}

#[test]
fn what_is_counted_has_ticks_at_whole_numbers_only() {
    let counted = |values: &[f64], fit| {
        let axis = Axis::new("hop", Scale::Linear).counted();
        labels(&Range::new(&axis, values.iter().copied(), fit), 10)
    };
    assert_eq!(fitted(Scale::Linear, &[1.0, 2.0, 3.0], Fit::Tight), "1.0 1.5 2.0 2.5 3.0");
    assert_eq!(counted(&[1.0, 2.0, 3.0], Fit::Tight), "1 2 3");
    assert_eq!(counted(&[1.0, 2.0], Fit::Round(10)), "1 2");
    assert_eq!(counted(&[1.0, 8.0], Fit::Tight), "1 2 3 4 5 6 7 8");
    assert_eq!(counted(&[0.0, 100.0], Fit::Tight), "0 10 20 30 40 50 60 70 80 90 100");
    // One hop alone: the axis still has a tick.
    assert_eq!(counted(&[1.0], Fit::Tight), "1");
}

#[test]
fn logarithmic_ticks_are_decades_or_round_values_within_one() {
    assert_eq!(fitted(Scale::Log, &[0.02, 700.0], Fit::Round(5)), "0.01 0.1 1 10 100 1000");
    assert_eq!(fitted(Scale::Log, &[1e-7, 1.0], Fit::Round(5)), "10^−7 10^−5 10^−3 10^−1");
    assert_eq!(fitted(Scale::Log, &[2.0, 100.0], Fit::Tight), "2 5 10 20 50 100");
    assert_eq!(fitted(Scale::Log, &[3.1, 3.9], Fit::Tight), "3.2 3.4 3.6 3.8");
}

#[test]
fn values_that_cannot_be_shown_have_no_place() {
    let linear =
        Range::new(&Axis::new("", Scale::Linear), [0.0, f64::NAN, 1.0].into_iter(), Fit::Round(5));
    assert_eq!(linear.fraction(f64::NAN), None);
    assert_eq!(linear.fraction(f64::INFINITY), None);
    let log =
        Range::new(&Axis::new("", Scale::Log), [0.0, -1.0, 1.0, 10.0].into_iter(), Fit::Round(5));
    assert_eq!(log.fraction(0.0), None);
    assert_eq!(log.fraction(-3.0), None);
    assert_eq!(log.base(), 0.0);
}

#[test]
fn any_data_gives_an_axis_with_ticks() {
    let nasty: [&[f64]; 10] = [
        &[],
        &[f64::NAN],
        &[0.0],
        &[5.0, 5.0],
        &[-7.0],
        &[1e-320],
        &[1e15, 1e15 + 0.1],
        &[-1e299, 1e299],
        &[1e-290, 1e290],
        &[f64::INFINITY, 3.0, f64::NEG_INFINITY],
    ];
    for values in nasty {
        for fit in [Fit::Tight, Fit::Round(5), Fit::FromZero(5)] {
            for scale in [Scale::Linear, Scale::Log] {
                let axis = Axis::new("", scale);
                let ticks = Range::new(&axis, values.iter().copied(), fit).ticks(5);
                assert!((1..=60).contains(&ticks.len()), "{values:?} {fit:?} {ticks:?}");
                assert!(ticks.iter().all(|tick| tick.at.is_finite()));
            }
        }
    }
}

#[test]
fn an_impossible_range_is_fitted_to_the_data_instead() {
    for range in [(3.0, 1.0), (0.0, f64::NAN), (2.0, 2.0)] {
        let axis = Axis::new("", Scale::Linear).within(range.0, range.1);
        assert_eq!(
            labels(&Range::new(&axis, [0.0, 1.0].into_iter(), Fit::Round(5)), 5),
            "0 0.2 0.4 0.6 0.8 1.0"
        );
    }
    let log = Axis::new("", Scale::Log).within(0.0, 10.0);
    assert_eq!(
        labels(&Range::new(&log, [1.0, 1e4].into_iter(), Fit::Round(5)), 5),
        "1 10 100 1000 10,000"
    );
}
