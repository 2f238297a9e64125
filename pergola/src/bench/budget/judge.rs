//! How well a source was followed, told from outside: what it published when, and when it was refreshed.

use pergola_refresh::quality::{Delay, Delivery, Ledger, completeness};
use serde::Serialize;

/// What happened to all sources.
#[derive(Debug, Clone, Default)]
pub(super) struct Record {
    /// When the first decision was made.
    pub(super) start: f64,
    /// What each source published.
    pub(super) streams: Vec<Stream>,
    /// When each source was refreshed, in order.
    pub(super) refreshes: Vec<Vec<f64>>,
}

/// What one source published.
#[derive(Debug, Clone, Default)]
pub(super) struct Stream {
    /// When its items appeared, in order.
    pub(super) times: Vec<f64>,
    /// Items that its document shows.
    pub(super) window: usize,
}

/// How well the sources were followed for a time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Quality {
    /// Refreshes per cycle.
    pub rate: f64,
    /// Share of the items published in that time that were delivered in it.
    pub completeness: f64,
    /// Share of the windows held, a mean over sources and time.
    pub freshness: f64,
    /// From publication to delivery.
    pub delay: Delay,
}

impl Record {
    /// Refreshes in each of the first `cycles` cycles.
    pub(super) fn counts(&self, cycle: f64, cycles: usize) -> Vec<u32> {
        let mut counts = vec![0; cycles];
        for at in self.refreshes.iter().flatten() {
            if let Some(count) = counts.get_mut(((at - self.start) / cycle) as usize) {
                *count += 1;
            }
        }
        counts
    }

    /// Quality from one instant to another.
    pub(super) fn quality(&self, from: f64, to: f64) -> Quality {
        let (mut published, mut delays, mut freshness) = (0, Vec::new(), 0.0);
        for (stream, refreshes) in self.streams.iter().zip(&self.refreshes) {
            published += stream.times.iter().filter(|&&at| at > from && at <= to).count();
            freshness += follow(stream, refreshes, from, to, &mut delays);
        }
        Quality {
            rate: 0.0,
            completeness: completeness(delays.len() as u64, published as u64),
            freshness: freshness / self.streams.len().max(1) as f64,
            delay: Delay::of(delays),
        }
    }
}

/// Follows one source until `to`; the delays of the items published since `from` are added, the mean
/// freshness since then is returned.
fn follow(stream: &Stream, refreshes: &[f64], from: f64, to: f64, delays: &mut Vec<f64>) -> f64 {
    let mut ledger = Ledger::new(stream.window);
    let (mut order, mut delivery) = (0, Delivery::default());
    let (mut times, mut refreshes) = (stream.times.iter().peekable(), refreshes.iter().peekable());
    let (mut held, mut since) = (0.0, from);
    loop {
        let next = |times: Option<&&f64>| times.map_or(f64::INFINITY, |at| **at);
        let (item, refresh) = (next(times.peek()), next(refreshes.peek()));
        let at = item.min(refresh).min(to);
        held += ledger.freshness() * (at - since).max(0.0);
        since = since.max(at);
        if at >= to {
            return held / (to - from);
        }
        if item <= refresh {
            ledger.publish(item, true);
            times.next();
        } else {
            ledger.refresh(&mut order, &mut delivery);
            delays.extend(delivery.new.iter().filter(|&&new| new > from).map(|new| refresh - new));
            refreshes.next();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_losses_and_freshness_are_told_from_outside() {
        let times = vec![10.0, 20.0, 30.0, 40.0, 90.0];
        let record = Record {
            start: 0.0,
            streams: vec![Stream { times, window: 2 }],
            refreshes: vec![vec![5.0, 50.0]],
        };
        let quality = record.quality(0.0, 100.0);
        // The refresh 50 finds the items of 30 and 40; 10 and 20 are lost, and 90 is not yet read.
        assert_eq!(quality.completeness, 2.0 / 5.0);
        assert_eq!(quality.delay.mean, 15.0);
        // Fresh while empty, stale from 10 to 50, fresh until 90, then half of it is missing.
        assert!((quality.freshness - (0.1 + 0.4 + 0.05)).abs() < 1e-9, "{}", quality.freshness);
        assert_eq!(record.counts(10.0, 6), [1, 0, 0, 0, 0, 1]);
    }

    #[test]
    fn what_came_before_the_time_that_is_judged_is_not_counted() {
        let streams = vec![Stream { times: vec![10.0, 60.0], window: 5 }];
        let record = Record { start: 0.0, streams, refreshes: vec![vec![20.0, 70.0]] };
        let quality = record.quality(50.0, 80.0);
        assert_eq!((quality.completeness, quality.delay.mean), (1.0, 10.0));
        // Two items in the window, of which one is missing for ten of thirty seconds.
        assert!((quality.freshness - (1.0 - 0.5 / 3.0)).abs() < 1e-9, "{}", quality.freshness);
    }
}
