//! What a strategy knows about the sources when it decides.
//!
//! Two types implement [`Knowledge`]: `Sources` estimates from past refreshes, as a node must; [`Exact`]
//! knows the truth, as the published experiments assume. Every strategy works with both.

use crate::counts::Distribution;
use crate::error::Invalid;
use crate::time::DAY;

/// What waits at a source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outlook {
    /// The window is full of unread items: further items push them out.
    pub saturated: bool,
    /// Relevant items that a refresh would find (the relevant window divergence), over cost.
    pub relevant: f64,
    /// The utility of a refresh now: (age × divergence − area under the divergence) over cost.
    pub utility: f64,
}

impl Outlook {
    /// The outlook of a source that was never refreshed: it is the most urgent.
    pub const NEVER_SEEN: Self =
        Self { saturated: true, relevant: f64::INFINITY, utility: f64::INFINITY };
}

/// Knowledge about the sources at the time of a decision.
pub trait Knowledge {
    /// Number of sources.
    fn len(&self) -> usize;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether politeness allows a refresh now.
    fn ready(&self, source: usize, now: f64) -> bool;

    /// Seconds since the last refresh; infinite if there was none.
    fn age(&self, source: usize, now: f64) -> f64;

    fn outlook(&self, source: usize, now: f64) -> Outlook;

    /// The index: the price at which refreshing now and waiting are equally good.
    fn index(&self, source: usize, now: f64, taste: &Taste) -> f64;
}

/// Preferences of a user: completeness or freshness, busy sources first or all sources equally.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Taste {
    completeness: f64,
    equity: f64,
}

/// At 1, a slow source would never be refreshed again, because none of its items can be lost.
const MOST_COMPLETENESS: f64 = 0.95;

impl Default for Taste {
    fn default() -> Self {
        Self { completeness: 0.5, equity: 0.5 }
    }
}

impl Taste {
    /// `completeness` runs from 0 (fresh, for reading news) to 1 (complete, for an archive). `equity`
    /// runs from 0 (all items are equal, so busy sources go first) to 1 (all sources are equal).
    pub fn new(completeness: f64, equity: f64) -> Result<Self, Invalid> {
        let completeness = Invalid::unless_share("taste for completeness", completeness)?;
        let equity = Invalid::unless_share("equity", equity)?;
        Ok(Self { completeness: completeness.min(MOST_COMPLETENESS), equity })
    }

    /// The weight of lost items.
    pub fn completeness(&self) -> f64 {
        self.completeness
    }

    /// The weight of missing parts of windows.
    pub fn freshness(&self) -> f64 {
        1.0 - self.completeness
    }

    /// (items per day)^−equity: how much more the window of a quiet source counts.
    pub fn equity_factor(&self, rate: f64) -> f64 {
        if self.equity == 0.0 { 1.0 } else { (rate * DAY).powf(-self.equity) }
    }
}

/// The truth about all sources, for experiments.
#[derive(Debug, Clone, Default)]
pub struct Exact {
    /// Last refresh.
    pub last: Vec<f64>,
    /// Items published since.
    pub unread: Vec<u32>,
    /// Relevant unread items that are still in the window.
    pub relevant: Vec<u32>,
    /// Relevant items in the window.
    pub relevant_shown: Vec<u32>,
    /// True rates in items per second.
    pub rate: Vec<f64>,
    /// Window size of every source.
    pub window: u32,
    /// Seconds from one decision to the next.
    pub cycle: f64,
    /// Relevant items per second over all sources.
    pub relevant_rate: f64,
}

impl Knowledge for Exact {
    fn len(&self) -> usize {
        self.last.len()
    }

    fn ready(&self, _: usize, _: f64) -> bool {
        true
    }

    fn age(&self, source: usize, now: f64) -> f64 {
        now - self.last[source]
    }

    /// As published: utility = ½·Δ·(relevant window divergence).
    fn outlook(&self, source: usize, now: f64) -> Outlook {
        let relevant = f64::from(self.relevant[source]);
        Outlook {
            saturated: self.unread[source] >= self.window,
            relevant,
            utility: 0.5 * (now - self.last[source]) * relevant,
        }
    }

    /// Waiting one more cycle costs the relevant items that new ones push out, and the staleness of the
    /// window. Both are spread over the time until the same state returns.
    fn index(&self, source: usize, _: f64, taste: &Taste) -> f64 {
        let (unread, relevant) = (self.unread[source], f64::from(self.relevant[source]));
        let rate = self.rate[source].max(f64::MIN_POSITIVE);
        if unread == 0 {
            return 0.0;
        }
        let in_window = f64::from(unread.min(self.window));
        let free = self.window.saturating_sub(unread) as usize;
        let coming = Distribution::poisson(rate * self.cycle);
        let pushed_out = rate * self.cycle - coming.mean_up_to(free);
        let lost = relevant / in_window * pushed_out.min(in_window) / self.cycle;
        let stale = relevant / f64::from(self.relevant_shown[source].max(1));
        let lost_price =
            taste.completeness() / self.relevant_rate * lost * f64::from(unread) / rate;
        let stale_price = taste.freshness() / self.len() as f64
            * stale
            * taste.equity_factor(rate)
            * (f64::from(unread) + 1.0)
            / (2.0 * rate);
        lost_price + stale_price
    }
}
