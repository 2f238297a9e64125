//! The figures of "Maintaining Dynamic Channel Profiles on the Web": profiles of channels under budgets.
//!
//! The paper's 132 feeds are not to be had. With `--trace` these run on recorded streams, else on a synthetic
//! newsroom. An hour is one moment of the paper, whose rates are per hour; documents show 20 items.

mod alone;
mod together;

pub(crate) use alone::{beta, convergence, window};
pub(crate) use together::{policies, similarity};

use crate::channels::mean;
use crate::report::Cell;

/// A published figure beside ours and the deviation.
fn beside(published: Option<f64>, ours: f64, decimals: usize) -> [Cell; 3] {
    let number = |value| Cell::Number { value, decimals };
    match published {
        Some(published) => [number(published), number(ours), number(ours - published)],
        None => [Cell::Empty, number(ours), Cell::Empty],
    }
}

/// The rank correlation of two series; equal values share the mean of their ranks.
fn spearman(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (ranks(a), ranks(b));
    let (mean_a, mean_b) = (mean(&a), mean(&b));
    let (mut both, mut of_a, mut of_b) = (0.0, 0.0, 0.0);
    for (x, y) in a.iter().zip(&b) {
        both += (x - mean_a) * (y - mean_b);
        of_a += (x - mean_a).powi(2);
        of_b += (y - mean_b).powi(2);
    }
    if of_a * of_b > 0.0 { both / (of_a * of_b).sqrt() } else { 0.0 }
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for group in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let rank = before as f64 + (group.len() - 1) as f64 / 2.0;
        group.iter().for_each(|&n| ranks[n] = rank);
        before += group.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_correlation_is_as_computed_by_hand() {
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[10.0, 100.0, 1000.0]), 1.0);
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]), -1.0);
        // Ranks 0 1 2 3 against 1 0 3 2: 1 − 6·4/(4·15).
        assert!((spearman(&[1.0, 2.0, 3.0, 4.0], &[2.0, 1.0, 4.0, 3.0]) - 0.6).abs() < 1e-12);
        assert_eq!(ranks(&[5.0, 1.0, 5.0]), [1.5, 0.0, 1.5]);
        assert_eq!(spearman(&[1.0, 1.0], &[1.0, 2.0]), 0.0);
    }
}
