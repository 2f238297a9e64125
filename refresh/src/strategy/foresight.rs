//! Predicts when a strategy will refresh a source.
//!
//! A node announces its refreshes, so that its readers can refresh just after. Each strategy returns the
//! [`Rule`] by which it will choose the source, and this module applies the rule to the forecast of the
//! model, decision by decision. It is an estimate: thresholds move, limits apply, and every refresh
//! changes the model.

use crate::knowledge::Taste;
use crate::model::{PlannedRefresh, PublicationModel};
use crate::sources::Sources;

/// The rule by which a strategy will choose a source.
#[derive(Debug, Clone, PartialEq)]
pub enum Rule {
    /// When its utility reaches `least`, or if `saturated` is true, when it is saturated.
    Utility { least: f64, saturated: bool },
    /// When its index reaches the price `least`.
    Index { least: f64, taste: Taste },
    /// This many seconds after each refresh.
    Interval(f64),
    /// At these times, and then at an interval.
    Timetable {
        /// The next refreshes, in order.
        at: Vec<f64>,
        /// Seconds between further refreshes.
        then: f64,
    },
}

/// The coming decisions: `start`, `start + step`, … up to `end`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Decisions {
    pub(crate) start: f64,
    pub(crate) step: f64,
    pub(crate) end: f64,
}

/// Predicted refreshes of one source, at most; predictions far ahead are useless.
const MOST_REFRESHES: usize = 8;

impl Decisions {
    /// The first decision at or after `instant`, with a tolerance for rounding.
    fn at_or_after(self, instant: f64) -> f64 {
        let steps = ((instant - self.start) / self.step - 1e-6).ceil().max(0.0);
        self.start + steps * self.step
    }

    /// The first decision at or after `from` at which `reached` holds. `reached` must be monotonic.
    fn first(self, from: f64, reached: impl Fn(f64) -> bool) -> Option<f64> {
        let from = self.at_or_after(from);
        let at = |steps: u64| from + steps as f64 * self.step;
        if from > self.end {
            return None;
        }
        if reached(from) {
            return Some(from);
        }
        let (mut before, mut after) = (0, 1);
        while !reached(at(after)) {
            if at(after) > self.end {
                return None;
            }
            (before, after) = (after, 2 * after);
        }
        while after - before > 1 {
            let middle = before + (after - before) / 2;
            if reached(at(middle)) { after = middle } else { before = middle }
        }
        Some(at(after))
    }
}

impl Sources {
    /// The next refreshes of a source by a rule, if its last refresh was at `last` and the next one must
    /// not be before `earliest`.
    pub(crate) fn foresee(
        &self,
        source: usize,
        rule: &Rule,
        decisions: Decisions,
        last: f64,
        earliest: f64,
    ) -> Vec<PlannedRefresh> {
        let mut refreshes: Vec<PlannedRefresh> = Vec::new();
        // Assume that it will be held back after each refresh as long as after the last one.
        let pause = if last.is_finite() { (earliest - last).max(0.0) } else { 0.0 };
        let pause = pause.max(0.5 * decisions.step);
        let mut last = last;
        while refreshes.len() < MOST_REFRESHES {
            let from = match refreshes.last() {
                Some(_) => last + pause,
                None => earliest.max(decisions.start),
            };
            let next = match *rule {
                // A new source is refreshed first, by every rule.
                _ if last == f64::NEG_INFINITY => Some(decisions.at_or_after(from)),
                Rule::Utility { least, saturated } => decisions.first(from, |at| {
                    let outlook = self.outlook_since(source, last, at);
                    outlook.utility >= least
                        || (saturated && outlook.saturated && outlook.relevant > 0.0)
                }),
                Rule::Index { least, taste } => {
                    decisions.first(from, |at| self.index_since(source, last, at, &taste) >= least)
                }
                Rule::Interval(interval) => Some(decisions.at_or_after(from.max(last + interval))),
                Rule::Timetable { ref at, then } => {
                    let listed = at.iter().copied().find(|&at| at > last + 0.5 * decisions.step);
                    Some(decisions.at_or_after(from.max(listed.unwrap_or(last + then))))
                }
            };
            let Some(at) = next.filter(|&at| at <= decisions.end) else { break };
            refreshes.push(PlannedRefresh { at, items: self.items_between(source, last, at) });
            last = at;
        }
        refreshes
    }

    /// The items expected in a refresh at `at` after one at `last`.
    pub(crate) fn items_between(&self, source: usize, last: f64, at: f64) -> f64 {
        let window = self.window(source) as f64;
        if last == f64::NEG_INFINITY {
            return window;
        }
        self.model(source).expected(last, at).min(window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Constant, Model, Relayed};
    use crate::sources::Source;

    const DECISIONS: Decisions = Decisions { start: 100.0, step: 10.0, end: 300.0 };

    /// One source with half an item a second, last refreshed at 100.
    fn steady() -> Sources {
        let mut sources = Sources::new();
        let model = Model::Constant(Constant::new(0.5).unwrap());
        sources.add(Source { last: Some(100.0), ..Source::new(model, 20) }).unwrap();
        sources
    }

    fn instants(sources: &Sources, rule: &Rule, earliest: f64) -> Vec<f64> {
        let refreshes = sources.foresee(0, rule, DECISIONS, 100.0, earliest);
        refreshes.iter().take(3).map(|refresh| refresh.at).collect()
    }

    #[test]
    fn a_threshold_is_passed_at_the_first_decision_that_reaches_it() {
        // ½·½·Δ² ≥ 200 from Δ = 28.3 on.
        let rule = Rule::Utility { least: 200.0, saturated: false };
        assert_eq!(instants(&steady(), &rule, 100.0), [130.0, 160.0, 190.0]);
        // Held back for 55 seconds, now and after each refresh.
        assert_eq!(instants(&steady(), &rule, 155.0), [160.0, 220.0, 280.0]);
        // Twenty items fill the window after 40 seconds.
        let rule = Rule::Utility { least: 1e9, saturated: true };
        assert_eq!(instants(&steady(), &rule, 100.0), [140.0, 180.0, 220.0]);
        let soon = Decisions { end: 150.0, ..DECISIONS };
        let refreshes = steady().foresee(0, &rule, soon, 100.0, 100.0);
        assert_eq!(refreshes, [PlannedRefresh { at: 140.0, items: 20.0 }]);
    }

    #[test]
    fn a_relayed_feed_is_refreshed_just_after_its_upstream_refreshes() {
        let mut sources = steady();
        let mut model = Relayed::new(sources.model(0).clone());
        let planned = [(123.0, 6.0), (146.0, 6.0), (169.0, 6.0)];
        model.plan(100.0, planned.map(|(at, items)| PlannedRefresh { at, items }));
        let source = Source { model: Model::from(model), ..sources.get(0) };
        sources.set(0, source).unwrap();
        for least in [40.0, 60.0, 96.0] {
            let rule = Rule::Utility { least, saturated: false };
            assert_eq!(instants(&sources, &rule, 100.0), [130.0, 150.0, 170.0], "{least}");
        }
        // The batch at 146 comes 16 seconds after the refresh at 130: 6·16 is the least of the three.
        // 6·23 is below 170, and 6·23 + 6·46 is above it: every second refresh is enough.
        let rule = Rule::Utility { least: 170.0, saturated: false };
        assert_eq!(instants(&sources, &rule, 100.0)[0], 150.0);
    }

    #[test]
    fn intervals_and_timetables_are_arithmetic() {
        let rule = Rule::Interval(25.0);
        assert_eq!(instants(&steady(), &rule, 100.0), [130.0, 160.0, 190.0]);
        let rule = Rule::Timetable { at: vec![111.0, 170.0], then: 60.0 };
        assert_eq!(instants(&steady(), &rule, 100.0), [120.0, 170.0, 230.0]);
    }

    #[test]
    fn a_new_source_is_refreshed_at_the_next_decision() {
        let mut sources = Sources::new();
        let model = Model::Constant(Constant::new(0.5).unwrap());
        sources.add(Source::new(model, 20)).unwrap();
        let rule = Rule::Utility { least: 200.0, saturated: true };
        let refreshes = sources.foresee(0, &rule, DECISIONS, f64::NEG_INFINITY, 0.0);
        assert_eq!(refreshes[0], PlannedRefresh { at: 100.0, items: 20.0 });
        assert_eq!(refreshes[1].at, 130.0);
    }
}
