//! Measures of quality: exact ones for known streams, estimates for all others.
//!
//! [`Ledger`] follows the publications and refreshes of one source, and computes the published measures
//! exactly. [`Estimate`] is for a node, which never sees the items that it has lost.

mod parts;

use std::collections::VecDeque;

use serde::Serialize;

pub use parts::EstimateParts;

/// The share of items lost at a constant rate with `refresh_rate` refreshes per unit of time:
/// 1 − W·r/λ, or 0 if the refreshes keep up.
pub fn saturation(rate: f64, window: f64, refresh_rate: f64) -> f64 {
    if window * refresh_rate < rate { 1.0 - window * refresh_rate / rate } else { 0.0 }
}

/// An item in the window of a source.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Shown {
    at: f64,
    relevant: bool,
    /// Its number in the order of delivery.
    delivered: Option<u64>,
}

/// What one refresh delivered.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Delivery {
    /// Times of the new items in the window, oldest first.
    pub new: Vec<f64>,
    /// Which of them are relevant.
    pub relevant: Vec<bool>,
    /// Whether the window contains no known item, so that older new items may have been pushed out.
    pub censored: bool,
    /// All items in the window.
    pub shown: u32,
}

/// Exact records of one source: what it published, and what a feed received.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    window: VecDeque<Shown>,
    size: usize,
    /// Items published since the last refresh.
    unread: u32,
    shown_relevant: u32,
    /// Delivered relevant items in the window.
    held: u32,
    ever_refreshed: bool,
    /// Relevant items published so far.
    pub published: u64,
    /// Relevant items delivered so far.
    pub delivered: u64,
    /// Relevant items pushed out of the window unread.
    pub lost: u64,
}

impl Ledger {
    /// An empty window for `size` items.
    pub fn new(size: usize) -> Self {
        Self { size: size.max(1), ..Self::default() }
    }

    /// The source publishes an item.
    pub fn publish(&mut self, at: f64, relevant: bool) {
        if self.window.len() == self.size
            && let Some(gone) = self.window.pop_front()
            && gone.relevant
        {
            self.shown_relevant -= 1;
            if gone.delivered.is_some() {
                self.held -= 1;
            } else {
                self.lost += 1;
            }
        }
        self.window.push_back(Shown { at, relevant, delivered: None });
        self.unread = self.unread.saturating_add(1);
        self.published += u64::from(relevant);
        self.shown_relevant += u32::from(relevant);
    }

    /// The feed refreshes the source. `order` numbers the relevant deliveries of all sources. The result
    /// overwrites `delivery`, so that a simulation does not allocate for each refresh.
    pub fn refresh(&mut self, order: &mut u64, delivery: &mut Delivery) {
        let shown = self.window.len();
        let new = (self.unread as usize).min(shown);
        // The first refresh cannot know what was published before it.
        delivery.censored =
            self.unread as usize >= self.size || (!self.ever_refreshed && shown > 0);
        delivery.shown = shown as u32;
        delivery.new.clear();
        delivery.relevant.clear();
        for item in self.window.range_mut(shown - new..) {
            delivery.new.push(item.at);
            delivery.relevant.push(item.relevant);
            if item.relevant {
                item.delivered = Some(*order);
                *order += 1;
                self.held += 1;
                self.delivered += 1;
            }
        }
        self.unread = 0;
        self.ever_refreshed = true;
    }

    /// Items published since the last refresh: the stream divergence.
    pub fn stream_divergence(&self) -> u32 {
        self.unread
    }

    /// Relevant unread items still in the window: the relevant window divergence.
    pub fn window_divergence(&self) -> u32 {
        self.shown_relevant - self.held
    }

    /// Relevant items in the window.
    pub fn shown_relevant(&self) -> u32 {
        self.shown_relevant
    }

    /// The share of the relevant items in the window that were ever delivered (F in the thesis); 1 if
    /// there are none.
    pub fn freshness(&self) -> f64 {
        share(self.held, self.shown_relevant)
    }

    /// Like [`Ledger::freshness`], but counts only items in the window of the feed, which contains the
    /// last `capacity` of the `order` items delivered by all sources (A in the paper).
    pub fn freshness_in_window(&self, order: u64, capacity: u64) -> f64 {
        let oldest = order.saturating_sub(capacity);
        let still_shown = |item: &&Shown| item.delivered.is_some_and(|at| at >= oldest);
        let held = self.window.iter().filter(still_shown).count() as u32;
        share(held, self.shown_relevant)
    }
}

fn share(part: u32, of: u32) -> f64 {
    if of == 0 { 1.0 } else { f64::from(part) / f64::from(of) }
}

/// The share of relevant items that were delivered; 1 if none were published.
pub fn completeness(delivered: u64, published: u64) -> f64 {
    if published == 0 { 1.0 } else { delivered as f64 / published as f64 }
}

/// The estimated share of published items that were delivered; nothing while it is not known, because none were
/// published.
pub fn known_completeness(delivered: f64, lost: f64) -> Option<f64> {
    let all = delivered + lost;
    (all > 0.0).then(|| delivered / all)
}

/// Delays from publication to delivery, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Delay {
    pub mean: f64,
    pub median: f64,
    /// 95th percentile.
    pub p95: f64,
}

impl Delay {
    /// Summarises delays by nearest rank; all zero if there are none.
    pub fn of(mut delays: Vec<f64>) -> Self {
        if delays.is_empty() {
            return Self::default();
        }
        delays.sort_unstable_by(f64::total_cmp);
        let rank = |share: f64| delays[((delays.len() as f64 * share).ceil() as usize).max(1) - 1];
        let mean = delays.iter().sum::<f64>() / delays.len() as f64;
        Self { mean, median: rank(0.5), p95: rank(0.95) }
    }
}

/// The estimated quality for one source, from its refreshes.
///
/// A window without a known item indicates losses; the model estimates how many. The freshness is what
/// the model expects to be missing, averaged over time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Estimate {
    delivered: f64,
    lost: f64,
    stale: f64,
    time: f64,
}

impl Estimate {
    /// Adds a refresh: delivered items, items that the model had expected, whether the window was full of
    /// new items, the mean number of unread items since the last refresh (area over age), the window, and
    /// the time since the last refresh.
    pub fn refreshed(
        &mut self,
        delivered: u32,
        expected: f64,
        censored: bool,
        mean_unread: f64,
        window: u32,
        age: f64,
    ) {
        self.delivered += f64::from(delivered);
        if censored {
            self.lost += (expected - f64::from(delivered)).max(0.0);
        }
        self.stale += age * (mean_unread / f64::from(window.max(1))).min(1.0);
        self.time += age;
    }

    /// The estimated share of published items that were delivered; nothing while it is not known.
    pub fn completeness(&self) -> Option<f64> {
        known_completeness(self.delivered, self.lost)
    }

    /// The estimated mean share of the window that was delivered; nothing while it is not known, because no
    /// time has passed between two refreshes.
    pub fn freshness(&self) -> Option<f64> {
        (self.time > 0.0).then(|| 1.0 - self.stale / self.time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refresh(ledger: &mut Ledger, order: &mut u64) -> Delivery {
        let mut delivery = Delivery::default();
        ledger.refresh(order, &mut delivery);
        delivery
    }

    #[test]
    fn a_window_that_is_exactly_full_loses_nothing_but_counts_as_censored() {
        let mut order = 0;
        let mut ledger = Ledger::new(3);
        ledger.publish(0.0, true);
        refresh(&mut ledger, &mut order);
        for at in 1..=3 {
            ledger.publish(f64::from(at), true);
        }
        assert_eq!((ledger.stream_divergence(), ledger.lost), (3, 0));
        let delivery = refresh(&mut ledger, &mut order);
        assert!(delivery.censored);
        assert_eq!(delivery.new, [1.0, 2.0, 3.0]);
    }

    #[test]
    fn an_item_pushed_out_unread_is_lost_and_one_already_read_is_not() {
        let mut order = 0;
        let mut ledger = Ledger::new(2);
        ledger.publish(1.0, true);
        refresh(&mut ledger, &mut order);
        for (at, relevant) in [(2.0, false), (3.0, true), (4.0, true), (5.0, true)] {
            ledger.publish(at, relevant);
        }
        // Of 2, 3, 4, 5 the window shows 4 and 5; 3 was relevant and is lost.
        assert_eq!((ledger.lost, ledger.window_divergence()), (1, 2));
        assert_eq!(ledger.freshness(), 0.0);
        let delivery = refresh(&mut ledger, &mut order);
        assert_eq!((delivery.relevant, ledger.freshness()), (vec![true, true], 1.0));
        assert_eq!(completeness(ledger.delivered, ledger.published), 3.0 / 4.0);
    }

    #[test]
    fn the_two_published_freshnesses_differ_once_an_item_leaves_the_feed() {
        let mut order = 0;
        let mut slow = Ledger::new(2);
        slow.publish(0.0, true);
        refresh(&mut slow, &mut order);
        let mut busy = Ledger::new(2);
        for at in 1..=5 {
            busy.publish(f64::from(at), true);
            refresh(&mut busy, &mut order);
        }
        // The window of the feed has the last four of six deliveries: the slow source has left it.
        assert_eq!(slow.freshness(), 1.0);
        assert_eq!(slow.freshness_in_window(order, 4), 0.0);
        assert_eq!(busy.freshness_in_window(order, 4), 1.0);
    }

    #[test]
    fn an_empty_window_is_fresh() {
        assert_eq!(Ledger::new(5).freshness(), 1.0);
    }

    #[test]
    fn the_saturation_coefficient_is_the_share_that_does_not_fit() {
        assert_eq!(saturation(20.0, 10.0, 1.0), 0.5);
        assert_eq!(saturation(5.0, 10.0, 1.0), 0.0);
    }

    #[test]
    fn delays_are_summarised_by_rank() {
        let delay = Delay::of((1..=100).map(f64::from).collect());
        assert_eq!((delay.mean, delay.median, delay.p95), (50.5, 50.0, 95.0));
        assert_eq!(Delay::of(vec![]), Delay::default());
    }

    #[test]
    fn the_estimate_counts_a_full_window_as_a_loss_of_what_was_expected_beyond_it() {
        let mut estimate = Estimate::default();
        estimate.refreshed(20, 25.0, true, 10.0, 20, 100.0);
        estimate.refreshed(5, 5.0, false, 2.5, 20, 100.0);
        assert_eq!(estimate.completeness(), Some(25.0 / 30.0));
        assert_eq!(estimate.freshness(), Some(1.0 - (0.5 + 0.125) / 2.0));
    }

    #[test]
    fn what_was_never_observed_is_not_known() {
        let mut estimate = Estimate::default();
        assert_eq!((estimate.completeness(), estimate.freshness()), (None, None));
        estimate.refreshed(0, 0.5, false, 0.25, 20, 100.0);
        assert_eq!(estimate.completeness(), None, "nothing was delivered");
        assert!(estimate.freshness().is_some_and(|share| share > 0.98));
    }
}
