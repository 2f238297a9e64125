//! Publication models with arbitrary histories.

use pergola_refresh::{DAY, Model, ModelKind, Periodic, PublicationModel, Source, Sources};
use proptest::prelude::*;

use crate::{observe, refreshes};

fn kinds() -> impl Strategy<Value = ModelKind> {
    prop::sample::select(ModelKind::ALL.to_vec())
}

/// A model with a history, and the end of that history.
fn learnt(kind: ModelKind, refreshes: &[crate::Refresh], dated: bool) -> (Model, f64) {
    let mut model = kind.build(1.0 / DAY).unwrap();
    let now = observe(refreshes, dated, |observation| model.learn(observation));
    (model, now)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn rates_stay_finite_and_positive_for_all_observations(
        kind in kinds(), refreshes in refreshes(), dated in any::<bool>()
    ) {
        let mut model = kind.build(1.0 / DAY).unwrap();
        let mut broken = None;
        observe(&refreshes, dated, |observation| {
            model.learn(observation);
            let rate = model.mean_rate();
            let soon = model.expected(observation.at, observation.at + DAY);
            if !(rate.is_finite() && rate > 0.0 && soon.is_finite() && soon > 0.0) {
                broken = Some((rate, soon));
            }
        });
        prop_assert_eq!(broken, None);
    }

    #[test]
    fn divergence_and_utility_never_decrease_with_time(
        kind in kinds(), refreshes in refreshes(), dated in any::<bool>(),
        steps in prop::collection::vec(1.0..2e5f64, 1..20),
    ) {
        let (model, from) = learnt(kind, &refreshes, dated);
        let (mut to, mut before) = (from, (0.0, 0.0));
        for step in steps {
            to += step;
            let (divergence, area) = model.divergence(from, to);
            let utility = (to - from) * divergence - area;
            // Rounding in sums over many slots affects the last digits.
            let slack = 1e-9 * (to - from) * divergence;
            prop_assert!(divergence >= before.0 * (1.0 - 1e-9), "{divergence} after {}", before.0);
            prop_assert!(utility >= before.1 - slack, "{utility} after {}", before.1);
            before = (divergence, utility);
        }
    }

    #[test]
    fn an_interval_is_the_sum_of_its_parts(
        kind in kinds(), refreshes in refreshes(), first in 1.0..4e5f64, second in 1.0..4e5f64,
    ) {
        let (model, from) = learnt(kind, &refreshes, true);
        let (middle, to) = (from + first, from + first + second);
        let (whole, whole_area) = model.divergence(from, to);
        let (early, early_area) = model.divergence(from, middle);
        let (late, late_area) = model.divergence(middle, to);
        prop_assert!((whole - early - late).abs() <= 1e-6 * whole, "{whole}: {early} and {late}");
        let area = early_area + early * second + late_area;
        prop_assert!((whole_area - area).abs() <= 1e-6 * area, "{whole_area} against {area}");
    }

    #[test]
    fn a_forecast_agrees_with_the_expected_items(
        kind in kinds(), refreshes in refreshes(), step in 60.0..20_000.0f64,
    ) {
        let (model, from) = learnt(kind, &refreshes, true);
        let mut bins = [0.0; 20];
        model.forecast(from, step, &mut bins);
        let whole = model.expected(from, from + 20.0 * step);
        let sum: f64 = bins.iter().sum();
        prop_assert!((whole - sum).abs() <= 1e-6 * whole, "{whole} against {sum}");
    }

    #[test]
    fn a_saved_and_loaded_model_predicts_the_same(
        kind in kinds(), refreshes in refreshes(), dated in any::<bool>(), ahead in 1.0..1e6f64,
    ) {
        let (model, from) = learnt(kind, &refreshes, dated);
        let loaded = Model::from_parts(model.parts()).unwrap();
        prop_assert_eq!(&loaded, &model);
        let (a, b) = (model.expected(from, from + ahead), loaded.expected(from, from + ahead));
        prop_assert!((a - b).abs() <= 1e-9 * a, "{a} became {b}");
    }
}

#[test]
fn a_source_with_a_periodic_model_takes_at_most_256_bytes_and_one_with_a_single_rate_64() {
    // The compiler checks it.
    const { assert!(Sources::BYTES_PER_SOURCE + size_of::<Periodic>() <= 256) };
    const { assert!(Sources::BYTES_PER_SOURCE <= 64) };
    assert_eq!(Sources::BYTES_PER_SOURCE - size_of::<Model>(), 32, "the columns beside the model");
}

#[test]
fn a_saved_source_is_restored_unchanged() {
    let mut sources = Sources::new();
    let model = ModelKind::GammaDates.build(1.0 / DAY).unwrap();
    let source = Source {
        relevance: 0.25,
        last: Some(5.0),
        shown: 7,
        dispersion: 2.5,
        ..Source::new(model, 30)
    };
    let number = sources.add(source.clone()).unwrap();
    let saved = sources.get(number);
    let model = Model::from_parts(saved.model.parts()).unwrap();
    assert_eq!(Source { model, ..saved }, source);
}

#[test]
fn names_are_parsed_and_an_unknown_one_lists_all() {
    for kind in ModelKind::ALL {
        assert_eq!(kind.name().parse::<ModelKind>().unwrap(), kind);
    }
    let error = "gama".parse::<ModelKind>().unwrap_err().to_string();
    assert!(error.starts_with("model is `gama`, but must be one of single,"), "{error}");
}
