//! The distribution of the number of items for a given mean: Poisson, or bursty (negative binomial with
//! variance = dispersion × mean).
//!
//! All questions of the schedulers about a window are sums over such a distribution: how many new items
//! are still visible, how many were pushed out, how likely saturation is. One loop over the probabilities
//! ([`Distribution::for_each`]) serves them all.

/// The distribution of a count with a given mean and dispersion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Distribution {
    mean: f64,
    /// Variance over mean; 1 is Poisson.
    dispersion: f64,
}

/// Sums over more items than this use bundles, so that a very large window does not make a refresh slow.
const LARGEST_FLOOR: f64 = 1000.0;

/// The size of a bundle for a sum over at least `floor` items.
pub(crate) fn bundle(floor: f64) -> f64 {
    (floor / LARGEST_FLOOR).max(1.0)
}

/// Below this logarithm, probabilities are computed in log space to avoid underflow.
const LOG_UNDERFLOW: f64 = -600.0;

impl Distribution {
    pub(crate) fn poisson(mean: f64) -> Self {
        Self::bursty(mean, 1.0)
    }

    pub(crate) fn bursty(mean: f64, dispersion: f64) -> Self {
        Self { mean: mean.max(0.0), dispersion: dispersion.max(1.0) }
    }

    /// Calls `f(k, P(N = k))` for k = 0, 1, … until `f` returns false.
    pub(crate) fn for_each(self, mut f: impl FnMut(usize, f64) -> bool) {
        let Self { mean, dispersion } = self;
        // P(k+1)/P(k) = (start + step·k)/(k + 1) holds for both families.
        let (log_first, start, step) = if dispersion - 1.0 < 1e-6 {
            (-mean, mean, 0.0)
        } else {
            let step = 1.0 - 1.0 / dispersion;
            let size = mean / (dispersion - 1.0);
            (-size * dispersion.ln(), size * step, step)
        };
        let ratio = |k: usize| (start + step * k as f64) / (k as f64 + 1.0);
        let mut k = 0;
        if log_first < LOG_UNDERFLOW {
            let mut log_p = log_first;
            while log_p < LOG_UNDERFLOW {
                // Far below the mean, where the probabilities are practically zero.
                if !f(k, 0.0) {
                    return;
                }
                log_p += ratio(k).ln();
                k += 1;
            }
            let mut p = log_p.exp();
            while f(k, p) {
                p *= ratio(k);
                k += 1;
            }
            return;
        }
        let mut p = log_first.exp();
        while f(k, p) {
            p *= ratio(k);
            k += 1;
        }
    }

    /// P(N ≥ k).
    pub(crate) fn at_least(self, k: usize) -> f64 {
        let mut below = 0.0;
        self.for_each(|i, p| {
            if i < k {
                below += p;
            }
            i + 1 < k
        });
        if k == 0 { 1.0 } else { (1.0 - below).max(0.0) }
    }

    /// P(N = k).
    pub(crate) fn exactly(self, k: usize) -> f64 {
        if self.mean == 0.0 {
            return f64::from(u8::from(k == 0));
        }
        let mut at = 0.0;
        self.for_each(|i, p| {
            at = p;
            i < k
        });
        at
    }

    /// E\[min(N, limit)\]: how many of the new items a window of `limit` still shows.
    pub(crate) fn mean_up_to(self, limit: usize) -> f64 {
        let mut below = 0.0;
        let mut sum = 0.0;
        self.for_each(|k, p| {
            if k >= limit {
                return false;
            }
            below += p;
            sum += (1.0 - below).max(0.0);
            true
        });
        sum.min(self.mean)
    }

    /// E\[N | N ≥ floor\] and E\[N² | N ≥ floor\], for a full window.
    pub(crate) fn moments_given_at_least(self, floor: usize) -> (f64, f64) {
        let (mut below, mut below_sum, mut below_squares) = (0.0, 0.0, 0.0);
        self.for_each(|k, p| {
            if k < floor {
                below += p;
                below_sum += p * k as f64;
                below_squares += p * (k * k) as f64;
            }
            k < floor
        });
        let floor = floor as f64;
        let tail = 1.0 - below;
        if tail > 1e-7 {
            let squares = self.mean * self.dispersion + self.mean * self.mean;
            let mean = ((self.mean - below_sum) / tail).max(floor);
            return (mean, ((squares - below_squares) / tail).max(mean * mean));
        }
        // Nearly impossible: the count is barely above the floor (a geometric tail).
        let ratio = (1.0 - 1.0 / self.dispersion + self.mean / (floor + 1.0)).min(0.9);
        let mean = floor + ratio / (1.0 - ratio);
        (mean, mean * mean + ratio / (1.0 - ratio).powi(2))
    }

    /// Σ_{k=1..n} k·P(N ≥ k+1): the freshness part of the refresh index, before its factor.
    pub(crate) fn staleness_sum(self, n: usize) -> f64 {
        let mut below = 0.0;
        let mut sum = 0.0;
        self.for_each(|k, p| {
            below += p;
            sum += k as f64 * (1.0 - below).max(0.0);
            k < n
        });
        sum
    }
}

/// A table of visible and lost items of a window by the mean count. Planners use it thousands of times
/// per decision.
#[derive(Debug, Clone)]
pub struct CountTable {
    step: f64,
    /// (E[min(N, shown)] / shown, E[N − window | positive part]) at mean = i·step.
    cells: Vec<(f32, f32)>,
    window: f64,
}

/// Cells per table. The mean runs up to about four windows; beyond, everything is saturated.
const TABLE_CELLS: usize = 256;

impl CountTable {
    /// A table for a window of `window` items, `shown` of which exist, with a given dispersion.
    pub fn new(shown: usize, window: usize, dispersion: f64) -> Self {
        let shown = shown.max(1);
        let last = (4.0 * window as f64 + 8.0) * dispersion.max(1.0).sqrt();
        let step = last / (TABLE_CELLS - 1) as f64;
        let cells = (0..TABLE_CELLS)
            .map(|i| {
                let mean = i as f64 * step;
                let counts = Distribution::bursty(mean, dispersion);
                let seen = counts.mean_up_to(shown);
                // Most sources show a full window, and this is most of the work.
                let kept = if window == shown { seen } else { counts.mean_up_to(window) };
                ((seen / shown as f64) as f32, (mean - kept).max(0.0) as f32)
            })
            .collect();
        Self { step, cells, window: window as f64 }
    }

    /// (unread share of the shown window, lost items) if `mean` items are expected.
    #[inline]
    pub fn at(&self, mean: f64) -> (f64, f64) {
        let position = mean / self.step;
        let cell = position as usize;
        if cell + 1 >= self.cells.len() {
            return (1.0, (mean - self.window).max(0.0));
        }
        let part = position - cell as f64;
        let (share, lost) = self.cells[cell];
        let (share_next, lost_next) = self.cells[cell + 1];
        (
            f64::from(share) + part * f64::from(share_next - share),
            f64::from(lost) + part * f64::from(lost_next - lost),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn poisson_probabilities_match_values_computed_by_hand() {
        let two = Distribution::poisson(2.0);
        let e2 = (-2.0f64).exp();
        assert!(close(two.exactly(0), e2));
        assert!(close(two.exactly(3), e2 * 8.0 / 6.0));
        assert!(close(two.at_least(2), 1.0 - 3.0 * e2));
        // E[min(N, 2)] = P(N≥1) + P(N≥2)
        assert!(close(two.mean_up_to(2), (1.0 - e2) + (1.0 - 3.0 * e2)));
        // E[N | N ≥ 1] = 2 / (1 − e^−2), and E[N²] = 2 + 4
        let (mean, square) = two.moments_given_at_least(1);
        assert!(close(mean, 2.0 / (1.0 - e2)) && close(square, 6.0 / (1.0 - e2)));
        // Σ_{k=1..2} k·P(N ≥ k+1) = P(N≥2) + 2·P(N≥3)
        assert!(close(two.staleness_sum(2), (1.0 - 3.0 * e2) + 2.0 * (1.0 - 5.0 * e2)));
    }

    #[test]
    fn bursty_counts_have_the_requested_mean_and_variance() {
        let counts = Distribution::bursty(6.0, 3.0);
        let (mut total, mut mean, mut square) = (0.0, 0.0, 0.0);
        counts.for_each(|k, p| {
            total += p;
            mean += p * k as f64;
            square += p * (k * k) as f64;
            k < 400
        });
        assert!(close(total, 1.0), "probabilities add up to {total}");
        assert!(close(mean, 6.0));
        assert!((square - mean * mean - 18.0).abs() < 1e-6);
    }

    #[test]
    fn large_means_neither_underflow_nor_blow_up() {
        let big = Distribution::poisson(5_000.0);
        assert!((big.mean_up_to(6_000) - 5_000.0).abs() < 1e-3);
        assert!((big.at_least(5_000) - 0.5).abs() < 0.01);
        assert!(big.moments_given_at_least(10).1.is_finite());
        assert!(close(Distribution::poisson(1e-12).moments_given_at_least(20).0, 20.0));
    }

    #[test]
    fn the_table_agrees_with_the_sums_it_replaces() {
        let table = CountTable::new(12, 20, 1.5);
        for mean in [0.0, 0.3, 4.0, 17.0, 40.0, 95.0, 1e4] {
            let counts = Distribution::bursty(mean, 1.5);
            let (share, lost) = table.at(mean);
            assert!((share - counts.mean_up_to(12) / 12.0).abs() < 0.005, "mean {mean}");
            assert!((lost - (mean - counts.mean_up_to(20))).abs() < 0.05, "mean {mean}");
        }
    }
}
