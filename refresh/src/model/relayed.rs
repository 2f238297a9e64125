//! Relayed: a feed of another node, which says when it will look at its own sources.
//!
//! What arrives there is no stream but batches, each just after one of the upstream's looks: before the
//! next of them hardly anything can be new, and after it everything waits at once. So the plan counts
//! batches, and it is the coming of one that lets a threshold be passed. Where the plan says nothing (before
//! it was made, after its last look, or when no hints come any more) the model that the source had before
//! goes on, and it never stops learning. A small share of it counts within the plan, too ([`UNPLANNED`]): an
//! upstream may be told of news, or be asked to look by hand.
//!
//! Never: a plan that silences a source for longer than [`LONGEST_PLAN`], whatever the upstream says; a
//! plan that grows.

use serde::{Deserialize, Serialize};

use super::{Constant, Model, PublicationModel, RATE_FLOOR};
use crate::{DAY, Observation};

/// Looks of a plan that are kept.
const MOST_LOOKS: usize = 16;
/// A plan is believed no further ahead.
const LONGEST_PLAN: f64 = DAY;
/// The share of items that is believed to come without having been planned.
const UNPLANNED: f64 = 0.05;
/// No look is believed to bring more.
const MOST_ITEMS: f64 = 1e6;

/// A look that a node plans, at a source or at the sources of a feed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PlannedLook {
    /// When.
    pub at: f64,
    /// Items that it is expected to bring.
    pub items: f64,
}

/// The plan of the upstream, and what is believed without it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Relayed {
    /// What holds outside the plan, and learns.
    pub(super) beyond: Model,
    /// When the plan was made and until when it holds.
    pub(super) made: f64,
    pub(super) until: f64,
    /// Looks after `made` and up to `until`, in order.
    pub(super) looks: Vec<PlannedLook>,
}

impl Relayed {
    /// A feed of which the upstream has said nothing yet.
    pub fn new(beyond: Model) -> Self {
        let beyond = match beyond {
            Model::Relayed(relayed) => relayed.beyond,
            plain => plain,
        };
        Self { beyond, made: 0.0, until: 0.0, looks: Vec::new() }
    }

    /// Takes the upstream's plan as it was at `made`, in the place of an older one. Looks that have no
    /// sense (past, not finite) are passed over; those too far ahead are left to be told again.
    pub fn plan(&mut self, made: f64, looks: impl IntoIterator<Item = PlannedLook>) {
        if !made.is_finite() {
            return;
        }
        let mut silent_until = made;
        self.looks.clear();
        for look in looks {
            if !(look.at > made && look.at.is_finite() && look.items >= 0.0) {
                continue;
            }
            if look.at > made + LONGEST_PLAN {
                silent_until = made + LONGEST_PLAN;
                continue;
            }
            self.looks.push(PlannedLook { at: look.at, items: look.items.min(MOST_ITEMS) });
        }
        self.looks.sort_by(|a, b| a.at.total_cmp(&b.at));
        if self.looks.len() > MOST_LOOKS {
            self.looks.truncate(MOST_LOOKS);
            silent_until = made;
        }
        self.made = made;
        self.until = self.looks.last().map_or(silent_until, |last| last.at.max(silent_until));
    }

    /// The looks that are still to come after an instant.
    pub fn looks_after(&self, instant: f64) -> &[PlannedLook] {
        &self.looks[self.looks.partition_point(|look| look.at <= instant)..]
    }

    /// The model that the source had before, with what it has learnt since.
    pub fn into_plain(self) -> Model {
        self.beyond
    }
}

impl Model {
    /// Takes the plan of the node that publishes this source, as it was at `made`.
    pub fn relay(&mut self, made: f64, looks: impl IntoIterator<Item = PlannedLook>) {
        if !matches!(self, Self::Relayed(_)) {
            *self = Self::Relayed(Box::new(Relayed::new(self.take())));
        }
        if let Self::Relayed(relayed) = self {
            relayed.plan(made, looks);
        }
    }

    /// No plan comes any more: the model that was there before goes on.
    pub fn unrelay(&mut self) {
        *self = match self.take() {
            Self::Relayed(relayed) => relayed.into_plain(),
            plain => plain,
        };
    }

    fn take(&mut self) -> Self {
        std::mem::replace(self, Self::Constant(Constant { rate: RATE_FLOOR as f32 }))
    }
}

impl PublicationModel for Relayed {
    fn divergence(&self, from: f64, to: f64) -> (f64, f64) {
        let (mut divergence, mut area) = (0.0, 0.0);
        let mut add = |(items, within): (f64, f64), end: f64| {
            divergence += items;
            area += within + items * (to - end);
        };
        if from < self.made {
            let end = to.min(self.made);
            add(self.beyond.divergence(from, end), end);
        }
        let (start, end) = (from.max(self.made), to.min(self.until));
        if start < end {
            let (items, within) = self.beyond.divergence(start, end);
            add((UNPLANNED * items, UNPLANNED * within), end);
        }
        for look in self.looks_after(from).iter().take_while(|look| look.at <= to) {
            add((look.items, 0.0), look.at);
        }
        if to > self.until {
            // A plan that ends before it was made does not exist.
            add(self.beyond.divergence(from.max(self.until), to), to);
        }
        (divergence, area)
    }

    fn mean_rate(&self) -> f64 {
        self.beyond.mean_rate()
    }

    fn learn(&mut self, observation: &Observation<'_>) {
        self.beyond.learn(observation);
        // What has come is counted; what was planned and did not come will be told of anew.
        self.looks.retain(|look| look.at > observation.at);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Constant, ModelKind};

    fn look(at: f64, items: f64) -> PlannedLook {
        PlannedLook { at, items }
    }

    /// Half an item a second beyond the plan.
    fn relayed(made: f64, looks: &[PlannedLook]) -> Relayed {
        let mut model = Relayed::new(Model::Constant(Constant::new(0.5).unwrap()));
        model.plan(made, looks.iter().copied());
        model
    }

    #[test]
    fn batches_come_at_the_planned_looks_and_a_stream_after_the_last() {
        let model = relayed(100.0, &[look(110.0, 3.0), look(130.0, 5.0)]);
        let is = |(from, to): (f64, f64), divergence: f64, area: f64| {
            let found = model.divergence(from, to);
            let close = |a: f64, b: f64| (a - b).abs() < 1e-6;
            assert!(close(found.0, divergence) && close(found.1, area), "{from} {to}: {found:?}");
        };
        // A fortieth of an item a second comes unplanned: ½·(1/40)·9² under it.
        is((100.0, 109.0), 0.225, 1.0125);
        // Three items from 110 on.
        is((100.0, 110.0), 3.25, 1.25);
        is((100.0, 120.0), 3.5, 30.0 + 5.0);
        // … five more at 130, then ten seconds at half an item each: ½·½·10² under them.
        is((100.0, 140.0), 3.0 + 5.0 + 0.75 + 5.0, 90.0 + 50.0 + 11.25 + 7.5 + 25.0);
        // Nothing of what came at 110 waits for who has looked since.
        is((110.0, 129.0), 0.475, 4.5125);
        // Before the plan was made: four seconds at half an item each.
        is((96.0, 105.0), 2.0 + 0.125, 4.0 + 10.0 + 0.3125);
    }

    #[test]
    fn without_a_plan_the_plain_model_holds() {
        let plain = ModelKind::GammaSlots.build(0.01).unwrap();
        let model = Relayed::new(plain.clone());
        for (from, to) in [(0.0, 100.0), (5e5, 6e5), (-50.0, 50.0)] {
            let (a, b) = (model.divergence(from, to), plain.divergence(from, to));
            assert!((a.0 - b.0).abs() < 1e-9 && (a.1 - b.1).abs() < 1e-6 * b.1, "{a:?} {b:?}");
        }
        let mut nested = Model::Relayed(Box::new(Relayed::new(Model::from(model))));
        nested.relay(5.0, [look(9.0, 1.0)]);
        nested.unrelay();
        assert_eq!(nested, plain);
        nested.unrelay();
        assert_eq!(nested, plain);
    }

    #[test]
    fn the_utility_rises_when_a_batch_comes_and_hardly_otherwise() {
        let model = relayed(0.0, &[look(10.0, 3.0), look(20.0, 3.0)]);
        let utility = |to: f64| {
            let (divergence, area) = model.divergence(0.0, to);
            to * divergence - area
        };
        // 3·10, then 3·10 + 3·20, and 1/80 of the time squared.
        assert_eq!([9.9, 10.0, 19.9, 20.0].map(|to| utility(to).round()), [1.0, 31.0, 35.0, 95.0]);
    }

    #[test]
    fn a_plan_of_nonsense_silences_nobody_for_long() {
        let far = relayed(0.0, &[look(1e9, 5.0)]);
        let silence = far.expected(0.0, LONGEST_PLAN);
        assert!((silence - UNPLANNED * 0.5 * LONGEST_PLAN).abs() < 1e-6, "{silence}");
        assert!(far.expected(0.0, LONGEST_PLAN + 10.0) > silence + 4.9);
        let odd = [look(f64::NAN, 1.0), look(-5.0, 1.0), look(9.0, f64::NAN), look(9.0, -1.0)];
        assert_eq!(relayed(0.0, &odd).expected(0.0, 10.0), 5.0);
        let many: Vec<_> = (1..1000).map(|n| look(f64::from(n), 1.0)).collect();
        assert_eq!(relayed(0.0, &many).looks.len(), MOST_LOOKS);
        let huge = relayed(0.0, &[look(5.0, f64::INFINITY)]);
        assert!((huge.expected(0.0, 5.0) - MOST_ITEMS).abs() < 1.0);
    }

    #[test]
    fn what_was_planned_before_a_look_is_over_after_it() {
        let mut model = relayed(0.0, &[look(10.0, 3.0), look(20.0, 4.0)]);
        let seen = Observation {
            at: 12.0,
            since: Some(0.0),
            new_items: 2,
            window: 10,
            censored: false,
            dates: &[],
        };
        model.learn(&seen);
        assert_eq!(model.looks_after(f64::NEG_INFINITY), [look(20.0, 4.0)]);
        assert!((model.expected(12.0, 20.0) - 4.2).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn an_interval_is_the_sum_of_its_parts_and_utility_never_falls(
            made in 0.0..1e4f64,
            looks in prop::collection::vec((0.0..2e5f64, 0.0..50.0f64), 0..30),
            from in 0.0..1e5f64, first in 0.0..1e5f64, second in 0.0..1e5f64,
        ) {
            let looks: Vec<_> = looks.into_iter().map(|(at, items)| look(at, items)).collect();
            let mut model = Relayed::new(ModelKind::Gamma.build(1e-3).unwrap());
            model.plan(made, looks);
            let (middle, to) = (from + first, from + first + second);
            let (whole, whole_area) = model.divergence(from, to);
            let (early, early_area) = model.divergence(from, middle);
            let (late, late_area) = model.divergence(middle, to);
            prop_assert!((whole - early - late).abs() <= 1e-9 * whole.max(1.0));
            let area = early_area + early * second + late_area;
            prop_assert!((whole_area - area).abs() <= 1e-6 * area.max(1.0), "{whole_area} {area}");
            let utility = |to: f64, (divergence, area): (f64, f64)| (to - from) * divergence - area;
            let (before, after) = (utility(middle, (early, early_area)), utility(to, (whole, whole_area)));
            prop_assert!(after >= before - 1e-6 * before.max(1.0), "{before} then {after}");
        }

        #[test]
        fn a_forecast_has_what_is_expected_and_a_saved_plan_comes_back(
            looks in prop::collection::vec((0.0..3e4f64, 0.0..50.0f64), 0..12), step in 60.0..2e3f64,
        ) {
            let mut model = Relayed::new(ModelKind::Calendar.build(1e-3).unwrap());
            model.plan(0.0, looks.into_iter().map(|(at, items)| look(at, items)));
            let mut bins = [0.0; 20];
            model.forecast(0.0, step, &mut bins);
            let (sum, whole) = (bins.iter().sum::<f64>(), model.expected(0.0, 20.0 * step));
            prop_assert!((sum - whole).abs() <= 1e-6 * whole.max(1.0), "{sum} against {whole}");
            let model = Model::from(model);
            let saved = serde_json::to_string(&model).unwrap();
            let loaded: Model = serde_json::from_str(&saved).unwrap();
            let again = loaded.expected(0.0, 20.0 * step);
            prop_assert!((again - whole).abs() <= 1e-9 * whole.max(1.0));
        }
    }
}
