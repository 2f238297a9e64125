//! `dynamo-mse`: the error of Dynamo's smoothed interval against its weight α, and whether golden-section
//! search finds the minimum; and whether it predicts better than what a node uses for other sources. After
//! "Adaptive Web Data Extraction Policies".

mod prediction;

use std::collections::BTreeMap;

use pergola_newsroom::{Trace, random_stream};
use pergola_refresh::{DAY, HOUR, Invalid, best_weight, prediction_error};
use rand::{Rng, RngExt};
use serde_json::json;

use crate::channels::mean;
use crate::report::{Axis, Cell, Chart, Column, Report, Scale, Series, Style, Table};
use crate::trials::Lab;

/// Series that are drawn, and intervals of each.
const SERIES: u64 = 200;
const LENGTH: usize = 120;
/// How near the search comes to the best α.
const TOLERANCE: f64 = 1e-3;
/// Steps of the grid that the search is compared with.
const GRID: usize = 1000;
/// Shortest series of a trace that says anything.
const SHORTEST: usize = 8;

/// When something changed.
struct Changes {
    kind: &'static str,
    /// The instant of the first change, and the seconds from each to the next.
    start: f64,
    intervals: Vec<f64>,
}

/// `dynamo-mse`.
pub(crate) fn dynamo(lab: &Lab, trace: Option<&Trace>) -> Result<Report, Invalid> {
    let mut all = trace.map_or_else(Vec::new, recorded);
    all.extend((0..SERIES).map(|n| drawn(&mut random_stream(lab.seed, n), n)));
    let found = lab.for_each("series", &all, Found::of)?;
    let mut kinds: Vec<&str> = Vec::new();
    for changes in &all {
        if !kinds.contains(&changes.kind) {
            kinds.push(changes.kind);
        }
    }
    let mut table = Table { columns: vec![Column::left("series")], rows: Vec::new() };
    table.columns.extend(
        ["number", "mean α", "error / α = 0.5", "error / last", "reached", "evaluations"]
            .map(Column::right),
    );
    table.columns.extend(prediction::NAMES.map(Column::right));
    table.columns.extend(["below gamma", "below calendar"].map(Column::right));
    let mut rows = Vec::new();
    let mut charts = Vec::new();
    for kind in kinds.iter().copied().chain(["all drawn"]) {
        let of: Vec<&Found> = found
            .iter()
            .filter(|f| if kind == "all drawn" { f.kind != RECORDED } else { f.kind == kind })
            .collect();
        let figure =
            |f: &dyn Fn(&Found) -> f64| mean(&of.iter().map(|found| f(found)).collect::<Vec<_>>());
        let reached = of.iter().filter(|found| found.reached).count();
        let most = of.iter().map(|found| found.evaluations).max().unwrap_or(0);
        let errors: Vec<[f64; prediction::NAMES.len()]> =
            of.iter().filter_map(|found| found.errors).collect();
        let typical = prediction::NAMES
            .iter()
            .enumerate()
            .map(|(n, _)| mean(&errors.iter().map(|e| e[n].ln()).collect::<Vec<_>>()).exp());
        let typical: Vec<f64> = typical.collect();
        let below = |model: usize| errors.iter().filter(|e| e[0] < e[model]).count() as i64;
        let mut row = vec![
            Cell::Text(kind.to_owned()),
            Cell::Integer(of.len() as i64),
            Cell::Number { value: figure(&|f| f.alpha), decimals: 2 },
            Cell::Number { value: figure(&|f| f.against_half), decimals: 3 },
            Cell::Number { value: figure(&|f| f.against_last), decimals: 3 },
            Cell::Integer(reached as i64),
            Cell::Integer(most as i64),
        ];
        row.extend(typical.iter().map(|value| Cell::Number { value: *value, decimals: 2 }));
        row.extend([below(2), below(3)].map(Cell::Integer));
        table.rows.push(row);
        rows.push(json!({
            "series": kind, "number": of.len(), "alpha_mean": figure(&|f| f.alpha),
            "error_to_half": figure(&|f| f.against_half), "error_to_last": figure(&|f| f.against_last),
            "reached": reached, "evaluations_most": most,
            "prediction": prediction::NAMES.iter().zip(&typical).collect::<BTreeMap<_, _>>(),
            "dynamo_below_gamma": below(2), "dynamo_below_calendar": below(3),
        }));
        if kind != "all drawn" {
            let curve = |alpha: f64| {
                let errors = all.iter().filter(|c| c.kind == kind).map(
                    |Changes { intervals: series, .. }| {
                        prediction_error(series, alpha)
                            / prediction_error(series, 0.5).max(f64::MIN_POSITIVE)
                    },
                );
                mean(&errors.filter(|error| error.is_finite()).collect::<Vec<f64>>())
            };
            let points = (0..=50).map(|n| f64::from(n) / 50.0).map(|alpha| (alpha, curve(alpha)));
            charts.push(Series::new(kind, Style::Line, points.collect()));
        }
    }
    Ok(Report {
        title: format!("Dynamo's smoothed interval over {} series", all.len()),
        notes: vec![
            format!(
            "Errors are mean squared, with the α found, over those with α = 0.5 and with the last interval \
                 alone (α = 0). Reached: no α of a grid of {GRID} steps is better than the one found by more \
                 than α's tolerance of {TOLERANCE} explains. Published: a curve with one minimum; no figures."
            ),
            "The models: mean squared error of predicting the next interval in the second half of each series, over \
             that of the mean of all intervals so far, a geometric mean over the series. Each has learnt from what \
             was there before, Dynamo's α included. Below: in how many series Dynamo errs less than a node's usual \
             model, which is the calendar, and gamma for many sources."
                .to_owned(),
        ],
        table,
        json: json!({ "rows": rows }),
        charts: vec![Chart {
            title: String::new(),
            x: Axis::new("α, the weight of the old value", Scale::Linear),
            // Where the pace drifts, α = 1 is twenty times as bad: that would hide the rest.
            y: Axis::new("mean squared error, α = 0.5 is 1", Scale::Linear).within(0.6, 2.0),
            series: charts,
        }],
    })
}

struct Found {
    kind: &'static str,
    alpha: f64,
    against_half: f64,
    against_last: f64,
    reached: bool,
    evaluations: usize,
    errors: Option<[f64; prediction::NAMES.len()]>,
}

impl Found {
    fn of(changes: &Changes) -> Result<Self, Invalid> {
        let series = changes.intervals.as_slice();
        let best = best_weight(series, TOLERANCE);
        let ratio = |other: f64| if other > 0.0 { best.error / other } else { 1.0 };
        let grid = (0..=GRID).map(|n| n as f64 / GRID as f64);
        let (at, least) = grid
            .map(|alpha| (alpha, prediction_error(series, alpha)))
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .unwrap_or((best.alpha, best.error));
        // What the error may differ by when α is as far off as it may be.
        let slack = [at - TOLERANCE, at + TOLERANCE]
            .into_iter()
            .filter(|alpha| (0.0..=1.0).contains(alpha))
            .map(|alpha| prediction_error(series, alpha))
            .fold(least, f64::max);
        Ok(Self {
            kind: changes.kind,
            alpha: best.alpha,
            against_half: ratio(prediction_error(series, 0.5)),
            against_last: ratio(prediction_error(series, 0.0)),
            reached: best.error <= slack * (1.0 + 1e-12),
            evaluations: best.evaluations,
            errors: prediction::errors(changes)?,
        })
    }
}

const RECORDED: &str = "recorded";

/// Intervals between the items of each stream that is long enough.
fn recorded(trace: &Trace) -> Vec<Changes> {
    let all = trace.streams.iter().map(|stream| {
        let pairs = stream.items.windows(2).map(|pair| pair[1].at - pair[0].at);
        // Items of one second are one update of the page.
        let intervals = pairs.filter(|time| *time > 0.0).collect();
        let start = stream.items.first().map_or(0.0, |item| item.at);
        Changes { kind: RECORDED, start, intervals }
    });
    all.filter(|changes| changes.intervals.len() >= SHORTEST).collect()
}

/// A series of one of five kinds, in turn, with some changes a day.
fn drawn(random: &mut impl Rng, number: u64) -> Changes {
    let mut level: f64 = 1.0;
    let mut now = 0.0;
    let kind = ["chance", "drifting", "daily", "bursts", "timer"][(number % 5) as usize];
    let mut intervals = Vec::new();
    for at in 1..=LENGTH {
        let exponential = -(1.0 - random.random::<f64>()).ln();
        let interval = match kind {
            "chance" => 3.0 * HOUR * exponential,
            "drifting" => {
                level = (level * (0.3 * (exponential - 1.0)).exp()).clamp(0.01, 100.0);
                HOUR * level * (0.8 - 0.2 * (1.0 - random.random::<f64>()).ln())
            }
            "daily" => until_by_day(now, exponential),
            // Every four hours, some minutes late; a tenth of them without news.
            "timer" => {
                let turns = if random.random_bool(0.1) { 2.0 } else { 1.0 };
                turns * 4.0 * HOUR + 300.0 * (random.random::<f64>() - 0.5)
            }
            _ if at % 5 == 0 => 10.0 * HOUR * exponential,
            _ => 0.2 * HOUR * exponential,
        };
        now += interval;
        intervals.push(interval);
    }
    Changes { kind, start: 0.0, intervals }
}

/// The time until `items` are published that come at a rate which goes up and down with the day, from
/// nearly nothing at midnight to two thirds of an item an hour at noon.
fn until_by_day(from: f64, items: f64) -> f64 {
    const STEP: f64 = 60.0;
    let rate = |at: f64| (0.34 - 0.33 * (at / DAY * std::f64::consts::TAU).cos()) / HOUR;
    let (mut at, mut published) = (from, 0.0);
    while published < items {
        published += rate(at) * STEP;
        at += STEP;
    }
    at - from
}
