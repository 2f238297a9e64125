//! One node of a mesh: its scheduler, and what it reads.

use pergola_refresh::collective::Offer;
use pergola_refresh::{
    Budget, Controller, DAY, HOUR, Invalid, Observation, PlannedRefresh, Scheduler, Source,
    Sources, Taste, Threshold,
};

use super::wiring::Channel;
use super::{CYCLE, Settings};

/// A node that spends less than this share of its budget needs no more.
const FULLY_SPENT: f64 = 0.9;
/// How far ahead a node tells its plans, in seconds.
const TOLD_AHEAD: f64 = 100.0 * CYCLE;
/// A node backs off from a failing source for one cycle, then for twice as long, up to this many cycles.
const LONGEST_PAUSE: f64 = 16.0;

/// What a node assumes before its first refresh, and how it learns and accounts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Tuning {
    /// Spending is averaged over this many decisions.
    pub(crate) horizon: f64,
    /// The budget of so many decisions may be spent ahead; by default what `Budget` allows.
    pub(crate) slack: Option<f64>,
    /// The first τ.
    pub(crate) threshold: f64,
    /// The assumed rate of a new source, items per second.
    pub(crate) rate: f64,
    /// The assumed window of a new source; by default the true one.
    pub(crate) window: Option<u32>,
    /// From 0 (fresh) to 1 (complete), and from 0 (equal weight per item) to 1 (per source).
    pub(crate) taste: (f64, f64),
    /// The prior of how much of a source a feed keeps: one of so many items.
    pub(crate) doubt: f64,
    /// Items of an archive per request; by default a window.
    pub(crate) page: Option<usize>,
    /// Whether a refresh after a neighbour's news counts in full, or takes half of the budget at most.
    pub(crate) news_in_full: bool,
    /// Whether a refresh returns a document: with dates, and without a window if nothing has changed.
    pub(crate) documents: bool,
}

impl Tuning {
    /// For studies: settles quickly.
    pub(crate) const LAB: Self = Self {
        horizon: 100.0,
        slack: Some(50.0),
        threshold: CYCLE,
        rate: 1.0 / HOUR,
        window: None,
        taste: (0.5, 0.0),
        doubt: 1.0,
        page: None,
        news_in_full: true,
        documents: false,
    };
    /// The values of a real node.
    pub(crate) const NODE: Self = Self {
        horizon: 288.0,
        slack: None,
        threshold: 1e-5,
        rate: 1.0 / DAY,
        window: Some(20),
        taste: (0.5, 0.5),
        doubt: 2.0,
        page: Some(500),
        news_in_full: false,
        documents: true,
    };

    fn budget(&self, per_decision: f64, decisions: f64) -> Result<Budget, Invalid> {
        let budget = Budget::new(per_decision, CYCLE / decisions)?;
        self.slack.map_or(Ok(budget.clone()), |slack| budget.with_slack(slack))
    }
}

pub(super) struct Node {
    tuning: Tuning,
    scheduler: Scheduler<Sources>,
    pub(super) sources: Sources,
    pub(super) subscriptions: Vec<Subscription>,
    /// When it decides, in cycles after the beginning of each turn.
    pub(super) phase: f64,
    /// Refreshes per decision.
    budget: f64,
    /// The budget at the start.
    first_budget: f64,
    decisions: f64,
    /// A moving average of requests per decision, pages included.
    spent: f64,
}

/// A channel that a node reads, and how far it has read.
pub(super) struct Subscription {
    pub(super) channel: Channel,
    /// The feeds of the node that read it.
    pub(super) feeds: Vec<u32>,
    /// Items of the channel up to here are known.
    pub(super) seen: Option<usize>,
    /// A refresh is under way, and whether another must follow.
    pub(super) under_way: bool,
    pub(super) again: bool,
    failures: i32,
    /// Requests while measuring, pages included.
    pub(super) requests: u64,
    /// Items received; for each feed how many of them it wants, and how many of those were new to it.
    offered: f64,
    doubt: f64,
    wanted: Vec<f64>,
    first: Vec<f64>,
    /// When the node last exchanged prices with the publisher.
    pub(super) met: f64,
}

/// What a refresh shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct View {
    pub(super) at: f64,
    /// The range of the new items in the channel.
    pub(super) from: usize,
    pub(super) end: usize,
    shown: usize,
    censored: bool,
}

impl Subscription {
    pub(super) fn new(channel: Channel) -> Self {
        Self {
            channel,
            feeds: Vec::new(),
            seen: None,
            under_way: false,
            again: false,
            failures: 0,
            requests: 0,
            offered: 0.0,
            doubt: 1.0,
            wanted: Vec::new(),
            first: Vec::new(),
            met: 0.0,
        }
    }

    /// What a refresh shows of a channel with `end` items.
    pub(super) fn view(&self, end: usize, window: usize, archive: bool, at: f64) -> View {
        let shown = end.saturating_sub(window);
        let from = match self.seen {
            Some(seen) if archive => seen,
            seen => seen.unwrap_or(0).max(shown),
        };
        let censored = self.seen.is_some() && from == shown && end > from && !archive;
        View { at, from, end, shown: end - shown, censored }
    }

    /// A feed received an item that it wants; `first` if it was new.
    pub(super) fn took(&mut self, feed: usize, first: bool) {
        self.wanted[feed] += 1.0;
        self.first[feed] += f64::from(u8::from(first));
    }

    /// The learnt share of items that a feed wants; only new items count if `first`.
    pub(super) fn share(&self, feed: u32, first: bool) -> f64 {
        let place = self.feeds.iter().position(|&other| other == feed);
        place.map_or(0.0, |place| self.share_at(place, first))
    }

    fn share_at(&self, place: usize, first: bool) -> f64 {
        let taken = if first { &self.first } else { &self.wanted };
        (taken[place] + 1.0) / (self.offered + self.doubt)
    }
}

impl Node {
    /// A node with a budget of refreshes per cycle. `moment` is when it decides, from 0 (the beginning of
    /// its turn) to 1 (the end).
    pub(super) fn new(
        settings: &Settings<'_>,
        mut subscriptions: Vec<Subscription>,
        budget: f64,
        moment: f64,
    ) -> Result<Self, Invalid> {
        let tuning = settings.tuning;
        let mut sources = Sources::new();
        for subscription in &mut subscriptions {
            let window = settings.window_of(subscription.channel);
            let model = settings.model.build(tuning.rate)?;
            let window = tuning.window.unwrap_or(window as u32);
            subscription.doubt = tuning.doubt;
            let relevance = subscription.feeds.len() as f64 / tuning.doubt;
            sources.add(Source { relevance, ..Source::new(model, window) })?;
            subscription.wanted = vec![0.0; subscription.feeds.len()];
            subscription.first = vec![0.0; subscription.feeds.len()];
        }
        let decisions = settings.decisions as f64;
        let budget = budget / decisions;
        let strategy = settings.strategy.build(Taste::new(tuning.taste.0, tuning.taste.1)?);
        let spending = tuning.budget(budget, decisions)?;
        let scheduler = if settings.literal {
            Scheduler::literal(strategy, spending, CYCLE)?
        } else {
            let controller = Controller::Steady { horizon: tuning.horizon };
            let threshold = Threshold::new(tuning.threshold, controller)?;
            Scheduler::new(strategy, threshold, spending)
        };
        Ok(Self {
            tuning,
            scheduler,
            sources,
            subscriptions,
            phase: moment / decisions,
            budget,
            first_budget: budget,
            decisions,
            spent: budget,
        })
    }

    pub(super) fn choose(&mut self, now: f64) -> Vec<usize> {
        let chosen = self.scheduler.decide(now, &self.sources).to_vec();
        self.spent += (chosen.len() as f64 - self.spent) / self.tuning.horizon;
        chosen
    }

    /// Its offer in the exchange of budget. A node that underspends (it refreshes everything at every decision)
    /// needs no more budget, whatever its τ.
    pub(super) fn offer(&self, least: f64) -> Offer {
        let idle = self.spent < FULLY_SPENT * self.budget;
        Offer {
            price: if idle { f64::MIN_POSITIVE } else { self.threshold() },
            budget: self.budget * self.decisions,
            least: least * self.first_budget * self.decisions,
        }
    }

    pub(super) fn threshold(&self) -> f64 {
        self.scheduler.threshold().value()
    }

    /// Refreshes per cycle that it may spend now.
    pub(super) fn budget(&self) -> f64 {
        self.budget * self.decisions
    }

    /// Adds refreshes per cycle to its budget, or takes them away.
    pub(super) fn shift_budget(&mut self, per_cycle: f64) {
        self.budget += per_cycle / self.decisions;
        if let Ok(budget) = self.tuning.budget(self.budget, self.decisions) {
            self.scheduler.steer_budget(budget);
        }
    }

    /// Accounts for requests beyond those that a decision chose.
    pub(super) fn charge(&mut self, requests: usize) {
        self.scheduler.charge(requests);
        self.spent += requests as f64 / self.tuning.horizon;
    }

    /// Accounts for a refresh that follows a neighbour's news.
    pub(super) fn charge_news(&mut self) {
        if self.tuning.news_in_full {
            self.charge(1);
        } else if self.scheduler.charge_news() {
            self.spent += 1.0 / self.tuning.horizon;
        }
    }

    /// Learns from what a refresh showed.
    pub(super) fn learn(&mut self, place: usize, view: &View, dates: &[f64]) {
        let subscription = &mut self.subscriptions[place];
        let unchanged = self.tuning.documents && view.end == view.from;
        let observation = Observation {
            at: view.at,
            since: self.sources.last(place),
            new_items: (view.end - view.from) as u32,
            window: if unchanged { 0 } else { view.shown as u32 },
            censored: view.censored,
            dates,
        };
        subscription.seen = Some(view.end);
        subscription.offered += (view.end - view.from) as f64;
        subscription.failures = 0;
        self.sources.observe(place, &observation);
        self.scheduler.observed(place, &observation);
    }

    /// Sets the worth of an item of a subscription, from its worth in each feed, and returns it.
    pub(super) fn weigh(&mut self, place: usize, first: bool, worth: impl Fn(u32) -> f64) -> f64 {
        let subscription = &self.subscriptions[place];
        let feeds = subscription.feeds.iter().enumerate();
        let relevance =
            feeds.map(|(at, &feed)| worth(feed) * subscription.share_at(at, first)).sum();
        // A sum of shares times worths is always a valid relevance.
        let _ = self.sources.set_relevance(place, relevance);
        relevance
    }

    /// A refresh has failed; returns when to retry.
    pub(super) fn back_off(&mut self, place: usize, now: f64) -> f64 {
        let subscription = &mut self.subscriptions[place];
        subscription.failures += 1;
        now + 2.0_f64.powi(subscription.failures - 1).min(LONGEST_PAUSE) * CYCLE
    }

    /// The planned refreshes of a subscription, and the items they should bring.
    pub(super) fn planned(&mut self, place: usize, now: f64) -> Vec<PlannedRefresh> {
        self.scheduler.planned(&self.sources, place, now, now + TOLD_AHEAD)
    }

    /// Takes in when the waiting items of a subscription arrived there, as a plan that has come true.
    pub(super) fn notice(&mut self, place: usize, waiting: &[f64], now: f64) {
        let Some(last) = self.sources.last(place) else { return };
        let items = waiting.len() as f64;
        // One batch, with the utility of all of them.
        let came = waiting.iter().sum::<f64>() / items.max(1.0);
        let all = PlannedRefresh { at: came, items };
        self.sources.relay(place, last, [all, PlannedRefresh { at: now, items: 0.0 }]);
    }
}
