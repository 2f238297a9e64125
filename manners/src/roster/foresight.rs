//! Refreshes to come: those that peers plan, and those that this node plans and announces to its readers.
//!
//! Never: a refresh announced for earlier than its items can be read; a source left alone, because of what its
//! peer says, for longer than the model allows.

use std::collections::HashMap;

use pergola_refresh::{Model, PlannedRefresh};

use super::{Roster, Seat};
use crate::hints::Hints;
use crate::source::SourceId;

/// A forecast is made anew after so many seconds, or when τ has changed by this share.
const HOLDS_FOR: f64 = 600.0;
const MOST_CHANGE: f64 = 0.05;
/// Refreshes over which the mean duration is taken.
const MEMORY: f64 = 20.0;
/// A refresh is announced for at most so many seconds after its decision, however long refreshes take.
const LONGEST: f64 = 60.0;
/// Seconds by which a peer's plan comes after our last refresh at least.
const JUST_AFTER: f64 = 1e-3;

/// The forecast for a source, and the state for which it was made.
#[derive(Debug, Clone)]
struct Foreseen {
    last: Option<f64>,
    held_until: f64,
    threshold: f64,
    at: f64,
    refreshes: Vec<PlannedRefresh>,
}

/// What the scheduler knows of the next refresh of a source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prospect {
    /// It is being refreshed, or waits in its lane.
    pub out: bool,
    /// It was refreshed before.
    pub seen: bool,
    /// Politeness allows no refresh before.
    pub next_at: f64,
    /// Its peer says at once when it has news, so that it is not polled before.
    pub watched_until: Option<f64>,
    /// Its hub pushes its news, so that it is not polled before.
    pub hub_until: Option<f64>,
    /// When the scheduler will probably choose it.
    pub expected: Option<f64>,
    /// What a refresh is worth now, and what it must be worth; nothing if the strategy decides otherwise.
    pub worth: Option<(f64, f64)>,
}

/// Forecasts, and how long a refresh takes.
#[derive(Debug, Default)]
pub(super) struct Foresight {
    foreseen: HashMap<usize, Foreseen>,
    /// Seconds from a decision until the items can be read: mean and mean deviation.
    took: Option<(f64, f64)>,
}

impl Foresight {
    /// A refresh took so many seconds from its decision.
    fn measure(&mut self, took: f64) {
        let (mean, deviation) = self.took.unwrap_or((took, 0.0));
        let beside = took - mean;
        self.took = Some((mean + beside / MEMORY, deviation + (beside.abs() - deviation) / MEMORY));
    }

    /// Seconds within which nearly every refresh is over.
    fn delay(&self) -> f64 {
        let (mean, deviation) = self.took.unwrap_or_default();
        (mean + 2.0 * deviation).clamp(0.0, LONGEST)
    }

    pub(super) fn forget(&mut self, place: usize) {
        self.foreseen.remove(&place);
    }
}

impl Roster {
    /// A peer says when it plans to have news, by our clock. What it plans is still to come, even if it is
    /// overdue.
    pub fn hinted(&mut self, id: SourceId, hints: &Hints) {
        let Some(&place) = self.places.get(&id) else { return };
        let made = self.sources.last(place).map_or(hints.now, |last| last.max(hints.now));
        let refreshes = hints.planned.iter();
        let refreshes =
            refreshes.map(|&(at, items)| PlannedRefresh { at: at.max(made + JUST_AFTER), items });
        self.sources.relay(place, made, refreshes);
    }

    /// A source does not say when it will have news, or no longer.
    pub fn unhinted(&mut self, id: SourceId) {
        if let Some(&place) = self.places.get(&id) {
            self.sources.unrelay(place);
        }
    }

    /// The items of a refresh can be read since `now`.
    pub fn published(&mut self, id: SourceId, now: f64) {
        let Some(&place) = self.places.get(&id) else { return };
        if let Some(decided) = self.seats[place].decided.take() {
            self.foresight.measure((now - decided).max(0.0));
        }
    }

    /// When news of a source can be expected, in order and only the next few until `end`, and how many items:
    /// after the refreshes that this node plans, or when its peer plans news and notifies us. `None` if news
    /// can come at any time, because they are pushed and nobody says when.
    pub fn planned(&mut self, id: SourceId, now: f64, end: f64) -> Option<Vec<PlannedRefresh>> {
        let Some(&place) = self.places.get(&id) else { return Some(Vec::new()) };
        let delay = self.foresight.delay();
        let seat = &self.seats[place];
        let told = seat.watched_until.is_some() || seat.hub_until.is_some_and(|until| until > now);
        let refreshes = match self.sources.model(place) {
            Model::Relayed(relayed) if told => {
                let refreshes = relayed.refreshes_after(now);
                (!refreshes.is_empty()).then(|| refreshes.to_vec())?
            }
            _ if told => return None,
            _ => self.foreseen(place, now, end),
        };
        let readable = refreshes
            .into_iter()
            .map(|refresh| PlannedRefresh { at: refresh.at + delay, ..refresh });
        Some(readable.filter(|refresh| refresh.at <= end).collect())
    }

    /// What is known of the next refresh of a source, as far as it comes before `end`.
    pub fn prospect(&mut self, id: SourceId, now: f64, end: f64) -> Option<Prospect> {
        let place = *self.places.get(&id)?;
        let expected = self.foreseen(place, now, end).first().map(|refresh| refresh.at);
        let Seat { out, next_at, watched_until, hub_until, .. } = self.seats[place];
        Some(Prospect {
            out,
            seen: self.sources.last(place).is_some(),
            next_at,
            watched_until,
            hub_until,
            expected,
            worth: self.scheduler.worth(&self.sources, place, now),
        })
    }

    /// The forecast for a source, from memory while it holds.
    fn foreseen(&mut self, place: usize, now: f64, end: f64) -> Vec<PlannedRefresh> {
        let last = self.sources.last(place);
        let held_until = self.seats[place].held_until();
        let threshold = self.scheduler.threshold().value();
        let holds = |known: &&Foreseen| {
            known.last == last
                && known.held_until == held_until
                && (threshold / known.threshold).ln().abs() < MOST_CHANGE
                && now < known.at + HOLDS_FOR
                && known.refreshes.first().is_some_and(|refresh| refresh.at >= now)
        };
        // The forecast of a source that is being refreshed changes in a moment.
        let out = self.seats[place].out;
        if let Some(known) = self.foresight.foreseen.get(&place).filter(holds).filter(|_| !out) {
            return known.refreshes.clone();
        }
        let refreshes = self.scheduler.planned(&self.sources, place, now, end);
        let at = now;
        let known = Foreseen { last, held_until, threshold, at, refreshes: refreshes.clone() };
        self.foresight.foreseen.insert(place, known);
        refreshes
    }
}

#[cfg(test)]
mod tests {
    use pergola_refresh::{
        Controller, ModelKind, Observation, Source, StrategyKind, Taste, Threshold,
    };

    use super::*;
    use crate::budget::{BudgetRule, HORIZON_CYCLES, Purse};
    use crate::lanes::Lanes;

    const CYCLE: f64 = 10.0;
    const ID: SourceId = SourceId(1);

    /// A roster with one source, which was refreshed at 1000 or before and may be asked again at once.
    fn roster(strategy: StrategyKind) -> Roster {
        let rule = BudgetRule::Refreshes { per_minute: 1.0 };
        let purse = Purse::new(rule, None, CYCLE);
        // A batch reaches this utility or price; unplanned items alone do not.
        let threshold = if strategy == StrategyKind::TwoSteps { 50.0 } else { 0.05 };
        let controller = Controller::Steady { horizon: HORIZON_CYCLES };
        let threshold = Threshold::new(threshold, controller).unwrap();
        let mut roster = Roster::new(strategy, Taste::default(), Some(threshold), purse).unwrap();
        let url = "https://example.org/rss";
        let lane = Lanes::new(Default::default()).lane_of(&url::Url::parse(url).unwrap());
        let source = Source::new(ModelKind::Gamma.build(0.01).unwrap(), 20);
        roster.add(ID, url, lane, source, 0.0).unwrap();
        // Round robin refreshes when a whole refresh is due.
        let mut decisions =
            (0..).map(|n| 1000.0 - f64::from(n) * CYCLE).take(10).collect::<Vec<_>>();
        decisions.reverse();
        let at = decisions.into_iter().find(|&now| !roster.decide(now).is_empty()).unwrap();
        refresh(&mut roster, at);
        roster
    }

    /// Something new was found, and could be read two seconds later.
    fn refresh(roster: &mut Roster, at: f64) {
        let source = roster.schedule(ID).unwrap();
        let since = source.last;
        let observation =
            Observation { at, since, new_items: 2, window: 20, censored: false, dates: &[] };
        let learnt = source.after(&observation).unwrap();
        roster.settle(ID, Some((learnt, &observation)), at).unwrap();
        roster.published(ID, at + 2.0);
    }

    fn hints(now: f64, planned: &[(f64, f64)]) -> Hints {
        Hints { planned: planned.to_vec(), now, ..Hints::default() }
    }

    #[test]
    fn a_peers_plan_is_waited_for_and_what_is_overdue_is_still_to_come() {
        for strategy in [StrategyKind::TwoSteps, StrategyKind::Plan, StrategyKind::Index] {
            let mut roster = roster(strategy);
            // The first refresh should have come when the peer said so.
            roster.hinted(ID, &hints(999.9, &[(995.0, 3.0), (1095.0, 3.0)]));
            let decisions = (1..40).map(|n| 1000.0 + f64::from(n) * CYCLE);
            let mut refreshes = Vec::new();
            for now in decisions {
                if !roster.decide(now).is_empty() {
                    refreshes.push(now);
                    refresh(&mut roster, now);
                    // It says the same again: what is to come at 1095, and every hundred seconds after.
                    let planned: Vec<_> = (0..8)
                        .map(|n| (1095.0 + 100.0 * f64::from(n), 3.0))
                        .filter(|(at, _)| *at > now)
                        .collect();
                    roster.hinted(ID, &hints(now, &planned));
                }
            }
            // The planner has budget to spare and spends it, but also comes at the right moments.
            let right = [1010.0, 1100.0, 1200.0, 1300.0];
            let name = strategy.name();
            assert!(right.iter().all(|at| refreshes.contains(at)), "{name}: {refreshes:?}");
            assert!(strategy == StrategyKind::Plan || refreshes == right, "{name}: {refreshes:?}");
        }
    }

    #[test]
    fn when_hints_stop_the_model_is_what_it_was() {
        let mut roster = roster(StrategyKind::TwoSteps);
        let before = roster.schedule(ID).unwrap();
        roster.hinted(ID, &hints(1000.0, &[(5000.0, 3.0)]));
        assert!(matches!(roster.schedule(ID).unwrap().model, Model::Relayed(_)));
        roster.unhinted(ID);
        assert_eq!(roster.schedule(ID).unwrap(), before);
    }

    #[test]
    fn readers_are_told_when_the_items_of_a_refresh_can_be_read() {
        let mut roster = roster(StrategyKind::FixedInterval);
        // One refresh a minute, at decisions every ten seconds; each can be read two seconds later.
        let told: Vec<f64> =
            roster.planned(ID, 1005.0, 1200.0).unwrap().iter().map(|refresh| refresh.at).collect();
        assert!(told.len() >= 3, "{told:?}");
        for pair in told.windows(2) {
            assert!((pair[1] - pair[0] - 60.0).abs() <= CYCLE, "{told:?}");
        }
        assert!(told.iter().all(|at| (at - 2.0) % CYCLE < 1e-6), "{told:?}");
        // The same from memory; and another answer after a refresh.
        assert_eq!(roster.planned(ID, 1005.0, 1200.0).unwrap()[0].at, told[0]);
        roster.send(ID, 1010.0);
        let under_way = roster.planned(ID, 1011.0, 1200.0).unwrap();
        assert_eq!(under_way[0].at, 1013.0);
    }

    #[test]
    fn where_a_peer_says_at_once_that_it_has_news_its_plan_is_ours() {
        let mut roster = roster(StrategyKind::TwoSteps);
        roster.hinted(ID, &hints(1000.0, &[(1095.0, 3.0), (1195.0, 4.0)]));
        roster.watched(ID, true, 1000.0);
        let told = roster.planned(ID, 1100.0, 2000.0);
        assert_eq!(told, Some(vec![PlannedRefresh { at: 1197.0, items: 4.0 }]));
        // Beyond its plan, and without one, news can come at any time.
        assert_eq!(roster.planned(ID, 1200.0, 2000.0), None);
        roster.unhinted(ID);
        assert_eq!(roster.planned(ID, 1100.0, 2000.0), None);
        assert_eq!(roster.planned(SourceId(9), 1100.0, 2000.0), Some(vec![]), "it is gone");
    }
}
