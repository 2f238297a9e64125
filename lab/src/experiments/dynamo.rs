//! `dynamo-mse`: the error of Dynamo's smoothed interval against its weight α, and whether golden-section
//! search finds the minimum. After "Adaptive Web Data Extraction Policies".

use pergola_newsroom::{Trace, random_stream};
use pergola_refresh::{Invalid, best_weight, prediction_error};
use rand::{Rng, RngExt};
use serde_json::json;

use crate::channels::mean;
use crate::report::{Axis, Cell, Chart, Column, Report, Scale, Series, Style, Table};
use crate::trials::Lab;

/// Series, and intervals of each, that are drawn where there is no trace.
const SERIES: u64 = 200;
const LENGTH: usize = 120;
/// How near the search comes to the best α.
const TOLERANCE: f64 = 1e-3;
/// Steps of the grid that the search is compared with.
const GRID: usize = 1000;
/// Shortest series of a trace that says anything.
const SHORTEST: usize = 8;

/// `dynamo-mse`.
pub(crate) fn dynamo(lab: &Lab, trace: Option<&Trace>) -> Result<Report, Invalid> {
    let all: Vec<(&str, Vec<f64>)> = match trace {
        Some(trace) => recorded(trace),
        None => (0..SERIES).map(|n| drawn(&mut random_stream(lab.seed, n), n)).collect(),
    };
    let found = lab.for_each("series", &all, |(kind, series)| Ok((*kind, Found::of(series))))?;
    let mut kinds: Vec<&str> = all.iter().map(|(kind, _)| *kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mut table = Table { columns: vec![Column::left("series")], rows: Vec::new() };
    table.columns.extend(
        ["number", "mean α", "error / α = 0.5", "error / last", "reached", "evaluations"]
            .map(Column::right),
    );
    let mut rows = Vec::new();
    let mut charts = Vec::new();
    for kind in kinds.iter().copied().chain((kinds.len() > 1).then_some("all")) {
        let of: Vec<&Found> =
            found.iter().filter(|(k, _)| kind == "all" || *k == kind).map(|(_, f)| f).collect();
        let figure =
            |f: &dyn Fn(&Found) -> f64| mean(&of.iter().map(|found| f(found)).collect::<Vec<_>>());
        let reached = of.iter().filter(|found| found.reached).count();
        let most = of.iter().map(|found| found.evaluations).max().unwrap_or(0);
        table.rows.push(vec![
            Cell::Text(kind.to_owned()),
            Cell::Integer(of.len() as i64),
            Cell::Number { value: figure(&|f| f.alpha), decimals: 2 },
            Cell::Number { value: figure(&|f| f.against_half), decimals: 3 },
            Cell::Number { value: figure(&|f| f.against_last), decimals: 3 },
            Cell::Integer(reached as i64),
            Cell::Integer(most as i64),
        ]);
        rows.push(json!({
            "series": kind, "number": of.len(), "alpha_mean": figure(&|f| f.alpha),
            "error_to_half": figure(&|f| f.against_half), "error_to_last": figure(&|f| f.against_last),
            "reached": reached, "evaluations_most": most,
        }));
        if kind != "all" || kinds.len() == 1 {
            let curve = |alpha: f64| {
                let errors = all.iter().filter(|(k, _)| *k == kind).map(|(_, series)| {
                    prediction_error(series, alpha)
                        / prediction_error(series, 0.5).max(f64::MIN_POSITIVE)
                });
                mean(&errors.filter(|error| error.is_finite()).collect::<Vec<f64>>())
            };
            let points = (0..=50).map(|n| f64::from(n) / 50.0).map(|alpha| (alpha, curve(alpha)));
            charts.push(Series::new(kind, Style::Line, points.collect()));
        }
    }
    Ok(Report {
        title: format!("α of Dynamo's smoothed interval over {} series", all.len()),
        notes: vec![format!(
            "Errors are mean squared, with the α found, over those with α = 0.5 and with the last interval \
                 alone (α = 0). Reached: no α of a grid of {GRID} steps is better than the one found by more \
                 than α's tolerance of {TOLERANCE} explains. Published: a curve with one minimum; no figures."
        )],
        table,
        json: json!({ "rows": rows }),
        charts: vec![Chart {
            title: String::new(),
            x: Axis::new("α, the weight of the old value", Scale::Linear),
            y: Axis::new("mean squared error, α = 0.5 is 1", Scale::Linear),
            series: charts,
        }],
    })
}

struct Found {
    alpha: f64,
    against_half: f64,
    against_last: f64,
    reached: bool,
    evaluations: usize,
}

impl Found {
    fn of(series: &[f64]) -> Self {
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
        Self {
            alpha: best.alpha,
            against_half: ratio(prediction_error(series, 0.5)),
            against_last: ratio(prediction_error(series, 0.0)),
            reached: best.error <= slack * (1.0 + 1e-12),
            evaluations: best.evaluations,
        }
    }
}

/// Intervals between the items of each stream that is long enough.
fn recorded(trace: &Trace) -> Vec<(&'static str, Vec<f64>)> {
    let intervals = trace.streams.iter().map(|stream| {
        let pairs = stream.items.windows(2).map(|pair| pair[1].at - pair[0].at);
        // Items of one second are one update of the page.
        pairs.filter(|time| *time > 0.0).collect::<Vec<f64>>()
    });
    let long = intervals.filter(|series| series.len() >= SHORTEST);
    long.map(|series| ("recorded", series)).collect()
}

/// A series of one of four kinds, in turn.
fn drawn(random: &mut impl Rng, number: u64) -> (&'static str, Vec<f64>) {
    let mut exponential = || -(1.0 - random.random::<f64>()).ln();
    let mut level: f64 = 1.0;
    let mut at = 0;
    let kind = ["chance", "drifting", "daily", "bursts"][(number % 4) as usize];
    let interval = |()| {
        at += 1;
        match kind {
            "chance" => exponential(),
            "drifting" => {
                level = (level * (0.3 * (exponential() - 1.0)).exp()).clamp(0.01, 100.0);
                level * (0.8 + 0.2 * exponential())
            }
            "daily" => (1.0 + 0.8 * (f64::from(at) / 6.0).sin()) * (0.5 + 0.5 * exponential()),
            _ if at % 5 == 0 => 10.0 * exponential(),
            _ => 0.2 * exponential(),
        }
    };
    (kind, std::iter::repeat_n((), LENGTH).map(interval).collect())
}
