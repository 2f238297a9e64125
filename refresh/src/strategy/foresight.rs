//! When a strategy will look at a source again, as far as can be told now.
//!
//! A node tells its readers when it will look, so that they come just after. Each strategy names the
//! [`Rule`] by which it will choose the source; here the rule is carried forward on the forecast of the
//! source's model, decision by decision. It is an estimate: thresholds move, limits bind, and what a
//! look shows changes what is believed.

use crate::{PlannedLook, PublicationModel, Sources, Taste};

/// By what a strategy will choose a source.
#[derive(Debug, Clone, PartialEq)]
pub enum Rule {
    /// When its utility reaches this; before that, if so, when it is saturated.
    Utility {
        /// The utility it has to reach.
        least: f64,
        /// Whether saturation is enough.
        saturated: bool,
    },
    /// When its index reaches this price.
    Index {
        /// The price.
        least: f64,
        /// For whose taste.
        taste: Taste,
    },
    /// So many seconds after each look.
    Interval(f64),
    /// At these instants, and after the last of them at the given interval.
    Timetable {
        /// The next looks, in order.
        at: Vec<f64>,
        /// Seconds from the last of them to the next.
        then: f64,
    },
}

/// The decisions that are to come: `start`, `start + step`, … up to `end`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Decisions {
    pub(crate) start: f64,
    pub(crate) step: f64,
    pub(crate) end: f64,
}

/// Looks that are foreseen at one source, at most. The further ahead, the less they are worth.
const MOST_LOOKS: usize = 8;

impl Decisions {
    /// The first decision at or after an instant, with a little tolerance for sums of floating point steps.
    fn at_or_after(self, instant: f64) -> f64 {
        let steps = ((instant - self.start) / self.step - 1e-6).ceil().max(0.0);
        self.start + steps * self.step
    }

    /// The first decision at or after `from` at which `reached` holds, if there is one. What has been
    /// reached stays so.
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
    /// The next looks at a source by a rule, if it was last looked at at `last` and may not be before
    /// `earliest`.
    pub(crate) fn foresee(
        &self,
        source: usize,
        rule: &Rule,
        decisions: Decisions,
        last: f64,
        earliest: f64,
    ) -> Vec<PlannedLook> {
        let mut looks: Vec<PlannedLook> = Vec::new();
        // It will be held back after the next looks for as long as after the last one.
        let pause = if last.is_finite() { (earliest - last).max(0.0) } else { 0.0 };
        let pause = pause.max(0.5 * decisions.step);
        let mut last = last;
        while looks.len() < MOST_LOOKS {
            let from = match looks.last() {
                Some(_) => last + pause,
                None => earliest.max(decisions.start),
            };
            let next = match *rule {
                // Never seen: looked at first, whatever the rule.
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
            looks.push(PlannedLook { at, items: self.items_between(source, last, at) });
            last = at;
        }
        looks
    }

    /// Items that a look at one instant is expected to show after one at another.
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
    use crate::{Constant, Model, Relayed, Source};

    const DECISIONS: Decisions = Decisions { start: 100.0, step: 10.0, end: 300.0 };

    /// One source with half an item a second, last looked at at 100.
    fn steady() -> Sources {
        let mut sources = Sources::new();
        let model = Model::Constant(Constant::new(0.5).unwrap());
        sources.add(Source { last: Some(100.0), ..Source::new(model, 20) }).unwrap();
        sources
    }

    fn instants(sources: &Sources, rule: &Rule, earliest: f64) -> Vec<f64> {
        let looks = sources.foresee(0, rule, DECISIONS, 100.0, earliest);
        looks.iter().take(3).map(|look| look.at).collect()
    }

    #[test]
    fn a_threshold_is_passed_at_the_first_decision_that_reaches_it() {
        // ½·½·Δ² ≥ 200 from Δ = 28.3 on.
        let rule = Rule::Utility { least: 200.0, saturated: false };
        assert_eq!(instants(&steady(), &rule, 100.0), [130.0, 160.0, 190.0]);
        // Held back for 55 seconds: first then, and so after each look.
        assert_eq!(instants(&steady(), &rule, 155.0), [160.0, 220.0, 280.0]);
        // Twenty items fill the window after 40 seconds.
        let rule = Rule::Utility { least: 1e9, saturated: true };
        assert_eq!(instants(&steady(), &rule, 100.0), [140.0, 180.0, 220.0]);
        let soon = Decisions { end: 150.0, ..DECISIONS };
        let looks = steady().foresee(0, &rule, soon, 100.0, 100.0);
        assert_eq!(looks, [PlannedLook { at: 140.0, items: 20.0 }]);
    }

    #[test]
    fn a_relayed_feed_is_looked_at_just_after_the_upstream_looks() {
        let mut sources = steady();
        let mut model = Relayed::new(sources.model(0).clone());
        let planned = [(123.0, 6.0), (146.0, 6.0), (169.0, 6.0)];
        model.plan(100.0, planned.map(|(at, items)| PlannedLook { at, items }));
        let source = Source { model: Model::from(model), ..sources.get(0) };
        sources.set(0, source).unwrap();
        for least in [40.0, 60.0, 96.0] {
            let rule = Rule::Utility { least, saturated: false };
            assert_eq!(instants(&sources, &rule, 100.0), [130.0, 150.0, 170.0], "{least}");
        }
        // The batch of 146 is 16 seconds after the look at 130: 6·16 is the least of the three.
        // 6·23 is not enough for 170, and 6·23 + 6·46 is: every second look will do.
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
    fn a_source_never_seen_is_looked_at_at_the_next_decision() {
        let mut sources = Sources::new();
        let model = Model::Constant(Constant::new(0.5).unwrap());
        sources.add(Source::new(model, 20)).unwrap();
        let rule = Rule::Utility { least: 200.0, saturated: true };
        let looks = sources.foresee(0, &rule, DECISIONS, f64::NEG_INFINITY, 0.0);
        assert_eq!(looks[0], PlannedLook { at: 100.0, items: 20.0 });
        assert_eq!(looks[1].at, 130.0);
    }
}
