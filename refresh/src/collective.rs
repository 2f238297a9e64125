//! Lets nodes that read each other share a budget, so that refreshes happen where they help most readers
//! in the whole mesh.
//!
//! There are two local rules; no node knows the whole mesh.
//!
//! 1. **Worth travels upstream.** With every refresh a reader reports what an item of the feed is worth to
//!    it: its own readers, plus the worth that its readers have reported, times the share of items that
//!    it keeps and has not received another way. An [`Audience`] adds this up, so that a feed knows its
//!    readers at all distances. Used as the relevance of sources, it makes utilities of different nodes
//!    comparable.
//! 2. **Budget flows to the higher price.** τ is the utility of the last refresh that a node can afford.
//!    When a reader and its upstream meet, a little budget moves from the lower τ to the higher
//!    ([`shift`]). One node receives what the other gives, so the total stays the same. If all prices
//!    are equal, no shift would help, and none happens.
//!
//! Waiting times add up along a path, and utility is waiting time saved. So the sum of worth × utility
//! over all links is the waiting time of all readers. It is separable and concave in the refreshes, so
//! that equal prices are optimal.
//!
//! Invariants: no reported worth is negative or infinite; a shift neither creates nor loses budget; no
//! node falls below its minimum.

use std::collections::BTreeMap;

/// A larger reported worth is not trusted.
const MOST_WORTH: f64 = 1e6;

/// The readers of a feed.
#[derive(Debug, Clone, PartialEq)]
pub struct Audience {
    own: f64,
    told: BTreeMap<u64, f64>,
}

impl Audience {
    /// `own` is the total weight of the readers on this node.
    pub fn new(own: f64) -> Self {
        Self { own: sane(own), told: BTreeMap::new() }
    }

    /// Records what an item is worth to a node that reads the feed.
    pub fn tell(&mut self, reader: u64, worth: f64) {
        self.told.insert(reader, sane(worth));
    }

    /// A node no longer reads the feed.
    pub fn forget(&mut self, reader: u64) {
        self.told.remove(&reader);
    }

    /// What an item of the feed is worth to all readers.
    pub fn worth(&self) -> f64 {
        (self.own + self.told.values().sum::<f64>()).min(MOST_WORTH)
    }
}

fn sane(worth: f64) -> f64 {
    if worth.is_finite() { worth.clamp(0.0, MOST_WORTH) } else { 0.0 }
}

/// What a node offers when it exchanges budget with a neighbour.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Offer {
    /// Its τ: the utility of the last refresh that it can afford. A node that cannot spend its budget must
    /// set the lowest possible price, or its constant τ would attract budget for ever.
    pub price: f64,
    /// Refreshes per cycle.
    pub budget: f64,
    /// The budget that it keeps in any case.
    pub least: f64,
}

/// Refreshes per cycle that move from `giver` to `taker`; negative if they move the other way.
/// `eagerness` is the share of the smaller budget that moves if one price is e times the other or more.
pub fn shift(giver: &Offer, taker: &Offer, eagerness: f64) -> f64 {
    let sane = |offer: &Offer| offer.price > 0.0 && offer.price.is_finite() && offer.budget > 0.0;
    if !(sane(giver) && sane(taker) && eagerness > 0.0) {
        return 0.0;
    }
    let wanted = (taker.price.ln() - giver.price.ln()).clamp(-1.0, 1.0);
    let wanted = eagerness.min(1.0) * giver.budget.min(taker.budget) * wanted;
    let can_give = |offer: &Offer| (offer.budget - offer.least).max(0.0);
    wanted.clamp(-can_give(taker), can_give(giver))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn offer(price: f64, budget: f64) -> Offer {
        Offer { price, budget, least: 1.0 }
    }

    #[test]
    fn worth_adds_own_readers_and_reported_ones() {
        let mut feed = Audience::new(1.0);
        feed.tell(7, 3.0);
        feed.tell(9, 0.5);
        assert_eq!(feed.worth(), 4.5);
        feed.tell(7, 1.0);
        assert_eq!(feed.worth(), 2.5);
        feed.forget(9);
        assert_eq!(feed.worth(), 2.0);
        for nonsense in [f64::NAN, f64::INFINITY, -1.0] {
            feed.tell(7, nonsense);
            assert_eq!(feed.worth(), 1.0, "{nonsense}");
        }
        feed.tell(7, 1e300);
        assert_eq!(feed.worth(), MOST_WORTH);
    }

    #[test]
    fn budget_flows_to_the_higher_price_and_stays_where_prices_are_equal() {
        let e = std::f64::consts::E;
        assert_eq!(shift(&offer(5.0, 10.0), &offer(5.0, 20.0), 0.1), 0.0);
        // A tenth of the smaller budget if prices differ by e, and no more beyond.
        assert!((shift(&offer(1.0, 10.0), &offer(e, 20.0), 0.1) - 1.0).abs() < 1e-12);
        assert!((shift(&offer(1.0, 10.0), &offer(1e9, 20.0), 0.1) - 1.0).abs() < 1e-12);
        // A node with only its minimum gives nothing.
        assert_eq!(shift(&offer(1.0, 1.0), &offer(9.0, 20.0), 0.5), 0.0);
        assert_eq!(shift(&offer(f64::NAN, 5.0), &offer(9.0, 20.0), 0.5), 0.0);
        assert_eq!(shift(&offer(1.0, 5.0), &offer(0.0, 20.0), 0.5), 0.0);
    }

    /// The waiting of a link costs worth·rate/(2·refreshes), so that at equal prices refreshes are
    /// proportional to the root of worth·rate.
    #[test]
    fn repeated_shifts_converge_to_the_optimum() {
        let weights = [40.0, 13.0, 4.0, 1.0, 1.0];
        let mut budgets = [2.0; 5];
        let price = |n: usize, budget: f64| weights[n] / (2.0 * budget * budget);
        for round in 0..4000 {
            // A chain of neighbours: no node meets all others.
            let (a, b) = (round % 4, round % 4 + 1);
            let offer =
                |n: usize| Offer { price: price(n, budgets[n]), budget: budgets[n], least: 0.1 };
            let passes = shift(&offer(a), &offer(b), 0.05);
            budgets[a] -= passes;
            budgets[b] += passes;
        }
        let roots: f64 = weights.iter().map(|weight: &f64| weight.sqrt()).sum();
        for (budget, weight) in budgets.iter().zip(weights) {
            let best = 10.0 * weight.sqrt() / roots;
            assert!((budget - best).abs() < 0.01 * best, "{budget} instead of {best}");
        }
    }

    proptest! {
        #[test]
        fn a_shift_is_symmetric_and_both_nodes_keep_their_minimum(
            prices in prop::array::uniform2(1e-6..1e6_f64),
            budgets in prop::array::uniform2(1e-3..1e3_f64),
            least in 0.0..10.0_f64,
            eagerness in 0.0..2.0_f64,
        ) {
            let offers = [0, 1].map(|n| Offer { price: prices[n], budget: budgets[n], least });
            let passes = shift(&offers[0], &offers[1], eagerness);
            prop_assert_eq!(passes, -shift(&offers[1], &offers[0], eagerness));
            prop_assert!(passes * (prices[1] - prices[0]) >= 0.0);
            for (budget, change) in [(budgets[0], -passes), (budgets[1], passes)] {
                prop_assert!(budget + change >= least.min(budget) - 1e-12);
            }
        }
    }
}
