//! What a chain did to the items, hop by hop, told from outside.

use pergola_refresh::quality::{Delay, completeness};
use serde::Serialize;

use super::{Args, ON_THE_WAY, UNIT};

/// What was measured at one node.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Hop {
    /// The share of the items that came there.
    pub completeness: f64,
    /// Seconds from publication at the source until they could be read there, on average.
    pub mean: f64,
    /// The same, of the item in the middle.
    pub median: f64,
    /// Requests per relayed source in ten minutes.
    pub requests: f64,
}

/// The time in which items count.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) from: f64,
    pub(super) to: f64,
}

impl Span {
    /// For a chain that started then.
    pub(super) fn of(args: &Args, start: f64) -> Self {
        let from = start + args.warmup * 3_600.0;
        Self { from, to: from + args.measured * 3_600.0 }
    }

    /// When the last of the items must have arrived.
    pub(super) fn end(self) -> f64 {
        self.to + ON_THE_WAY * UNIT
    }

    fn counts(self, published: f64) -> bool {
        published > self.from && published <= self.to
    }

    /// What became of `published` items, by those that came as (published, arrived), and what was asked
    /// for them.
    pub(super) fn hop(
        self,
        published: impl Iterator<Item = f64>,
        came: impl Iterator<Item = (f64, f64)>,
        requests: u64,
        relayed: usize,
    ) -> Hop {
        let all = published.filter(|&at| self.counts(at)).count() as u64;
        let ages: Vec<f64> =
            came.filter(|&(at, _)| self.counts(at)).map(|(at, arrived)| arrived - at).collect();
        let units = (self.to - self.from) / UNIT;
        let completeness = completeness(ages.len() as u64, all);
        let Delay { mean, median, .. } = Delay::of(ages);
        Hop { completeness, mean, median, requests: requests as f64 / relayed as f64 / units }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_published_in_time_counts_and_what_did_not_come_is_missing() {
        let span = Span { from: 0.0, to: 2.0 * UNIT };
        let published = [-5.0, 10.0, 20.0, 30.0, 40.0, 5_000.0];
        let came = [(-5.0, 1.0), (10.0, 15.0), (20.0, 35.0), (30.0, 55.0)];
        let hop = span.hop(published.into_iter(), came.into_iter(), 12, 3);
        assert_eq!(hop, Hop { completeness: 0.75, mean: 15.0, median: 15.0, requests: 2.0 });
    }
}
