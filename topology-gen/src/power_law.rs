//! Fits a power law P(k) ∝ k^−γ to the tail of a distribution of whole numbers.
//!
//! γ is the maximum-likelihood estimate for discrete values, normalised by the Hurwitz zeta function. The
//! tail begins where the Kolmogorov–Smirnov distance between the fit and the counts is least. The common
//! alternative, a straight line through a logarithmic histogram, is off by tenths.

use serde::Serialize;

/// A fitted tail.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PowerLaw {
    /// γ.
    pub exponent: f64,
    /// The tail begins at this value.
    pub from: u32,
    /// How many values are in the tail.
    pub values: usize,
    /// The largest difference between the fitted distribution and the counts.
    pub distance: f64,
}

/// A tail of fewer values is not fitted.
const LEAST_VALUES: usize = 50;
/// The most beginnings of the tail that are tried.
const MOST_BEGINNINGS: usize = 100;
/// The range that is searched for the exponent.
const EXPONENTS: (f64, f64) = (1.01, 12.0);

/// Fits the tail of these values. `None` if they are too few or too similar. Zeros are ignored.
pub fn fit(values: &[u32]) -> Option<PowerLaw> {
    let mut sorted: Vec<u32> = values.iter().copied().filter(|&value| value > 0).collect();
    sorted.sort_unstable();
    // (value, how often), ascending.
    let counts: Vec<(u32, usize)> =
        sorted.chunk_by(|a, b| a == b).map(|same| (same[0], same.len())).collect();
    let mut tail = sorted.len();
    let mut best: Option<PowerLaw> = None;
    for (index, &(_, count)) in counts.iter().enumerate().take(MOST_BEGINNINGS) {
        if tail < LEAST_VALUES || counts.len() - index < 3 {
            break;
        }
        let fitted = fit_from(&counts[index..], tail);
        if best.is_none_or(|best| fitted.distance < best.distance) {
            best = Some(fitted);
        }
        tail -= count;
    }
    best
}

impl PowerLaw {
    /// The share of the tail's values that are at least `value`, according to the fit.
    pub fn at_least(&self, value: u32) -> f64 {
        zeta(self.exponent, value) / zeta(self.exponent, self.from)
    }
}

fn fit_from(counts: &[(u32, usize)], values: usize) -> PowerLaw {
    let from = counts[0].0;
    let logs: f64 = counts.iter().map(|&(value, n)| n as f64 * f64::from(value).ln()).sum();
    let unlikely = |exponent: f64| exponent * logs + values as f64 * zeta(exponent, from).ln();
    let exponent = least(unlikely, EXPONENTS);
    let norm = zeta(exponent, from);
    let (mut below, mut distance) = (0, 0.0_f64);
    for &(value, n) in counts {
        // The difference just below each value that occurs, and at it.
        let fitted = |value: u32| 1.0 - zeta(exponent, value) / norm;
        distance = distance.max((fitted(value) - below as f64 / values as f64).abs());
        below += n;
        distance = distance.max((fitted(value + 1) - below as f64 / values as f64).abs());
    }
    PowerLaw { exponent, from, values, distance }
}

/// The minimum of a function that has only one (golden-section search).
fn least(f: impl Fn(f64) -> f64, (mut low, mut high): (f64, f64)) -> f64 {
    let golden = (5_f64.sqrt() - 1.0) / 2.0;
    let (mut a, mut b) = (high - golden * (high - low), low + golden * (high - low));
    let (mut fa, mut fb) = (f(a), f(b));
    while high - low > 1e-6 {
        if fa < fb {
            (high, b, fb) = (b, a, fa);
            a = high - golden * (high - low);
            fa = f(a);
        } else {
            (low, a, fa) = (a, b, fb);
            b = low + golden * (high - low);
            fb = f(b);
        }
    }
    (low + high) / 2.0
}

/// Σ k^−s over k ≥ from: the first terms exactly, the rest by the Euler–Maclaurin formula.
fn zeta(s: f64, from: u32) -> f64 {
    const SINGLY: u32 = 12;
    let head: f64 = (0..SINGLY).map(|k| (f64::from(from) + f64::from(k)).powf(-s)).sum();
    let n = f64::from(from) + f64::from(SINGLY);
    let power = n.powf(-s);
    head + n * power / (s - 1.0) + power / 2.0 + s * power / (12.0 * n)
        - s * (s + 1.0) * (s + 2.0) * power / (720.0 * n.powi(3))
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Draws from the exact distribution.
    fn drawn(exponent: f64, from: u32, count: usize, seed: u64) -> Vec<u32> {
        let law = PowerLaw { exponent, from, values: 0, distance: 0.0 };
        let table: Vec<f64> = (0..20_000).map(|k| law.at_least(from + k)).collect();
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let draw = |_| {
            let share: f64 = random.random();
            from + table.partition_point(|&at_least| at_least > share) as u32 - 1
        };
        (0..count).map(draw).collect()
    }

    #[test]
    fn zeta_has_known_values() {
        let pi = std::f64::consts::PI;
        assert!((zeta(2.0, 1) - pi * pi / 6.0).abs() < 1e-9);
        assert!((zeta(4.0, 1) - pi.powi(4) / 90.0).abs() < 1e-9);
        assert!((zeta(2.0, 3) - (pi * pi / 6.0 - 1.25)).abs() < 1e-9);
    }

    #[test]
    fn the_exponent_of_drawn_values_is_found() {
        for (exponent, seed) in [(1.8, 1), (2.5, 2), (3.2, 3)] {
            let law = fit(&drawn(exponent, 1, 20_000, seed)).unwrap();
            // The standard error of the estimate is about (γ − 1)/√n, here 0.01 to 0.02.
            assert!((law.exponent - exponent).abs() < 0.1, "{exponent}: {law:?}");
            assert!(law.distance < 0.02, "{law:?}");
        }
    }

    #[test]
    fn a_tail_begins_where_the_power_law_does() {
        // Below 10 all values are equally frequent, which is no power law.
        let mut values = drawn(2.5, 10, 5_000, 4);
        values.extend((0..20_000).map(|n| 1 + n % 9));
        let law = fit(&values).unwrap();
        assert!((9..=14).contains(&law.from), "{law:?}");
        assert!((law.exponent - 2.5).abs() < 0.15, "{law:?}");
    }

    #[test]
    fn few_values_or_equal_ones_have_no_tail() {
        assert_eq!(fit(&[]), None);
        assert_eq!(fit(&[3; 500]), None);
        assert_eq!(fit(&drawn(2.0, 1, 40, 5)), None);
    }
}
