//! The last hours of a node as charts and as a table.

use maud::{Markup, html};
use pergola_api::Instant;
use pergola_api::operation::{MinuteSample, NodeStatus};

use super::live_figures;
use crate::chart::{Bar, Bars, Line};
use crate::figures::{number, percent};
use crate::words::counted;

const HOUR: f64 = 3_600.0;

/// How far back the charts go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Period {
    /// A day, in intervals of 15 minutes.
    #[default]
    Day,
    /// A week, in intervals of two hours.
    Week,
}

impl Period {
    /// What an address calls it.
    pub fn code(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
        }
    }

    /// What an address calls so; a day for anything else.
    pub fn of(code: &str) -> Self {
        if code == Self::Week.code() { Self::Week } else { Self::Day }
    }

    /// The interval of the charts that an instant is in, by its number.
    pub fn interval_at(self, now: f64) -> f64 {
        (now / self.interval()).floor()
    }

    /// How far back it goes, in seconds.
    pub fn seconds(self) -> f64 {
        match self {
            Self::Day => 24.0 * HOUR,
            Self::Week => 168.0 * HOUR,
        }
    }

    /// An interval of the charts, in seconds.
    fn interval(self) -> f64 {
        match self {
            Self::Day => HOUR / 4.0,
            Self::Week => 2.0 * HOUR,
        }
    }

    /// An interval of the strip and of the table.
    fn long_interval(self) -> f64 {
        match self {
            Self::Day => HOUR,
            Self::Week => 8.0 * HOUR,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Day => "the last 24 hours",
            Self::Week => "the last 7 days",
        }
    }
}

/// The figures of one interval.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Interval {
    from: f64,
    minutes: f64,
    refreshes: f64,
    unchanged: f64,
    failed: f64,
    budget: f64,
    threshold: f64,
    freshness: Mean,
    completeness: Mean,
}

/// A mean of what is known.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Mean {
    sum: f64,
    count: f64,
}

impl Mean {
    fn add(&mut self, value: Option<f64>) {
        if let Some(value) = value {
            self.sum += value;
            self.count += 1.0;
        }
    }

    fn value(self) -> Option<f64> {
        (self.count > 0.0).then(|| self.sum / self.count)
    }
}

impl Interval {
    fn add(&mut self, sample: &MinuteSample) {
        self.minutes += 1.0;
        self.refreshes += f64::from(sample.refreshes);
        self.unchanged += f64::from(sample.not_modified);
        self.failed += f64::from(sample.failures);
        self.budget += sample.budget;
        self.threshold += sample.threshold;
        self.freshness.add(sample.freshness);
        self.completeness.add(sample.completeness);
    }

    fn news(&self) -> f64 {
        (self.refreshes - self.unchanged - self.failed).max(0.0)
    }

    fn spent(&self) -> Option<f64> {
        (self.budget > 0.0).then(|| self.refreshes / self.budget)
    }

    fn threshold(&self) -> Option<f64> {
        (self.minutes > 0.0).then(|| self.threshold / self.minutes)
    }
}

/// The intervals until now; those in which the node did not run are empty.
fn intervals(samples: &[MinuteSample], length: f64, seconds: f64, now: f64) -> Vec<Interval> {
    let last = (now / length).floor();
    let many = (seconds / length).round().max(1.0);
    let first = last - many + 1.0;
    let at = |index: f64| Interval { from: (first + index) * length, ..Interval::default() };
    let mut all: Vec<Interval> = (0..many as u32).map(|index| at(f64::from(index))).collect();
    for sample in samples {
        let index = (sample.minute.unix() / length).floor() - first;
        if index >= 0.0
            && let Some(interval) = all.get_mut(index as usize)
        {
            interval.add(sample);
        }
    }
    all
}

/// The drawings, which change from interval to interval: a key for the script, and the markup.
pub fn live_charts(samples: &[MinuteSample], period: Period, now: f64) -> Vec<(String, Markup)> {
    let fine = intervals(samples, period.interval(), period.seconds(), now);
    let coarse = intervals(samples, period.long_interval(), period.seconds(), now);
    let of = |figure: &Figure| (key(figure), drawn(figure, &fine, period));
    let mut all: Vec<_> = FIGURES.iter().map(of).collect();
    all.push(("strip".to_owned(), strip(&coarse, period)));
    all.push(("table".to_owned(), table(&coarse)));
    all
}

fn key(figure: &Figure) -> String {
    format!("chart-{}", figure.key)
}

/// Four charts, a strip and a table.
pub(super) fn charts(
    status: &NodeStatus,
    samples: &[MinuteSample],
    period: Period,
    now: f64,
) -> Markup {
    let fine = intervals(samples, period.interval(), period.seconds(), now);
    let coarse = intervals(samples, period.long_interval(), period.seconds(), now);
    let figures = live_figures(status, samples);
    let told = |key: &str| {
        let found = figures.iter().find(|(other, ..)| *other == key);
        found.map_or_else(String::new, |(.., value)| value.clone())
    };
    html! {
        section aria-labelledby="lately" data-live-charts=(period.code()) {
            div.heading {
                h2 #lately { "Over " (period.name()) }
                p.soft { @match period {
                    Period::Day => a href="./?period=week" { "Show 7 days" },
                    Period::Week => a href="./" { "Show 24 hours" },
                } }
            }
            div.charts {
                @for figure in FIGURES { (one(figure, &fine, &told(figure.key), period)) }
            }
            figure.card.strip data-live="strip" { (strip(&coarse, period)) }
            details {
                summary { "The same as a table" }
                div.wide tabindex="0" role="region" aria-label="The charts as a table" data-live="table" {
                    (table(&coarse))
                }
            }
        }
    }
}

/// A figure with its chart.
struct Figure {
    key: &'static str,
    title: &'static str,
    meaning: &'static str,
    value: fn(&Interval) -> Option<f64>,
    /// A share is drawn from 0 to 1 and told in percent.
    is_share: bool,
}

const FIGURES: &[Figure] = &[
    Figure {
        key: "freshness",
        title: "Freshness",
        meaning: "the share of the sources' current documents that this node has",
        value: |interval| interval.freshness.value(),
        is_share: true,
    },
    Figure {
        key: "completeness",
        title: "Completeness",
        meaning: "the share of items that did not slip through",
        value: |interval| interval.completeness.value(),
        is_share: true,
    },
    Figure {
        key: "budget",
        title: "Budget used",
        meaning: "refreshes made, as a share of those allowed",
        value: |interval| interval.spent(),
        is_share: true,
    },
    Figure {
        key: "threshold",
        title: "Threshold τ",
        meaning: "what a refresh must be worth; it falls when there is budget to spare",
        value: |interval| interval.threshold(),
        is_share: false,
    },
];

fn one(figure: &Figure, intervals: &[Interval], current: &str, period: Period) -> Markup {
    html! {
        figure.card {
            figcaption {
                span { (figure.title) }
                strong data-live=(figure.key) { (current) }
            }
            div data-live=(key(figure)) { (drawn(figure, intervals, period)) }
            p.soft { (figure.meaning) }
        }
    }
}

fn drawn(figure: &Figure, intervals: &[Interval], period: Period) -> Markup {
    let values: Vec<Option<f64>> = intervals.iter().map(figure.value).collect();
    let known = || values.iter().flatten().copied();
    let Some((low, high)) = known().reduce(f64::min).zip(known().reduce(f64::max)) else {
        return html! { p.chart.soft { "Nothing is known yet." } };
    };
    let told = |value: f64| if figure.is_share { percent(value) } else { number(value) };
    let description = format!("{} between {} and {}.", sentence(period), told(low), told(high));
    let most = known().fold(1.0, f64::max);
    let range = figure.is_share.then_some((0.0, most));
    let (id, title) = (figure.key, figure.title);
    Line { id, title, description: &description, values: &values, range }.draw()
}

fn sentence(period: Period) -> &'static str {
    match period {
        Period::Day => "In the last 24 hours",
        Period::Week => "In the last 7 days",
    }
}

/// How many refreshes brought news, were unchanged, or failed.
fn strip(intervals: &[Interval], period: Period) -> Markup {
    let bars: Vec<Bar> = intervals
        .iter()
        .map(|interval| Bar {
            label: format!(
                "{}: {} brought news, {} unchanged, {} failed",
                clock(interval.from),
                interval.news(),
                interval.unchanged,
                interval.failed
            ),
            parts: vec![
                ("news", interval.news()),
                ("unchanged", interval.unchanged),
                ("failed", interval.failed),
            ],
        })
        .collect();
    let sum = |part: fn(&Interval) -> f64| intervals.iter().map(part).sum::<f64>() as u64;
    let (news, unchanged, failed) = (sum(|i| i.news()), sum(|i| i.unchanged), sum(|i| i.failed));
    let description = format!(
        "{}: {} brought news, {unchanged} found nothing new, {failed} failed.",
        sentence(period),
        counted(news, "refresh").replace("refreshs", "refreshes")
    );
    html! {
        figcaption {
            span { "Refreshes" }
            span.legend {
                span.key.news { "brought news: " (news) } " "
                span.key.unchanged { "unchanged: " (unchanged) } " "
                span.key.failed { "failed: " (failed) }
            }
        }
        (Bars { id: "strip", title: "Refreshes", description: &description, bars: &bars }.draw())
    }
}

fn table(intervals: &[Interval]) -> Markup {
    let share = |share: Option<f64>| share.map_or_else(|| "–".to_owned(), percent);
    let heads = ["Freshness", "Completeness", "Budget used", "τ", "News", "Unchanged", "Failed"];
    html! {
        table {
            thead { tr {
                th scope="col" { "From (UTC)" }
                @for head in heads { th.number scope="col" { (head) } }
            } }
            tbody {
                @for interval in intervals.iter().rev().filter(|interval| interval.minutes > 0.0) {
                    tr {
                        th scope="row" { (clock(interval.from)) }
                        td.number { (share(interval.freshness.value())) }
                        td.number { (share(interval.completeness.value())) }
                        td.number { (share(interval.spent())) }
                        td.number { (interval.threshold().map(number).unwrap_or_default()) }
                        td.number { (interval.news()) }
                        td.number { (interval.unchanged) }
                        td.number { (interval.failed) }
                    }
                }
            }
        }
    }
}

/// "2026-11-17 22:00".
fn clock(at: f64) -> String {
    let exact = Instant::from_unix(at).to_string();
    exact.get(..16).unwrap_or(&exact).replacen('T', " ", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(minute: f64, refreshes: u32, freshness: Option<f64>) -> MinuteSample {
        MinuteSample {
            minute: Instant::from_unix(minute * 60.0),
            threshold: 0.5,
            budget: 10.0,
            refreshes,
            not_modified: 1,
            failures: 1,
            items: 3,
            bytes: 0,
            completeness: None,
            freshness,
        }
    }

    #[test]
    fn minutes_are_gathered_into_intervals_and_others_stay_empty() {
        let samples = [sample(0.0, 5, Some(0.5)), sample(1.0, 7, Some(1.0)), sample(61.0, 2, None)];
        let all = intervals(&samples, HOUR, 3.0 * HOUR, 2.5 * HOUR);
        assert_eq!(all.len(), 3);
        assert_eq!((all[0].refreshes, all[0].news(), all[0].minutes), (12.0, 8.0, 2.0));
        assert_eq!((all[0].freshness.value(), all[0].spent()), (Some(0.75), Some(0.6)));
        assert_eq!((all[1].freshness.value(), all[1].minutes), (None, 1.0));
        assert_eq!((all[2].threshold(), all[2].spent()), (None, None));
        let later = intervals(&samples, HOUR, 3.0 * HOUR, 100.0 * HOUR);
        assert!(later.iter().all(|interval| interval.minutes == 0.0), "they are too old");
    }
}
