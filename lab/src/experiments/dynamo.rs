//! `dynamo-mse`: the error of Dynamo's smoothed interval against its weight α, whether golden-section search finds
//! the minimum, and whether Dynamo predicts better than the other models of a node. After "Adaptive Web Data
//! Extraction Policies".

mod prediction;

use std::collections::BTreeMap;

use pergola_newsroom::{Trace, random_stream};
use pergola_refresh::{DAY, HOUR, Invalid, best_weight, prediction_error};
use rand::{Rng, RngExt};
use serde_json::json;

use crate::channels::mean;
use crate::report::{Axis, Cell, Chart, Report, Scale, Series, Style};
use crate::rows::Rows;
use crate::trials::Lab;

/// Series that are drawn, and intervals of each.
const SERIES: u64 = 200;
const LENGTH: usize = 120;
/// The tolerance of the search for the best α.
const TOLERANCE: f64 = 1e-3;
/// Steps of the grid that the search is compared with.
const GRID: usize = 1000;
/// Shorter series of a trace are left out.
const SHORTEST: usize = 8;

/// When a page changed.
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
    let mut headings =
        vec!["number", "mean α", "error / α = 0.5", "error / last", "reached", "evaluations"];
    headings.extend(prediction::NAMES);
    headings.extend(["below gamma", "below calendar"]);
    let mut rows = Rows::new(&["series"], &headings);
    for &kind in &kinds {
        let of_kind = found.iter().filter(|found| found.kind == kind).collect();
        Group { name: kind, found: of_kind }.add_row(&mut rows);
    }
    let drawn = found.iter().filter(|found| found.kind != RECORDED).collect();
    Group { name: "all drawn", found: drawn }.add_row(&mut rows);
    let chart = Chart {
        title: String::new(),
        x: Axis::new("α, the weight of the old value", Scale::Linear),
        // Where the pace drifts, α = 1 is twenty times as bad: that would hide the rest.
        y: Axis::new("mean squared error, α = 0.5 is 1", Scale::Linear).within(0.6, 2.0),
        series: kinds.iter().map(|kind| error_by_weight(kind, &all)).collect(),
    };
    let title = format!("Dynamo's smoothed interval over {} series", all.len());
    Ok(rows.report(title, notes(), vec![chart], json!({})))
}

fn notes() -> Vec<String> {
    vec![
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
    ]
}

/// The mean error of a kind of series against α.
fn error_by_weight(kind: &str, all: &[Changes]) -> Series {
    let mean_error = |alpha: f64| {
        let of_kind = all.iter().filter(|changes| changes.kind == kind);
        let errors = of_kind.map(|Changes { intervals, .. }| {
            prediction_error(intervals, alpha)
                / prediction_error(intervals, 0.5).max(f64::MIN_POSITIVE)
        });
        mean(&errors.filter(|error| error.is_finite()).collect::<Vec<f64>>())
    };
    let points = (0..=50).map(|n| f64::from(n) / 50.0).map(|alpha| (alpha, mean_error(alpha)));
    Series::new(kind, Style::Line, points.collect())
}

/// The series of one row.
struct Group<'a> {
    name: &'a str,
    found: Vec<&'a Found>,
}

impl Group<'_> {
    fn mean(&self, figure: fn(&Found) -> f64) -> f64 {
        mean(&self.found.iter().map(|found| figure(found)).collect::<Vec<_>>())
    }

    fn add_row(&self, rows: &mut Rows) {
        let reached = self.found.iter().filter(|found| found.reached).count();
        let most = self.found.iter().map(|found| found.evaluations).max().unwrap_or(0);
        let errors: Vec<[f64; prediction::NAMES.len()]> =
            self.found.iter().filter_map(|found| found.errors).collect();
        let typical: [f64; prediction::NAMES.len()] = std::array::from_fn(|model| {
            mean(&errors.iter().map(|error| error[model].ln()).collect::<Vec<_>>()).exp()
        });
        let below = |model: usize| errors.iter().filter(|error| error[0] < error[model]).count();
        let alpha = self.mean(|found| found.alpha);
        let to_half = self.mean(|found| found.against_half);
        let to_last = self.mean(|found| found.against_last);
        let mut cells = vec![
            Cell::text(self.name),
            Cell::count(self.found.len()),
            Cell::number(alpha, 2),
            Cell::number(to_half, 3),
            Cell::number(to_last, 3),
            Cell::count(reached),
            Cell::count(most),
        ];
        cells.extend(typical.map(|error| Cell::number(error, 2)));
        cells.extend([below(2), below(3)].map(Cell::count));
        let row = json!({
            "series": self.name, "number": self.found.len(), "alpha_mean": alpha,
            "error_to_half": to_half, "error_to_last": to_last,
            "reached": reached, "evaluations_most": most,
            "prediction": prediction::NAMES.into_iter().zip(typical).collect::<BTreeMap<_, _>>(),
            "dynamo_below_gamma": below(2), "dynamo_below_calendar": below(3),
        });
        rows.push(cells, row);
    }
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
        // The error may differ this much while α is within the tolerance.
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
        // Items in the same second are one change of the page.
        let intervals = pairs.filter(|time| *time > 0.0).collect();
        let start = stream.items.first().map_or(0.0, |item| item.at);
        Changes { kind: RECORDED, start, intervals }
    });
    all.filter(|changes| changes.intervals.len() >= SHORTEST).collect()
}

/// A series with some changes a day, of one of five kinds in turn.
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
            // Every four hours, some minutes early or late; a tenth of the turns are skipped.
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

/// The time until `items` are published at a rate that follows the day, from almost nothing at midnight to two
/// thirds of an item an hour at noon.
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
