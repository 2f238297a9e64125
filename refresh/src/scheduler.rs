//! One decision per cycle: the strategy proposes, the budget limits, the threshold follows.

use crate::strategy::Decisions;
use crate::threshold::Spending;
use crate::{
    Controller, Cycle, Invalid, Knowledge, Observation, PlannedLook, Sources, Strategy, Threshold,
};

/// Refreshes that may be spent ahead of the smallest budget: with one only, sources that are due at about
/// the same time would wait for each other, and budget would be left.
const LEAST_SLACK: f64 = 3.0;
/// The share of the budget that looks at others' news may take …
const NEWS_SHARE: f64 = 0.5;
/// … and the cycles of it that they may take at once, or one look.
const NEWS_CYCLES: f64 = 10.0;

/// How many refreshes may be spent.
#[derive(Debug, Clone, PartialEq)]
pub struct Budget {
    per_cycle: f64,
    cycle: f64,
    burst: usize,
    /// Refreshes that may be spent ahead of the budget and are paid back.
    slack: f64,
    /// Spent ahead of the budget so far (negative: saved).
    owed: f64,
    /// Fraction of a refresh carried over to the next quota.
    carry: f64,
    /// Spent on news and not yet earned by the share that is set aside for them.
    news: f64,
}

impl Budget {
    /// `per_cycle` refreshes on average (fractions are fine) in cycles of `cycle` seconds. Bursts of
    /// ten cycles' worth, and of three refreshes at least, are allowed and paid back.
    pub fn new(per_cycle: f64, cycle: f64) -> Result<Self, Invalid> {
        let per_cycle = Invalid::unless_positive("budget", per_cycle)?;
        let cycle = Invalid::unless_positive("cycle in seconds", cycle)?;
        let burst = (10.0 * per_cycle).ceil().max(1.0) as usize;
        let slack = (burst as f64).max(LEAST_SLACK);
        Ok(Self { per_cycle, cycle, burst, slack, owed: 0.0, carry: 0.0, news: 0.0 })
    }

    /// The most that one cycle may ever spend.
    pub fn with_burst(mut self, burst: usize) -> Result<Self, Invalid> {
        self.burst = Invalid::unless(burst > 0, "burst limit", burst, "at least 1")?;
        self.slack = self.slack.max(burst as f64);
        Ok(self)
    }

    /// How many cycles of budget may be spent ahead (and paid back), for sources that keep hours.
    pub fn with_slack(mut self, cycles: f64) -> Result<Self, Invalid> {
        let cycles = Invalid::unless_not_negative("slack in cycles", cycles)?;
        self.slack = (cycles * self.per_cycle).max(1.0);
        Ok(self)
    }

    /// No limit but the threshold's own: the published strategies.
    pub fn unlimited_bursts(mut self) -> Self {
        self.burst = usize::MAX;
        self.slack = f64::INFINITY;
        self
    }

    /// Refreshes per cycle on average.
    pub fn per_cycle(&self) -> f64 {
        self.per_cycle
    }

    /// Opens a cycle: (its share of the budget in whole refreshes, the most it may spend).
    fn open(&mut self) -> (usize, usize) {
        self.carry += self.per_cycle;
        let quota = self.carry.floor();
        self.carry -= quota;
        self.owed -= self.per_cycle;
        // What was saved long ago is gone, or a night's silence would end in a flood.
        self.owed = self.owed.max(-self.slack.max(self.per_cycle));
        self.news = (self.news - NEWS_SHARE * self.per_cycle).max(0.0);
        let limit = (self.slack - self.owed).floor().clamp(0.0, self.burst as f64);
        (quota as usize, limit as usize)
    }

    fn close(&mut self, spent: usize) {
        self.owed += spent as f64;
    }

    /// Whether one more look at news is within their share, of which it is taken then.
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
    /// The last decision, if there was one.
    decided: Option<f64>,
}

impl<K: Knowledge> Scheduler<K> {
    /// Joins a strategy, a threshold and a budget.
    pub fn new(strategy: Box<dyn Strategy<K>>, threshold: Threshold, budget: Budget) -> Self {
        Self { strategy, threshold, budget, chosen: Vec::new(), charged: 0, decided: None }
    }

    /// The product's scheduler: bursts paid back, spending averaged over `horizon` cycles.
    pub fn steady(
        strategy: Box<dyn Strategy<K>>,
        budget: Budget,
        horizon: f64,
    ) -> Result<Self, Invalid> {
        let controller = Controller::Steady { horizon };
        Ok(Self::new(strategy, Threshold::new(1.0, controller)?, budget))
    }

    /// The scheduler of the papers: literal threshold rule, second step unbounded.
    pub fn literal(
        strategy: Box<dyn Strategy<K>>,
        budget: Budget,
        threshold: f64,
    ) -> Result<Self, Invalid> {
        let threshold = Threshold::new(threshold, Controller::Literal)?;
        Ok(Self::new(strategy, threshold, budget.unlimited_bursts()))
    }

    /// The present threshold.
    pub fn threshold(&self) -> &Threshold {
        &self.threshold
    }

    /// Changes the strategy while running. Thresholds of two strategies have nothing in common.
    pub fn set_strategy(&mut self, strategy: Box<dyn Strategy<K>>) {
        self.strategy = strategy;
        self.threshold.search_again();
    }

    /// Changes the budget while running; what was owed under the old one is forgiven.
    pub fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
        self.threshold.search_again();
    }

    /// Follows a budget that moves by little and often, as one in bytes does: τ keeps its value, and
    /// what was owed stays owed.
    pub fn steer_budget(&mut self, budget: Budget) {
        let Budget { owed, carry, news, .. } = self.budget;
        self.budget = Budget { owed, carry, news, ..budget };
    }

    /// Decides what to refresh now: at most the burst limit, each source at most once.
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
        // Strategies keep to the limit by themselves; here it is certain.
        self.chosen.truncate(limit);
        self.budget.close(self.chosen.len());
        let ready = || (0..known.len()).filter(|&source| known.ready(source, now)).count();
        // Counting who is ready costs a pass, which only a cycle with budget to spare has to pay.
        let everything = (demand as f64) < self.budget.per_cycle && demand >= ready();
        // What was charged takes its part of the budget, and τ has to be right for the rest.
        let charged = std::mem::take(&mut self.charged);
        let (spent, demand) = (self.chosen.len() + charged, demand + charged);
        let spending = Spending { spent, demand, budget: self.budget.per_cycle, everything };
        if self.threshold.is_literal() || self.strategy.threshold_mattered() {
            self.threshold.adjust(&spending);
        }
        &self.chosen
    }

    /// Requests were made besides those decided on: they are paid back like a burst.
    pub fn charge(&mut self, requests: usize) {
        self.budget.close(requests);
        self.charged += requests;
    }

    /// A look was made because somebody said that there are news. It is charged, too, but all of them
    /// together up to half of the budget only, or whoever has much to say would starve the other sources;
    /// what goes beyond is free. Says whether it was charged.
    pub fn charge_news(&mut self) -> bool {
        let pays = self.budget.pays_for_news();
        if pays {
            self.charge(1);
        }
        pays
    }

    /// Tells the strategy what a refresh showed (the models learn elsewhere).
    pub fn observed(&mut self, source: usize, observation: &Observation<'_>) {
        self.strategy.observed(source, observation);
    }
}

impl Scheduler<Sources> {
    /// The looks that will probably be made at a source until `end`, in order and only the next few, and
    /// what each is expected to show. An estimate: see [`crate::Rule`]. A source that is being refreshed
    /// (held back for ever, as it were) is taken to be looked at now.
    pub fn planned(
        &mut self,
        known: &Sources,
        source: usize,
        now: f64,
        end: f64,
    ) -> Vec<PlannedLook> {
        let step = self.budget.cycle;
        let mut start = self.decided.map_or(now, |decided| decided + step);
        if start < now {
            start += step * ((now - start) / step).ceil();
        }
        let cycle = Cycle {
            now: start,
            length: step,
            threshold: self.threshold.value(),
            budget: self.budget.per_cycle,
            quota: 0,
            limit: usize::MAX,
        };
        let last = known.last(source).unwrap_or(f64::NEG_INFINITY);
        let held = known.held_until(source);
        let under_way = held == f64::INFINITY;
        let mut looks = Vec::new();
        let (from, earliest) = if under_way {
            looks.push(PlannedLook { at: now, items: known.items_between(source, last, now) });
            (now, now)
        } else {
            (last, held)
        };
        let rule = self.strategy.rule(&cycle, known, source, from);
        let decisions = Decisions { start, step, end };
        looks.extend(known.foresee(source, &rule, decisions, from, earliest));
        looks
    }
}
