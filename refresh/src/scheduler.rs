//! One decision per cycle: the strategy proposes refreshes, the budget limits them, and the threshold
//! adapts.

use crate::error::Invalid;
use crate::knowledge::Knowledge;
use crate::model::PlannedRefresh;
use crate::observation::Observation;
use crate::sources::Sources;
use crate::strategy::{Cycle, Decisions, Rule, Strategy};
use crate::threshold::{Controller, Spending, Threshold};

/// Refreshes that even the smallest budget may spend ahead. With only one, sources that are due at about
/// the same time would wait for each other, and the budget would not be spent.
const LEAST_SLACK: f64 = 3.0;
/// The share of the budget for refreshes after announcements.
const NEWS_SHARE: f64 = 0.5;
/// The cycles of that share that may be spent at once; at least one refresh.
const NEWS_CYCLES: f64 = 10.0;

/// The budget of refreshes.
#[derive(Debug, Clone, PartialEq)]
pub struct Budget {
    per_cycle: f64,
    cycle: f64,
    burst: usize,
    /// Refreshes that may be spent ahead of the budget, and are paid back.
    slack: f64,
    /// Spent ahead of the budget so far; negative if saved.
    owed: f64,
    /// The fraction of a refresh carried over to the next quota.
    carry: f64,
    /// Spent on announcements, and not yet covered by their share.
    news: f64,
}

impl Budget {
    /// `per_cycle` refreshes on average (possibly a fraction) in cycles of `cycle` seconds. Bursts of up
    /// to ten cycles of budget, and at least three refreshes, are allowed and paid back.
    pub fn new(per_cycle: f64, cycle: f64) -> Result<Self, Invalid> {
        let per_cycle = Invalid::unless_positive("budget", per_cycle)?;
        let cycle = Invalid::unless_positive("cycle in seconds", cycle)?;
        let burst = (10.0 * per_cycle).ceil().max(1.0) as usize;
        let slack = (burst as f64).max(LEAST_SLACK);
        Ok(Self { per_cycle, cycle, burst, slack, owed: 0.0, carry: 0.0, news: 0.0 })
    }

    /// Sets the maximum of one cycle.
    pub fn with_burst(mut self, burst: usize) -> Result<Self, Invalid> {
        self.burst = Invalid::unless(burst > 0, "burst limit", burst, "at least 1")?;
        self.slack = self.slack.max(burst as f64);
        Ok(self)
    }

    /// Sets how many cycles of budget may be spent ahead (and are paid back), for sources with busy hours.
    pub fn with_slack(mut self, cycles: f64) -> Result<Self, Invalid> {
        let cycles = Invalid::unless_not_negative("slack in cycles", cycles)?;
        self.slack = (cycles * self.per_cycle).max(1.0);
        Ok(self)
    }

    /// Only the threshold limits spending, as in the published strategies.
    pub fn unlimited_bursts(mut self) -> Self {
        self.burst = usize::MAX;
        self.slack = f64::INFINITY;
        self
    }

    /// Refreshes per cycle on average.
    pub fn per_cycle(&self) -> f64 {
        self.per_cycle
    }

    /// Opens a cycle: (its share of the budget in whole refreshes, its maximum).
    fn open(&mut self) -> (usize, usize) {
        self.carry += self.per_cycle;
        let quota = self.carry.floor();
        self.carry -= quota;
        self.owed -= self.per_cycle;
        // Old savings expire, or a quiet night would end in a burst.
        self.owed = self.owed.max(-self.slack.max(self.per_cycle));
        self.news = (self.news - NEWS_SHARE * self.per_cycle).max(0.0);
        let limit = (self.slack - self.owed).floor().clamp(0.0, self.burst as f64);
        (quota as usize, limit as usize)
    }

    fn close(&mut self, spent: usize) {
        self.owed += spent as f64;
    }

    /// Whether one more refresh after an announcement is within their share; if so, charges it.
    fn pays_for_news(&mut self) -> bool {
        let most = (NEWS_CYCLES * NEWS_SHARE * self.per_cycle).max(1.0);
        let pays = self.news + 1.0 <= most;
        self.news += f64::from(u8::from(pays));
        pays
    }
}

/// Decides what to refresh, cycle by cycle.
pub struct Scheduler<K> {
    strategy: Box<dyn Strategy<K>>,
    threshold: Threshold,
    budget: Budget,
    chosen: Vec<usize>,
    /// Requests charged since the last decision.
    charged: usize,
    /// When the last decision was made.
    decided: Option<f64>,
}

impl<K: Knowledge> Scheduler<K> {
    pub fn new(strategy: Box<dyn Strategy<K>>, threshold: Threshold, budget: Budget) -> Self {
        Self { strategy, threshold, budget, chosen: Vec::new(), charged: 0, decided: None }
    }

    /// The scheduler of a node: bursts are paid back, and spending is averaged over `horizon` cycles.
    pub fn steady(
        strategy: Box<dyn Strategy<K>>,
        budget: Budget,
        horizon: f64,
    ) -> Result<Self, Invalid> {
        let controller = Controller::Steady { horizon };
        Ok(Self::new(strategy, Threshold::new(1.0, controller)?, budget))
    }

    /// The scheduler of the papers: the literal threshold rule, and an unlimited second step.
    pub fn literal(
        strategy: Box<dyn Strategy<K>>,
        budget: Budget,
        threshold: f64,
    ) -> Result<Self, Invalid> {
        let threshold = Threshold::new(threshold, Controller::Literal)?;
        Ok(Self::new(strategy, threshold, budget.unlimited_bursts()))
    }

    pub fn threshold(&self) -> &Threshold {
        &self.threshold
    }

    /// Changes the strategy and searches a new threshold, because thresholds are not comparable.
    pub fn set_strategy(&mut self, strategy: Box<dyn Strategy<K>>) {
        self.strategy = strategy;
        self.threshold.search_again();
    }

    /// Changes the budget, forgets what was owed, and searches a new threshold.
    pub fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
        self.threshold.search_again();
    }

    /// Follows a budget that changes little and often, such as one in bytes: keeps τ and what is owed.
    pub fn steer_budget(&mut self, budget: Budget) {
        let Budget { owed, carry, news, .. } = self.budget;
        self.budget = Budget { owed, carry, news, ..budget };
    }

    /// Decides what to refresh now: at most the burst limit, and each source once.
    pub fn decide(&mut self, now: f64, known: &K) -> &[usize] {
        let (quota, limit) = self.budget.open();
        let cycle = Cycle {
            now,
            length: self.budget.cycle,
            threshold: self.threshold.value(),
            budget: self.budget.per_cycle,
            quota,
            limit,
        };
        self.decided = Some(now);
        self.chosen.clear();
        let demand = self.strategy.choose(&cycle, known, &mut self.chosen);
        // Strategies respect the limit; this makes sure.
        self.chosen.truncate(limit);
        self.budget.close(self.chosen.len());
        let ready = || (0..known.len()).filter(|&source| known.ready(source, now)).count();
        // Counting the ready sources costs a pass, so only do it if budget is left.
        let everything = (demand as f64) < self.budget.per_cycle && demand >= ready();
        // Charged requests use a part of the budget; τ must fit the rest.
        let charged = std::mem::take(&mut self.charged);
        let (spent, demand) = (self.chosen.len() + charged, demand + charged);
        let spending = Spending { spent, demand, budget: self.budget.per_cycle, everything };
        if self.threshold.is_literal() || self.strategy.threshold_mattered() {
            self.threshold.adjust(&spending);
        }
        &self.chosen
    }

    /// Charges requests that were made without a decision; they are paid back like a burst.
    pub fn charge(&mut self, requests: usize) {
        self.budget.close(requests);
        self.charged += requests;
    }

    /// Charges a refresh that followed an announcement of new items. All of them together are charged up
    /// to half of the budget, so that busy announcers do not starve the other sources; further ones are
    /// free. Returns whether it was charged.
    pub fn charge_news(&mut self) -> bool {
        let pays = self.budget.pays_for_news();
        if pays {
            self.charge(1);
        }
        pays
    }

    /// Passes the result of a refresh to the strategy. (The models learn in [`Sources`].)
    pub fn observed(&mut self, source: usize, observation: &Observation<'_>) {
        self.strategy.observed(source, observation);
    }
}

impl Scheduler<Sources> {
    /// The next few refreshes of a source until `end`, as far as they can be predicted, with the expected
    /// items. A source that is being refreshed (that is, held back for ever) counts as refreshed now.
    pub fn planned(
        &mut self,
        known: &Sources,
        source: usize,
        now: f64,
        end: f64,
    ) -> Vec<PlannedRefresh> {
        let cycle = self.next_cycle(now);
        let (start, step) = (cycle.now, cycle.length);
        let last = known.last(source).unwrap_or(f64::NEG_INFINITY);
        let held = known.held_until(source);
        let under_way = held == f64::INFINITY;
        let mut refreshes = Vec::new();
        let (from, earliest) = if under_way {
            refreshes
                .push(PlannedRefresh { at: now, items: known.items_between(source, last, now) });
            (now, now)
        } else {
            (last, held)
        };
        let rule = self.strategy.rule(&cycle, known, source, from);
        let decisions = Decisions { start, step, end };
        refreshes.extend(known.foresee(source, &rule, decisions, from, earliest));
        refreshes
    }
    /// What a refresh of a source is worth now, and from which worth on it is refreshed. Nothing if the strategy
    /// decides otherwise, or the source was never refreshed.
    pub fn worth(&mut self, known: &Sources, source: usize, now: f64) -> Option<(f64, f64)> {
        let last = known.last(source)?;
        let cycle = self.next_cycle(now);
        match self.strategy.rule(&cycle, known, source, last) {
            Rule::Utility { least, .. } => Some((known.outlook(source, now).utility, least)),
            Rule::Index { least, taste } => Some((known.index(source, now, &taste), least)),
            Rule::Interval(_) | Rule::Timetable { .. } => None,
        }
    }

    /// The next decision, without a limit.
    fn next_cycle(&self, now: f64) -> Cycle {
        let step = self.budget.cycle;
        let mut start = self.decided.map_or(now, |decided| decided + step);
        if start < now {
            start += step * ((now - start) / step).ceil();
        }
        Cycle {
            now: start,
            length: step,
            threshold: self.threshold.value(),
            budget: self.budget.per_cycle,
            quota: 0,
            limit: usize::MAX,
        }
    }
}
