//! The cosine of the ideal and the kept profile at any moment. An item that comes or goes costs only its own
//! terms, not all terms of both profiles.

use rustc_hash::FxHashMap;

/// Two profiles whose cosine is always known: its products are updated term by term.
#[derive(Default)]
pub(super) struct Comparison {
    /// How often the ideal and the kept profile have each term.
    counts: FxHashMap<u32, [i32; 2]>,
    squares: [f64; 2],
    product: f64,
}

/// The numbers of the two profiles.
pub(super) const IDEAL: usize = 0;
pub(super) const KEPT: usize = 1;

impl Comparison {
    /// Adds terms to one of the profiles (`by` 1) or removes them (−1).
    pub(super) fn change(&mut self, terms: &[u32], weights: &[f64], which: usize, by: i32) {
        for term in terms {
            let weight = weights[*term as usize];
            let counts = self.counts.entry(*term).or_default();
            let before = counts[which];
            counts[which] += by;
            self.squares[which] += weight * f64::from(counts[which].pow(2) - before.pow(2));
            self.product += weight * f64::from(by * counts[1 - which]);
            if *counts == [0, 0] {
                self.counts.remove(term);
            }
        }
    }

    pub(super) fn cosine(&self) -> f64 {
        let lengths = (self.squares[0] * self.squares[1]).sqrt();
        if lengths > 1e-9 { (self.product / lengths).clamp(0.0, 1.0) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cosine_follows_every_change() {
        let weights = [1.0, 4.0];
        let mut comparison = Comparison::default();
        comparison.change(&[0, 1], &weights, IDEAL, 1);
        assert_eq!(comparison.cosine(), 0.0);
        comparison.change(&[0], &weights, KEPT, 1);
        // (1, 2) and (1, 0), weighed: 1/√5.
        assert!((comparison.cosine() - 0.2f64.sqrt()).abs() < 1e-12);
        comparison.change(&[0], &weights, IDEAL, -1);
        assert_eq!(comparison.cosine(), 0.0);
        comparison.change(&[1], &weights, KEPT, 1);
        comparison.change(&[0], &weights, KEPT, -1);
        assert!((comparison.cosine() - 1.0).abs() < 1e-12);
        assert_eq!(comparison.counts.len(), 1);
    }
}
