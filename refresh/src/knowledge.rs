//! What a strategy may know about a source when it decides. Two kinds stand behind one trait:
//! [`crate::Sources`] estimates from past refreshes, as a node must; [`Exact`] is told the truth, as
//! the published experiments assume. A strategy is written once and runs on both.

use crate::counts::Distribution;
use crate::{DAY, Invalid};

/// What waits at a source, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outlook {
    /// As many items have been published as the window holds: more will push unread ones out.
    pub saturated: bool,
    /// Relevant items that a refresh would find: the relevant window divergence, over cost.
    pub relevant: f64,
    /// What refreshing now is worth: age × divergence − area under the divergence, over cost.
    pub utility: f64,
}

impl Outlook {
    /// A source that was never refreshed goes before all others.
    pub const NEVER_SEEN: Self =
        Self { saturated: true, relevant: f64::INFINITY, utility: f64::INFINITY };
}

/// What is known about the sources at the moment of a decision.
pub trait Knowledge {
    /// Number of sources.
    fn len(&self) -> usize;

    /// Whether there are no sources at all.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the source may be refreshed now, as far as politeness is concerned.
    fn ready(&self, source: usize, now: f64) -> bool;

    /// Seconds since the last refresh; infinite if there was none.
    fn age(&self, source: usize, now: f64) -> f64;

    /// What waits at the source.
    fn outlook(&self, source: usize, now: f64) -> Outlook;

    /// The price at which refreshing now and waiting are equally good.
    fn index(&self, source: usize, now: f64, taste: &Taste) -> f64;
}

/// What a user wants: nothing lost or nothing late; busy sources first or every source alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Taste {
    completeness: f64,
    equity: f64,
}

/// At 1 a source with a slow rate would never be refreshed again: nothing of it can be lost.
const MOST_COMPLETENESS: f64 = 0.95;

impl Default for Taste {
    fn default() -> Self {
        Self { completeness: 0.5, equity: 0.5 }
    }
}

impl Taste {
    /// `completeness` from 0 (a news reader: fresh) to 1 (an archive: complete); `equity` from 0
    /// (every item counts alike, so busy sources go first) to 1 (every source counts alike).
    pub fn new(completeness: f64, equity: f64) -> Result<Self, Invalid> {
        let completeness = Invalid::unless_share("taste for completeness", completeness)?;
        let equity = Invalid::unless_share("equity", equity)?;
        Ok(Self { completeness: completeness.min(MOST_COMPLETENESS), equity })
    }

    /// Weight of the share of items lost.
    pub fn completeness(&self) -> f64 {
        self.completeness
    }

    /// Weight of the share of windows missing.
    pub fn freshness(&self) -> f64 {
        1.0 - self.completeness
    }

    /// (items a day)^−equity: how much more a quiet source's window counts than a busy one's.
    pub fn equity_factor(&self, rate: f64) -> f64 {
        if self.equity == 0.0 { 1.0 } else { (rate * DAY).powf(-self.equity) }
    }
}

/// The truth about every source, for experiments that assume it known.
#[derive(Debug, Clone, Default)]
pub struct Exact {
    /// Last refresh.
    pub last: Vec<f64>,
    /// Items published since.
    pub unread: Vec<u32>,
    /// Of the unread items still in the window, how many are relevant.
    pub relevant: Vec<u32>,
    /// Relevant items in the window in all.
    pub relevant_shown: Vec<u32>,
    /// True rate, items per second.
    pub rate: Vec<f64>,
    /// Window size, the same for all.
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

    /// The printed form: utility = ½·Δ·(relevant window divergence).
    fn outlook(&self, source: usize, now: f64) -> Outlook {
        let relevant = f64::from(self.relevant[source]);
        Outlook {
            saturated: self.unread[source] >= self.window,
            relevant,
            utility: 0.5 * (now - self.last[source]) * relevant,
        }
    }

    /// With the unread items known, waiting one more cycle costs the relevant ones that new items
    /// push out meanwhile, and the staleness of the window; both are spread over the time that the
    /// same state takes to come about again.
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
