//! The node's manners, as the sites see them.
//!
//! A site knows when a request came to it and when it answered. The node may send the next one only when the answer
//! to the last one is read and the host has rested, so the time between an answer and the next request is at least
//! the spacing, however slow the site or the machine is.

use serde::{Deserialize, Serialize};

use super::{Args, CYCLE};

/// A decision may spend ten cycles of budget that were saved and ten ahead of time.
const SAVED_AND_AHEAD: f64 = 20.0;

/// A request, by the clock of the site.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Visit {
    /// Which document.
    pub(super) path: usize,
    pub(super) came: f64,
    pub(super) answered: f64,
}

/// How the node behaved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Manners {
    /// Requests to the host with many sources.
    pub requests: usize,
    /// Sources there that were asked.
    pub sources: usize,
    /// Requests there for a source that had just been asked.
    pub repeated: usize,
    /// The shortest rest of that host, in milliseconds.
    pub rest_ms: f64,
    /// The most requests at one time there.
    pub at_once: usize,
    /// Requests for the one large document.
    pub flood_requests: usize,
    /// Requests for news, which the operator asks for.
    pub news_requests: usize,
    /// Requests of the scheduler a minute, from the first to the last of the many sources.
    pub per_minute: f64,
    /// How far requests were ahead of the budget, at most.
    pub ahead: f64,
    /// How far they may be.
    pub may_be_ahead: f64,
}

/// Judges what three hosts have seen since the storm began at `mark`.
pub(super) fn judge(
    args: &Args,
    crowd: &[Visit],
    flood: &[Visit],
    news: &[Visit],
    mark: f64,
) -> Manners {
    let mut crowd = crowd.to_vec();
    crowd.sort_by(|a, b| a.came.total_cmp(&b.came));
    let mut paths: Vec<usize> = crowd.iter().map(|visit| visit.path).collect();
    paths.sort_unstable();
    paths.dedup();
    // The operator asks for the news, which costs no budget.
    let mut all: Vec<f64> = crowd.iter().chain(flood).map(|visit| visit.came - mark).collect();
    all.retain(|came| *came >= 0.0);
    all.sort_by(f64::total_cmp);
    let last = crowd.last().map_or(0.0, |visit| visit.came - mark);
    let until_last = all.iter().filter(|came| **came <= last).count();
    let per_second = args.budget / 60.0;
    Manners {
        requests: crowd.len(),
        sources: paths.len(),
        repeated: crowd.len() - paths.len(),
        rest_ms: 1e3 * rest(&crowd),
        at_once: at_once(&crowd),
        flood_requests: flood.len(),
        news_requests: news.len(),
        per_minute: until_last as f64 / (last / 60.0),
        ahead: ahead(&all, per_second),
        may_be_ahead: per_second * CYCLE * (SAVED_AND_AHEAD + 1.0),
    }
}

/// The shortest time from an answer to the next request.
fn rest(visits: &[Visit]) -> f64 {
    let rests = visits.windows(2).map(|pair| pair[1].came - pair[0].answered);
    rests.fold(f64::INFINITY, f64::min)
}

/// The most visits at one time.
fn at_once(visits: &[Visit]) -> usize {
    let begins = visits.iter().map(|visit| (visit.came, 1));
    let ends = visits.iter().map(|visit| (visit.answered, -1));
    let mut changes: Vec<(f64, isize)> = begins.chain(ends).collect();
    changes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let (mut now, mut most) = (0, 0);
    for (_, change) in changes {
        now += change;
        most = most.max(now);
    }
    most.unsigned_abs()
}

/// By how many requests a budget was ever exceeded since the start, at most.
fn ahead(requests: &[f64], per_second: f64) -> f64 {
    let excess = |(number, came): (usize, &f64)| (number + 1) as f64 - per_second * came;
    requests.iter().enumerate().map(excess).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visit(path: usize, came: f64, answered: f64) -> Visit {
        Visit { path, came, answered }
    }

    #[test]
    fn rests_are_counted_from_an_answer_to_the_next_request() {
        let visits = [visit(0, 0.0, 0.25), visit(1, 0.75, 1.0), visit(2, 1.25, 1.5)];
        assert_eq!(rest(&visits), 0.25);
        assert_eq!(at_once(&visits), 1);
        let impolite = [visit(0, 0.0, 2.0), visit(1, 1.0, 1.5)];
        assert_eq!((rest(&impolite), at_once(&impolite)), (-1.0, 2));
    }

    #[test]
    fn a_budget_is_exceeded_by_what_comes_too_early() {
        // One a second is allowed.
        assert_eq!(ahead(&[0.0, 1.0, 2.0], 1.0), 1.0);
        assert_eq!(ahead(&[0.0, 0.0, 0.0, 10.0], 1.0), 3.0);
        assert_eq!(ahead(&[5.0, 5.0], 1.0), 0.0);
    }

    #[test]
    fn what_happened_before_the_storm_counts_for_no_budget_but_for_manners() {
        let args = Args { budget: 60.0, ..Args::small() };
        let crowd = [visit(0, 100.0, 100.5), visit(1, 101.0, 101.5), visit(0, 102.0, 102.5)];
        let judged = judge(&args, &crowd, &[], &[visit(0, 1.0, 1.0)], 100.0);
        assert_eq!((judged.requests, judged.sources, judged.repeated), (3, 2, 1));
        assert_eq!((judged.rest_ms, judged.news_requests), (500.0, 1));
        assert_eq!((judged.per_minute, judged.ahead), (90.0, 1.0));
    }
}
