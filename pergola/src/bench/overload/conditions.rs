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
    use Bound::{AtLeast, AtMost, Exactly};
    let Report { idle, loaded, most_open, crowd, manners, watchers, callbacks, kept, .. } = report;
    let count = |number: usize| number as f64;
    let slower = loaded.p99_ms / idle.p99_ms;
    let many = (args.sources * ITEMS_EACH) as u64;
    let new = Condition::new;
    vec![
        new("p99 of a normal reader, of that while idle", slower, AtMost, SLOWER),
        new("requests of that reader without an answer", count(loaded.failed), Exactly, 0.0),
        new("connections at once", *most_open as f64, AtLeast, count(args.connections)),
        new(
            "clients told to come back (503)",
            (crowd.shed + crowd.storm_shed) as f64,
            Exactly,
            0.0,
        ),
        new("clients left without an answer", (crowd.lost + crowd.storm_lost) as f64, Exactly, 0.0),
        new("items of one refresh", report.state.flood as f64, Exactly, count(args.items)),
        new("… and refreshes that they took", count(manners.flood_requests), Exactly, 1.0),
        new("sources of one host refreshed", count(manners.sources), Exactly, count(args.sources)),
        new("… and refreshed again before their time", count(manners.repeated), Exactly, 0.0),
        new("shortest rest of that host, ms", manners.rest_ms, AtLeast, args.spacing),
        new("requests to that host at once", count(manners.at_once), AtMost, 1.0),
        new("requests a minute, on average", manners.per_minute, AtMost, report.most_per_minute),
        new("requests ahead of the budget", manners.ahead, AtMost, manners.may_be_ahead),
        new(
            "entries that every watcher has",
            watchers.everybody as f64,
            Exactly,
            count(report.news),
        ),
        new("… left out or repeated", (watchers.gaps + watchers.repeats) as f64, Exactly, 0.0),
        new(
            "callbacks with all the news",
            count(callbacks.complete),
            Exactly,
            count(answering(args.callbacks)),
        ),
        new("peak memory, MB", report.state.usage.peak as f64 / 1e6, AtMost, report.memory / 1e6),
        new("items lost", count(kept.lost), Exactly, 0.0),
        new("items twice, or never published", count(kept.twice + kept.strange), Exactly, 0.0),
        new("numbers left out", kept.gaps as f64, Exactly, 0.0),
        new(
            "entries in the feed of everything",
            report.state.all as f64,
            Exactly,
            (args.items as u64 + many) as f64 + count(report.news),
        ),
    ]
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
        assert!(row(Bound::AtMost, 7.25).to_string().ends_with("7.25   ≤          5   MISSED\n"));
    }
}
