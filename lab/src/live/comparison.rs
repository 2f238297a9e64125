//! Real nodes and the prediction of the lab side by side, and whether they agree.

use serde_json::{Value, json};

use super::bundle::Bundle;
use crate::mesh::{CYCLE, Cooperation, Figures, Outcome, Settings};
use crate::report::{Axis, Cell, Chart, Column, Report, Scale, Series, Style};
use crate::rows::Rows;
use crate::trials::{Lab, Spread};

/// How much completeness and freshness may differ.
const SHARES_WITHIN: f64 = 0.03;
/// How much median delays may differ, as a share of the prediction.
const DELAY_WITHIN: f64 = 0.2;
/// Larger meshes are shown by hop only; the JSON has every node.
const NODES_SHOWN: usize = 12;

/// One mode: real nodes, and the prediction.
pub(super) struct Compared {
    pub(super) mode: Cooperation,
    pub(super) nodes: Vec<String>,
    pub(super) live: Outcome,
    /// Plays of the lab, which differ in when nodes decide.
    pub(super) played: Vec<Outcome>,
    pub(super) step: f64,
    pub(super) failures: u64,
    pub(super) unknown: u64,
}

/// A figure: its name in the JSON, heading of the column, decimals, and how it is read.
type Figure = (&'static str, &'static str, usize, fn(&Figures) -> f64);

const FIGURES: [Figure; 5] = [
    ("completeness", "complete", 3, |figures| figures.completeness),
    ("freshness", "fresh", 3, |figures| figures.freshness),
    ("delay_median", "median s", 0, |figures| figures.delay.median * CYCLE),
    ("delay_p95", "p95 s", 0, |figures| figures.delay.p95 * CYCLE),
    ("requests", "requests", 3, |figures| figures.requests),
];

/// The feeds whose figures are wanted.
type Pick<'a> = &'a dyn Fn(&Outcome) -> &Figures;

impl Compared {
    /// A row: both figures of each kind, and which of them differ too much.
    fn row(&self, label: &str, pick: Pick<'_>) -> (Vec<Cell>, Value) {
        let mode = self.mode.to_string();
        let mut cells = vec![Cell::text(&mode), Cell::text(label)];
        let mut row = json!({ "mode": mode, "where": label, "items": pick(&self.live).delivered });
        let mut apart = Vec::new();
        for (name, heading, decimals, figure) in FIGURES {
            let live = figure(pick(&self.live));
            let Spread { mean, deviation } =
                Spread::of(&self.played, |outcome| figure(pick(outcome)));
            let within = match name {
                "completeness" | "freshness" => (live - mean).abs() <= SHARES_WITHIN,
                "delay_median" => (live - mean).abs() <= DELAY_WITHIN * mean,
                _ => true,
            };
            if !within {
                apart.push(heading.trim_end_matches(" s"));
            }
            cells.extend([Cell::number(live, decimals), Cell::number(mean, decimals)]);
            row[name] = json!({ "live": live, "lab": mean, "lab_deviation": deviation });
        }
        row["apart"] = json!(apart);
        cells.push(match apart.is_empty() {
            true => Cell::text("yes"),
            false => Cell::text(format!("not {}", apart.join(", "))),
        });
        (cells, row)
    }

    fn json(&self) -> Value {
        json!({
            "mode": self.mode.to_string(),
            "median_step": self.step,
            "failed_refreshes": self.failures,
            "unknown_items": self.unknown,
        })
    }

    fn note(&self, speed: f64) -> String {
        let Self { mode, step, failures, unknown, .. } = self;
        let mut note = format!(
            "{mode}: from node to node an item took {step:.1} s of the nodes' time, {:.0} ms of real time",
            1e3 * step / speed
        );
        if *failures > 0 {
            note += &format!("; {failures} refreshes failed");
        }
        if *unknown > 0 {
            note += &format!("; {unknown} items are at feeds that should not have them");
        }
        note + "."
    }
}

/// Live figures and the lab's side by side.
pub(super) fn report(
    bundle: &Bundle,
    settings: &Settings<'_>,
    lab: &Lab,
    all: &[Compared],
) -> Report {
    let modes: Vec<Value> = all.iter().map(Compared::json).collect();
    let json = json!({
        "speed": bundle.speed,
        "nodes": bundle.nodes.len(),
        "warmup_hours": hours(settings.warmup),
        "measured_hours": hours(settings.measured),
        "plays": lab.seeds,
        "modes": modes,
    });
    let charts = FIGURES[..3].iter().map(|figure| chart(figure, all)).collect();
    let title = "Real nodes, and what the lab predicts for them";
    rows(all).report(title, notes(bundle, settings, lab, all), charts, json)
}

fn rows(all: &[Compared]) -> Rows {
    let mut columns = vec![Column::left("mode"), Column::left("where")];
    for (_, heading, _, _) in FIGURES {
        columns.extend([Column::right(heading), Column::right("lab")]);
    }
    columns.push(Column::left("agrees"));
    let mut rows = Rows::with_columns(columns);
    let mut add = |(cells, row), shown: bool| {
        rows.record(row);
        if shown {
            rows.show(cells);
        }
    };
    for compared in all {
        for hop in 0..compared.live.hops.len() {
            let label = format!("hop {}", hop + 1);
            add(compared.row(&label, &|outcome| &outcome.hops[hop]), true);
        }
        add(compared.row("all", &|outcome| &outcome.all), true);
        for (node, name) in compared.nodes.iter().enumerate() {
            let shown = compared.nodes.len() <= NODES_SHOWN;
            add(compared.row(name, &|outcome| &outcome.nodes[node]), shown);
        }
    }
    rows
}

fn hours(cycles: usize) -> f64 {
    cycles as f64 * CYCLE / 3600.0
}

fn notes(bundle: &Bundle, settings: &Settings<'_>, lab: &Lab, all: &[Compared]) -> Vec<String> {
    let mut notes = vec![
        format!(
            "{} nodes at {} times real time, {:.1} hours of warm-up and {:.1} measured; \
             beside each figure the lab's, a mean over {} plays of the same items that differ in when nodes \
             decide. Delays in seconds of the nodes' time, requests per subscription and {CYCLE} s.",
            bundle.nodes.len(),
            bundle.speed,
            hours(settings.warmup),
            hours(settings.measured),
            lab.seeds,
        ),
        format!(
            "agrees: completeness and freshness within {SHARES_WITHIN}, median delay within {:.0} %.",
            100.0 * DELAY_WITHIN
        ),
    ];
    notes.extend(all.iter().map(|compared| compared.note(bundle.speed)));
    notes
}

/// A figure by hop: points for real nodes, lines for the lab.
fn chart(&(_, heading, _, figure): &Figure, all: &[Compared]) -> Chart {
    let mut series = Vec::new();
    for compared in all {
        let hops = compared.live.hops.len();
        let at = |hop: usize| (hop + 1) as f64;
        let predicted = |hop: usize| {
            let mean = Spread::of(&compared.played, |outcome| figure(&outcome.hops[hop])).mean;
            (at(hop), mean)
        };
        let live = |hop: usize| (at(hop), figure(&compared.live.hops[hop]));
        let name = compared.mode.to_string();
        series.push(Series::new(
            format!("{name}, lab"),
            Style::Line,
            (0..hops).map(predicted).collect(),
        ));
        series.push(Series::new(name, Style::Points, (0..hops).map(live).collect()));
    }
    Chart {
        title: heading.to_owned(),
        x: Axis::new("hop", Scale::Linear).counted(),
        y: Axis::new(heading, Scale::Linear),
        series,
    }
}
