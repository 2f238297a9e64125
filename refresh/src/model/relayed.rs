//! Relayed: a feed of another node, which announces when it will refresh its own sources.
//!
//! Items arrive there in batches, each just after a refresh by the upstream. Before the next refresh
//! hardly anything is new; after it, everything waits at once. So the plan predicts batches, and a batch
//! lets the source pass a threshold. Outside the plan (before it was made, after its last refresh, or
//! when no hints arrive) the previous model of the source predicts, and it never stops learning. A small
//! share of its prediction counts within the plan, too ([`UNPLANNED`]), because a push or an operator
//! may cause an unplanned refresh.
//!
//! Invariants: no plan silences a source for longer than [`LONGEST_PLAN`], and no plan grows.

use super::publication::PublicationModel;
use super::{Constant, Model};
use crate::observation::Observation;
use crate::time::DAY;

/// Refreshes of a plan that are kept.
const MOST_REFRESHES: usize = 16;
/// Plans are trusted this far ahead.
const LONGEST_PLAN: f64 = DAY;
/// The assumed share of unplanned items.
const UNPLANNED: f64 = 0.05;
/// The largest number of items that a refresh is trusted to bring.
const MOST_ITEMS: f64 = 1e6;

/// A planned refresh of a source, or of the sources of a feed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlannedRefresh {
    pub at: f64,
    /// Expected items.
    pub items: f64,
}

/// The plan of the upstream, and the model without it.
#[derive(Debug, Clone, PartialEq)]
pub struct Relayed {
    /// Predicts outside the plan, and learns.
    pub(super) beyond: Model,
    /// When the plan was made, and until when it is valid.
    pub(super) made: f64,
    pub(super) until: f64,
    /// Refreshes after `made` and up to `until`, in order.
    pub(super) planned: Vec<PlannedRefresh>,
}

impl Relayed {
    /// A feed without a plan yet.
    pub fn new(beyond: Model) -> Self {
        let beyond = match beyond {
            Model::Relayed(relayed) => relayed.beyond,
            plain => plain,
        };
        Self { beyond, made: 0.0, until: 0.0, planned: Vec::new() }
    }

    /// Replaces the plan by one that the upstream made at `made`. Ignores invalid refreshes (past or not
    /// finite), and those too far ahead, which a later plan will repeat.
    pub fn plan(&mut self, made: f64, refreshes: impl IntoIterator<Item = PlannedRefresh>) {
        if !made.is_finite() {
            return;
        }
        let mut silent_until = made;
        self.planned.clear();
        for refresh in refreshes {
            if !(refresh.at > made && refresh.at.is_finite() && refresh.items >= 0.0) {
                continue;
            }
            if refresh.at > made + LONGEST_PLAN {
                silent_until = made + LONGEST_PLAN;
                continue;
            }
            self.planned.push(PlannedRefresh { items: refresh.items.min(MOST_ITEMS), ..refresh });
        }
        self.planned.sort_by(|a, b| a.at.total_cmp(&b.at));
        if self.planned.len() > MOST_REFRESHES {
            self.planned.truncate(MOST_REFRESHES);
            silent_until = made;
        }
        self.made = made;
        self.until = self.planned.last().map_or(silent_until, |last| last.at.max(silent_until));
    }

    /// The planned refreshes after `instant`.
    pub fn refreshes_after(&self, instant: f64) -> &[PlannedRefresh] {
        &self.planned[self.planned.partition_point(|refresh| refresh.at <= instant)..]
    }

    /// The model without the plan.
    pub fn into_plain(self) -> Model {
        self.beyond
    }
}

impl Model {
    /// Sets the plan that the upstream made at `made`.
    pub fn relay(&mut self, made: f64, refreshes: impl IntoIterator<Item = PlannedRefresh>) {
        if !matches!(self, Self::Relayed(_)) {
            *self = Self::Relayed(Box::new(Relayed::new(self.take())));
        }
        if let Self::Relayed(relayed) = self {
            relayed.plan(made, refreshes);
        }
    }

    /// Removes the plan; the previous model continues.
    pub fn unrelay(&mut self) {
        *self = match self.take() {
            Self::Relayed(relayed) => relayed.into_plain(),
            plain => plain,
        };
    }

    fn take(&mut self) -> Self {
        std::mem::replace(self, Self::Constant(Constant::default()))
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
        for refresh in self.refreshes_after(from).iter().take_while(|refresh| refresh.at <= to) {
            add((refresh.items, 0.0), refresh.at);
        }
        if to > self.until {
            add(self.beyond.divergence(from.max(self.until), to), to);
        }
        (divergence, area)
    }

    fn mean_rate(&self) -> f64 {
        self.beyond.mean_rate()
    }

    fn learn(&mut self, observation: &Observation<'_>) {
        self.beyond.learn(observation);
        // Past refreshes are done; the next plan repeats those that were late.
        self.planned.retain(|refresh| refresh.at > observation.at);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::{Constant, ModelKind};

    fn refresh(at: f64, items: f64) -> PlannedRefresh {
        PlannedRefresh { at, items }
    }

    /// Half an item a second outside the plan.
    fn relayed(made: f64, refreshes: &[PlannedRefresh]) -> Relayed {
        let mut model = Relayed::new(Model::Constant(Constant::new(0.5).unwrap()));
        model.plan(made, refreshes.iter().copied());
        model
    }

    #[test]
    fn batches_arrive_at_the_planned_refreshes_and_a_stream_after_the_last() {
        let model = relayed(100.0, &[refresh(110.0, 3.0), refresh(130.0, 5.0)]);
        let is = |(from, to): (f64, f64), divergence: f64, area: f64| {
            let found = model.divergence(from, to);
            let close = |a: f64, b: f64| (a - b).abs() < 1e-6;
            assert!(close(found.0, divergence) && close(found.1, area), "{from} {to}: {found:?}");
        };
        // A fortieth of an item a second is unplanned; its area is ½·(1/40)·9².
        is((100.0, 109.0), 0.225, 1.0125);
        // Three items from 110 on.
        is((100.0, 110.0), 3.25, 1.25);
        is((100.0, 120.0), 3.5, 30.0 + 5.0);
        // Five more at 130, then ten seconds at half an item each, with an area of ½·½·10².
        is((100.0, 140.0), 3.0 + 5.0 + 0.75 + 5.0, 90.0 + 50.0 + 11.25 + 7.5 + 25.0);
        // A refresh at 110 has taken everything that arrived then.
        is((110.0, 129.0), 0.475, 4.5125);
        // Before the plan was made: four seconds at half an item each.
        is((96.0, 105.0), 2.0 + 0.125, 4.0 + 10.0 + 0.3125);
    }

    #[test]
    fn without_a_plan_the_plain_model_predicts() {
        let plain = ModelKind::GammaSlots.build(0.01).unwrap();
        let model = Relayed::new(plain.clone());
        for (from, to) in [(0.0, 100.0), (5e5, 6e5), (-50.0, 50.0)] {
            let (a, b) = (model.divergence(from, to), plain.divergence(from, to));
            assert!((a.0 - b.0).abs() < 1e-9 && (a.1 - b.1).abs() < 1e-6 * b.1, "{a:?} {b:?}");
        }
        let mut nested = Model::Relayed(Box::new(Relayed::new(Model::from(model))));
        nested.relay(5.0, [refresh(9.0, 1.0)]);
        nested.unrelay();
        assert_eq!(nested, plain);
        nested.unrelay();
        assert_eq!(nested, plain);
    }

    #[test]
    fn the_utility_jumps_with_each_batch_and_hardly_rises_otherwise() {
        let model = relayed(0.0, &[refresh(10.0, 3.0), refresh(20.0, 3.0)]);
        let utility = |to: f64| {
            let (divergence, area) = model.divergence(0.0, to);
            to * divergence - area
        };
        // 3·10, then 3·10 + 3·20, and 1/80 of the time squared.
        assert_eq!([9.9, 10.0, 19.9, 20.0].map(|to| utility(to).round()), [1.0, 31.0, 35.0, 95.0]);
    }

    #[test]
    fn an_invalid_plan_does_not_silence_a_source_for_long() {
        let far = relayed(0.0, &[refresh(1e9, 5.0)]);
        let silence = far.expected(0.0, LONGEST_PLAN);
        assert!((silence - UNPLANNED * 0.5 * LONGEST_PLAN).abs() < 1e-6, "{silence}");
        assert!(far.expected(0.0, LONGEST_PLAN + 10.0) > silence + 4.9);
        let odd = [
            refresh(f64::NAN, 1.0),
            refresh(-5.0, 1.0),
            refresh(9.0, f64::NAN),
            refresh(9.0, -1.0),
        ];
        assert_eq!(relayed(0.0, &odd).expected(0.0, 10.0), 5.0);
        let many: Vec<_> = (1..1000).map(|n| refresh(f64::from(n), 1.0)).collect();
        assert_eq!(relayed(0.0, &many).planned.len(), MOST_REFRESHES);
        let huge = relayed(0.0, &[refresh(5.0, f64::INFINITY)]);
        assert!((huge.expected(0.0, 5.0) - MOST_ITEMS).abs() < 1.0);
    }

    #[test]
    fn a_refresh_ends_the_plan_before_it() {
        let mut model = relayed(0.0, &[refresh(10.0, 3.0), refresh(20.0, 4.0)]);
        let seen = Observation {
            at: 12.0,
            since: Some(0.0),
            new_items: 2,
            window: 10,
            censored: false,
            dates: &[],
        };
        model.learn(&seen);
        assert_eq!(model.refreshes_after(f64::NEG_INFINITY), [refresh(20.0, 4.0)]);
        assert!((model.expected(12.0, 20.0) - 4.2).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn an_interval_is_the_sum_of_its_parts_and_utility_never_falls(
            made in 0.0..1e4f64,
            refreshes in prop::collection::vec((0.0..2e5f64, 0.0..50.0f64), 0..30),
            from in 0.0..1e5f64, first in 0.0..1e5f64, second in 0.0..1e5f64,
        ) {
            let refreshes: Vec<_> =
                refreshes.into_iter().map(|(at, items)| refresh(at, items)).collect();
            let mut model = Relayed::new(ModelKind::Gamma.build(1e-3).unwrap());
            model.plan(made, refreshes);
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
        fn a_forecast_equals_the_expected_items_and_a_saved_plan_survives(
            refreshes in prop::collection::vec((0.0..3e4f64, 0.0..50.0f64), 0..12), step in 60.0..2e3f64,
        ) {
            let mut model = Relayed::new(ModelKind::Calendar.build(1e-3).unwrap());
            model.plan(0.0, refreshes.into_iter().map(|(at, items)| refresh(at, items)));
            let mut bins = [0.0; 20];
            model.forecast(0.0, step, &mut bins);
            let (sum, whole) = (bins.iter().sum::<f64>(), model.expected(0.0, 20.0 * step));
            prop_assert!((sum - whole).abs() <= 1e-6 * whole.max(1.0), "{sum} against {whole}");
            let model = Model::from(model);
            let loaded = Model::from_parts(model.parts()).unwrap();
            prop_assert_eq!(&loaded, &model);
            let again = loaded.expected(0.0, 20.0 * step);
            prop_assert!((again - whole).abs() <= 1e-9 * whole.max(1.0));
        }
    }
}
