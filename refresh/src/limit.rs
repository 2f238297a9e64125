//! An upper bound on the quality of any schedule.
//!
//! A node that only pulls and knows all rates cannot do better than with one price for all sources and,
//! for each source, the best interval at that price (a mixture of two neighbouring prices if the budget
//! falls between them). The bound holds for each objective separately; no schedule reaches both.

use crate::counts::Distribution;

/// A source with a constant rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steady {
    /// Items per cycle.
    pub rate: f64,
    /// The share of relevant items.
    pub selectivity: f64,
    pub window: u32,
}

/// What a schedule maximises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objective {
    /// The share of relevant items delivered.
    Completeness,
    /// The delivered share of the relevant items in the windows, averaged over sources.
    Freshness,
}

/// The longest interval considered, in cycles.
const LONGEST: usize = 400;

/// The highest mean quality with `budget` refreshes per cycle and known rates.
pub fn pull_only(sources: &[Steady], budget: f64, objective: Objective) -> f64 {
    let relevant: f64 = sources.iter().map(|s| s.rate * s.selectivity).sum();
    let weight = |source: &Steady| match objective {
        Objective::Completeness => source.rate * source.selectivity / relevant,
        Objective::Freshness => 1.0 / sources.len() as f64,
    };
    // gains[T − 1]: the weighted quality of a source at an interval of T cycles.
    let gains: Vec<Vec<f64>> = sources
        .iter()
        .map(|source| gains(source, objective).into_iter().map(|g| g * weight(source)).collect())
        .collect();
    let nothing: f64 = sources.iter().map(|s| unread(s, objective) * weight(s)).sum();
    let answer = |price: f64| -> (f64, f64) {
        let (mut quality, mut spent) = (nothing, 0.0);
        for (source, gains) in sources.iter().zip(&gains) {
            let base = unread(source, objective) * weight(source);
            let best = gains
                .iter()
                .enumerate()
                .map(|(i, gain)| (gain - base, 1.0 / (i as f64 + 1.0)))
                .max_by(|a, b| (a.0 - price * a.1).total_cmp(&(b.0 - price * b.1)));
            if let Some((gain, rate)) = best
                && gain > price * rate
            {
                quality += gain;
                spent += rate;
            }
        }
        (quality, spent)
    };
    // By duality, every price gives an upper bound: quality − price·(spent − budget). Take the lowest.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let price = 0.5 * (low + high);
        if answer(price).1 > budget { low = price } else { high = price }
    }
    let (quality, spent) = answer(high);
    (quality + high * (budget - spent).max(0.0)).min(1.0)
}

/// The quality of a source that is never refreshed: nothing is delivered, but a window without relevant
/// items is fresh.
fn unread(source: &Steady, objective: Objective) -> f64 {
    match objective {
        Objective::Completeness => 0.0,
        Objective::Freshness => (1.0 - source.selectivity).powi(source.window as i32),
    }
}

/// The quality at intervals of 1, 2, … cycles, measured after the refreshes of a cycle.
fn gains(source: &Steady, objective: Objective) -> Vec<f64> {
    let window = source.window as usize;
    let empty = unread(source, Objective::Freshness);
    let mut stale = 0.0;
    (1..=LONGEST)
        .map(|interval| {
            let cycles = interval as f64;
            let mean = source.rate * cycles;
            match objective {
                Objective::Completeness if mean == 0.0 => 1.0,
                Objective::Completeness => Distribution::poisson(mean).mean_up_to(window) / mean,
                Objective::Freshness => {
                    // All ages from 0 (just refreshed) to interval − 1 are equally frequent.
                    let quality = 1.0 - (1.0 - empty) * stale / cycles;
                    stale += Distribution::poisson(mean).mean_up_to(window) / window as f64;
                    quality
                }
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_source_with_half_a_budget_is_refreshed_every_other_cycle() {
        let source = Steady { rate: 1.0, selectivity: 1.0, window: 1 };
        let limit = pull_only(&[source], 0.5, Objective::Completeness);
        // min(N, 1) for two expected items, over two: (1 − e^−2)/2
        assert!((limit - (1.0 - (-2.0f64).exp()) / 2.0).abs() < 1e-6, "{limit}");
        // Fresh half the time, and stale by P(N ≥ 1) for one expected item otherwise.
        let limit = pull_only(&[source], 0.5, Objective::Freshness);
        assert!((limit - (1.0 - 0.5 * (1.0 - (-1.0f64).exp()))).abs() < 1e-6, "{limit}");
    }

    #[test]
    fn a_budget_for_everything_gives_perfect_quality() {
        let sources = vec![Steady { rate: 0.5, selectivity: 0.4, window: 50 }; 10];
        for objective in [Objective::Completeness, Objective::Freshness] {
            assert!(pull_only(&sources, 10.0, objective) > 0.999_999);
        }
    }

    #[test]
    fn more_budget_is_never_worse() {
        let sources: Vec<Steady> = (1..=30)
            .map(|i| Steady { rate: f64::from(i) * 0.2, selectivity: 0.4, window: 10 })
            .collect();
        let limits: Vec<f64> =
            (1..=30).map(|b| pull_only(&sources, f64::from(b), Objective::Completeness)).collect();
        assert!(limits.is_sorted(), "{limits:?}");
    }
}
