//! Budget that follows worth across a mesh: what neighbours tell each other so that a refresh is made where it
//! brings the most to all readers, and not only to those of the node that makes it.
//!
//! Two local rules, and nobody knows the mesh:
//!
//! 1. **Worth travels up.** With every look a reader tells what an item of the feed is worth to it: the people
//!    who read it there, and what its own readers have told, times the share of items that it takes and had
//!    not got by another way. An [`Audience`] adds that up, so a feed knows through how many hands its
//!    items go. Used as the relevance of the sources, it makes utilities of different nodes comparable.
//! 2. **Budget flows to the higher price.** τ is the utility of the last refresh that a node can afford. When
//!    a reader and its upstream meet, a little budget passes from the lower τ to the higher ([`shift`]).
//!    What one gives the other gets, so the total stays; where all prices are equal no shift could
//!    gain anything, and none happens.
//!
//! Waiting adds up along the way, and utility is waiting saved, so the sum over all links of worth × utility is
//! the waiting of all readers together: separable and concave in the refreshes, which is why equal prices are
//! the optimum.
//!
//! Never: a worth that is negative or not finite, whoever tells it; budget made or lost by a shift; a node
//! left with less than its least.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Nobody is believed to be worth more.
const MOST_WORTH: f64 = 1e6;

/// Who gets what a feed publishes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Audience {
    own: f64,
    told: BTreeMap<u64, f64>,
}

impl Audience {
    /// A feed with so many readers of its own, as weights.
    pub fn new(own: f64) -> Self {
        Self { own: sane(own), told: BTreeMap::new() }
    }

    /// A node that reads the feed says what an item of it is worth there.
    pub fn tell(&mut self, reader: u64, worth: f64) {
        self.told.insert(reader, sane(worth));
    }

    /// A node reads the feed no longer.
    pub fn forget(&mut self, reader: u64) {
        self.told.remove(&reader);
    }

    /// What an item of the feed is worth to everybody.
    pub fn worth(&self) -> f64 {
        (self.own + self.told.values().sum::<f64>()).min(MOST_WORTH)
    }
}

fn sane(worth: f64) -> f64 {
    if worth.is_finite() { worth.clamp(0.0, MOST_WORTH) } else { 0.0 }
}

/// What a node says of itself where budget may be shifted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stand {
    /// Utility of the last refresh that it can afford: its τ. Whoever cannot spend what it has (it looks at
    /// everything as often as it may) has the least price there is, or its τ, which then stands still, would
    /// draw budget for ever.
    pub price: f64,
    /// Refreshes per cycle that it may spend.
    pub budget: f64,
    /// It keeps at least so many.
    pub least: f64,
}

/// Refreshes per cycle that pass from `giver` to `taker`; less than nothing if it is the other way round.
/// `eagerness` is the share of the smaller budget that passes where one price is e times the other, and the
/// most that ever passes.
pub fn shift(giver: &Stand, taker: &Stand, eagerness: f64) -> f64 {
    let sane = |stand: &Stand| stand.price > 0.0 && stand.price.is_finite() && stand.budget > 0.0;
    if !(sane(giver) && sane(taker) && eagerness > 0.0) {
        return 0.0;
    }
    let wanted = (taker.price.ln() - giver.price.ln()).clamp(-1.0, 1.0);
    let wanted = eagerness.min(1.0) * giver.budget.min(taker.budget) * wanted;
    let can_give = |stand: &Stand| (stand.budget - stand.least).max(0.0);
    wanted.clamp(-can_give(taker), can_give(giver))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stand(price: f64, budget: f64) -> Stand {
        Stand { price, budget, least: 1.0 }
    }

    #[test]
    fn worth_is_the_readers_here_and_what_is_told_of_those_behind() {
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
        assert_eq!(shift(&stand(5.0, 10.0), &stand(5.0, 20.0), 0.1), 0.0);
        // A tenth of the smaller budget where prices differ by e, and no more beyond.
        assert!((shift(&stand(1.0, 10.0), &stand(e, 20.0), 0.1) - 1.0).abs() < 1e-12);
        assert!((shift(&stand(1.0, 10.0), &stand(1e9, 20.0), 0.1) - 1.0).abs() < 1e-12);
        // Who has only the least gives nothing.
        assert_eq!(shift(&stand(1.0, 1.0), &stand(9.0, 20.0), 0.5), 0.0);
        assert_eq!(shift(&stand(f64::NAN, 5.0), &stand(9.0, 20.0), 0.5), 0.0);
        assert_eq!(shift(&stand(1.0, 5.0), &stand(0.0, 20.0), 0.5), 0.0);
    }

    /// Links whose waiting costs worth·rate/(2·refreshes): at equal prices refreshes go with the root of
    /// worth·rate.
    #[test]
    fn meeting_again_and_again_ends_at_the_optimum() {
        let weights = [40.0, 13.0, 4.0, 1.0, 1.0];
        let mut budgets = [2.0; 5];
        let price = |n: usize, budget: f64| weights[n] / (2.0 * budget * budget);
        for round in 0..4000 {
            // A chain of neighbours: nobody meets everybody.
            let (a, b) = (round % 4, round % 4 + 1);
            let stand =
                |n: usize| Stand { price: price(n, budgets[n]), budget: budgets[n], least: 0.1 };
            let passes = shift(&stand(a), &stand(b), 0.05);
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
        fn what_one_gives_the_other_gets_and_both_keep_their_least(
            prices in prop::array::uniform2(1e-6..1e6_f64),
            budgets in prop::array::uniform2(1e-3..1e3_f64),
            least in 0.0..10.0_f64,
            eagerness in 0.0..2.0_f64,
        ) {
            let stands = [0, 1].map(|n| Stand { price: prices[n], budget: budgets[n], least });
            let passes = shift(&stands[0], &stands[1], eagerness);
            prop_assert_eq!(passes, -shift(&stands[1], &stands[0], eagerness));
            prop_assert!(passes * (prices[1] - prices[0]) >= 0.0);
            for (budget, change) in [(budgets[0], -passes), (budgets[1], passes)] {
                prop_assert!(budget + change >= least.min(budget) - 1e-12);
            }
        }
    }
}
