//! What must hold under overload, and whether it did.

use std::fmt;

use serde::Serialize;

use super::callbacks::answering;
use super::origin::ITEMS_EACH;
use super::{Args, Report};

/// What the answers to a normal reader may take, of what they take while the node is idle.
const SLOWER: f64 = 5.0;

/// How a figure is compared with its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// It may not be more.
    AtMost,
    /// It may not be less.
    AtLeast,
    /// It may be nothing else.
    Exactly,
}

/// One condition.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Condition {
    /// What is measured.
    pub what: &'static str,
    /// What was measured.
    pub figure: f64,
    /// How it is compared.
    pub bound: Bound,
    /// With what.
    pub limit: f64,
    /// Whether it held.
    pub kept: bool,
}

impl Condition {
    fn new(what: &'static str, figure: f64, bound: Bound, limit: f64) -> Self {
        let kept = match bound {
            Bound::AtMost => figure <= limit,
            Bound::AtLeast => figure >= limit,
            Bound::Exactly => figure == limit,
        };
        Self { what, figure, bound, limit, kept }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, figure, bound, limit, kept } = self;
        let sign = match bound {
            Bound::AtMost => "≤",
            Bound::AtLeast => "≥",
            Bound::Exactly => "=",
        };
        let verdict = if *kept { "ok" } else { "MISSED" };
        let places = |value: f64| if value.fract() == 0.0 { 0 } else { 2 };
        let (shown, most) = (places(*figure), places(*limit));
        writeln!(f, "  {what:52} {figure:>12.shown$}   {sign} {limit:>10.most$}   {verdict}")
    }
}

/// All conditions, in the order of the load that they belong to.
pub(super) fn conditions(args: &Args, report: &Report) -> Vec<Condition> {
    [serving(args, report), crawling(args, report), telling(args, report), keeping(args, report)]
        .concat()
}

fn serving(args: &Args, report: &Report) -> Vec<Condition> {
    let Report { idle, loaded, most_open, least_open, crowd, .. } = report;
    let swift = args.connections.saturating_sub(args.slow);
    let turned_away = crowd.shed + crowd.storm_shed;
    vec![
        at_most("p99 of a normal reader, of that while idle", loaded.p99_ms / idle.p99_ms, SLOWER),
        none("requests of that reader without an answer", loaded.failed as u64),
        at_least("connections at once", *most_open as f64, args.connections as f64),
        at_least("… and at any time of the crawl", *least_open as f64, swift as f64),
        none("clients told to come back (503)", turned_away),
        none("clients left without an answer", crowd.lost + crowd.storm_lost),
        at_most(
            "peak memory, MB",
            report.state.usage.peak as f64 / 1e6,
            report.memory as f64 / 1e6,
        ),
    ]
}

fn crawling(args: &Args, report: &Report) -> Vec<Condition> {
    let manners = &report.manners;
    vec![
        exactly("new items of one document", report.state.flood, args.items),
        exactly("… and refreshes that they took", manners.flood_requests as u64, 1),
        exactly("sources of one host refreshed", manners.sources as u64, args.sources),
        none("… and refreshed again before their time", manners.repeated as u64),
        at_least("shortest rest of that host, ms", manners.rest_ms, args.spacing),
        exactly("most requests to that host at once", manners.at_once as u64, 1),
        at_most("requests ahead of the budget", manners.ahead, manners.may_be_ahead),
        none("refreshes that failed", report.state.failed),
    ]
}

fn telling(args: &Args, report: &Report) -> Vec<Condition> {
    let Report { watchers, callbacks, news, .. } = report;
    let callbacks_that_answer = answering(args.callbacks);
    vec![
        exactly("entries that every watcher has", watchers.everybody, *news),
        none("… left out or repeated", watchers.gaps + watchers.repeats),
        none("streams of watchers that ended", watchers.broken),
        exactly(
            "callbacks that answer and have all news",
            callbacks.complete as u64,
            callbacks_that_answer,
        ),
    ]
}

fn keeping(args: &Args, report: &Report) -> Vec<Condition> {
    let kept = &report.kept;
    let published = args.items + args.sources * ITEMS_EACH + report.news;
    vec![
        exactly("entries in the feed of everything", report.state.all, published),
        none("items lost", kept.lost as u64),
        none("items twice, or never published", (kept.twice + kept.strange) as u64),
        none("numbers left out", kept.gaps),
    ]
}

fn at_most(what: &'static str, figure: f64, limit: f64) -> Condition {
    Condition::new(what, figure, Bound::AtMost, limit)
}

fn at_least(what: &'static str, figure: f64, limit: f64) -> Condition {
    Condition::new(what, figure, Bound::AtLeast, limit)
}

fn exactly(what: &'static str, figure: u64, wanted: usize) -> Condition {
    Condition::new(what, figure as f64, Bound::Exactly, wanted as f64)
}

fn none(what: &'static str, figure: u64) -> Condition {
    exactly(what, figure, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_beyond_its_limit_is_missed() {
        let row = |bound, figure| Condition::new("it", figure, bound, 5.0);
        assert!(row(Bound::AtMost, 5.0).kept && !row(Bound::AtMost, 5.1).kept);
        assert!(row(Bound::AtLeast, 5.0).kept && !row(Bound::AtLeast, 4.9).kept);
        assert!(row(Bound::Exactly, 5.0).kept && !row(Bound::Exactly, 6.0).kept);
        assert!(!row(Bound::AtMost, f64::NAN).kept, "what was not measured was not kept");
        assert!(!none("it", 1).kept && none("it", 0).kept);
        assert!(row(Bound::AtMost, 7.25).to_string().ends_with("7.25   ≤          5   MISSED\n"));
    }
}
