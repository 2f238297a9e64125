//! The figures of "Maintaining Dynamic Channel Profiles on the Web": profiles of channels under budgets.
//!
//! The 132 feeds of the paper are not available. With `--trace` the experiments run on recorded streams, otherwise
//! on a synthetic newsroom. An hour is one step of the paper, whose rates are per hour; documents show 20 items.

mod alone;
mod policies;
mod similarity;

pub(crate) use alone::{beta, convergence, window};
pub(crate) use policies::policies;
pub(crate) use similarity::similarity;

use pergola_newsroom::{Trace, random_stream};
use rand::RngExt;

use super::demo::synthesise;
use crate::channels::{TextWorld, mean};
use crate::report::Cell;
use crate::trials::Spread;

/// Channels in the paper.
const PUBLISHED_CHANNELS: usize = 132;
/// The random stream that draws channels from a trace.
const DRAWN: u64 = 1 << 43;

/// Where channels come from.
pub(crate) enum Origin {
    /// A recorded trace.
    Recorded(Trace),
    /// A synthetic newsroom.
    Newsroom { sources: usize, weeks: usize },
}

impl Origin {
    /// All channels of a trace, or the newsroom of a seed.
    pub(crate) fn whole(&self, seed: u64) -> TextWorld {
        match self {
            Self::Recorded(trace) => TextWorld::of(trace),
            Self::Newsroom { sources, weeks } => TextWorld::of(&synthesise(*sources, *weeks, seed)),
        }
    }

    /// The world of a seed: as many channels as in the paper, drawn from the trace, or another newsroom. Greedy
    /// policies use no random numbers, so only other channels show how reliable their figures are.
    fn drawn(&self, seed: u64) -> TextWorld {
        let Self::Recorded(trace) = self else {
            return self.whole(seed);
        };
        let mut random = random_stream(seed, DRAWN);
        let mut lots: Vec<(f64, usize)> =
            (0..trace.streams.len()).map(|stream| (random.random(), stream)).collect();
        lots.sort_by(|a, b| a.0.total_cmp(&b.0));
        lots.truncate(PUBLISHED_CHANNELS);
        let streams = lots.iter().map(|(_, stream)| trace.streams[*stream].clone()).collect();
        TextWorld::of(&Trace { streams, weeks: trace.weeks })
    }

    /// Channels and weeks of one world.
    fn size(&self) -> (usize, usize) {
        match self {
            Self::Recorded(trace) => (PUBLISHED_CHANNELS.min(trace.streams.len()), trace.weeks),
            Self::Newsroom { sources, weeks } => (*sources, *weeks),
        }
    }

    /// What the worlds are, for a note.
    fn says(&self, seeds: u64) -> String {
        match self {
            Self::Recorded(trace) => format!(
                "{seeds} worlds, each of {} of the trace's {} channels, drawn at random. They overlap, so the \
                 errors underestimate those for channels in general.",
                self.size().0,
                trace.streams.len()
            ),
            Self::Newsroom { sources, weeks } => {
                format!(
                    "{seeds} synthetic newsrooms, each of {sources} channels over {weeks} weeks."
                )
            }
        }
    }
}

/// A mean with its standard error.
fn with_error(spread: Spread, worlds: u64, decimals: usize) -> Cell {
    let error = spread.deviation / (worlds.max(1) as f64).sqrt();
    Cell::MeanDeviation { mean: spread.mean, deviation: error, decimals }
}

/// A published figure, ours, and the difference.
fn beside(published: Option<f64>, ours: f64, decimals: usize) -> [Cell; 3] {
    let number = |value| Cell::number(value, decimals);
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
