//! What the experiments with meshes have in common: figures over worlds as rows of a table and of the JSON, τ
//! over time, and a picture of the mesh.

use pergola_refresh::Invalid;
use serde_json::{Map, Value, json};

use crate::mesh::picture::Picture;
use crate::mesh::{CYCLE, Figures, Outcome, Settings};
use crate::report::{Axis, Cell, Chart, Column, Report, Scale, Series, Style, Table};
use crate::trials::{Lab, Spread};

/// What an experiment with meshes found: figures, and how the mesh looked meanwhile in the first world.
pub(crate) struct Study {
    /// The figures.
    pub(crate) report: Report,
    /// The mesh over time.
    pub(crate) picture: Picture,
}

/// What is read off some feeds.
pub(crate) type Figure = fn(&Figures) -> f64;
/// What is read off a play.
pub(crate) type Pick<'a> = &'a dyn Fn(&Outcome) -> &Figures;

/// The figures of every experiment: name in JSON and decimals, and heading of the column.
const FIGURES: [(&str, &str, usize, Figure); 7] = [
    ("completeness", "complete", 3, |figures| figures.completeness),
    ("freshness", "fresh", 3, |figures| figures.freshness),
    ("delay_mean", "mean", 2, |figures| figures.delay.mean),
    ("delay_median", "median", 2, |figures| figures.delay.median),
    ("delay_p95", "p95", 2, |figures| figures.delay.p95),
    ("requests", "requests", 3, |figures| figures.requests),
    ("requests_per_item", "per item", 3, |figures| figures.requests_per_item),
];

/// Plays every contestant in every world: outcomes by contestant, then by world. Thresholds are kept for the
/// first world only.
pub(crate) fn play_all(
    lab: &Lab,
    contestants: usize,
    play: impl Fn(u64, usize) -> Result<Outcome, Invalid> + Sync,
) -> Result<Vec<Vec<Outcome>>, Invalid> {
    let seeds = (0..lab.seeds).map(|n| lab.seed.wrapping_add(n));
    let turns: Vec<(usize, u64)> =
        (0..contestants).flat_map(|n| seeds.clone().map(move |seed| (n, seed))).collect();
    let mut outcomes = lab.for_each("plays", &turns, |&(contestant, seed)| {
        let mut outcome = play(seed, contestant)?;
        lab.count(outcome.weighed as usize);
        lab.count_events(outcome.events);
        if seed != lab.seed {
            outcome.thresholds.clear();
        }
        Ok(outcome)
    })?;
    let worlds = lab.seeds as usize;
    Ok((0..contestants).map(|_| outcomes.drain(..worlds).collect()).collect())
}

/// Rows of figures, for people and for programs.
pub(crate) struct Rows {
    labels: Vec<&'static str>,
    pub(crate) table: Table,
    pub(crate) json: Vec<Value>,
}

impl Rows {
    /// Rows that begin with these labels.
    pub(crate) fn new(labels: &[&'static str]) -> Self {
        let labels = labels.to_vec();
        let mut columns: Vec<Column> = labels.iter().map(|&label| Column::left(label)).collect();
        columns.extend(FIGURES.iter().map(|(_, heading, _, _)| Column::right(*heading)));
        Self { labels, table: Table { columns, rows: Vec::new() }, json: Vec::new() }
    }

    /// Adds what some feeds had over all worlds; to the table only if it is to be shown.
    pub(crate) fn add(
        &mut self,
        labels: Vec<Cell>,
        worlds: &[Outcome],
        pick: Pick<'_>,
        shown: bool,
    ) {
        let mut row = Map::new();
        for (&name, label) in self.labels.iter().zip(&labels) {
            row.insert(name.to_owned(), value(label));
        }
        let mut cells = labels;
        for (name, _, decimals, figure) in FIGURES {
            let spread = Spread::of(worlds, |outcome| figure(pick(outcome)));
            row.insert(name.to_owned(), json!(spread.mean));
            row.insert(format!("{name}_deviation"), json!(spread.deviation));
            cells.push(spread.cell(decimals));
        }
        self.json.push(Value::Object(row));
        if shown {
            self.table.rows.push(cells);
        }
    }
}

fn value(cell: &Cell) -> Value {
    match cell {
        Cell::Text(text) => json!(text),
        Cell::Integer(number) => json!(number),
        Cell::Number { value, .. } => json!(value),
        _ => Value::Null,
    }
}

/// A label of a row.
pub(crate) fn text(label: impl ToString) -> Cell {
    Cell::Text(label.to_string())
}

/// A number as a label.
pub(crate) fn number(value: f64, decimals: usize) -> Cell {
    Cell::Number { value, decimals }
}

/// A chart of one figure by hop.
pub(crate) fn by_hop(title: &str, named: &[(String, &[Outcome])], figure: Figure) -> Chart {
    let series = named.iter().map(|(name, worlds)| {
        let hops = worlds.iter().map(|outcome| outcome.hops.len()).min().unwrap_or(0);
        let mean = |hop: usize| Spread::of(worlds, |outcome| figure(&outcome.hops[hop])).mean;
        let points = (0..hops).map(|hop| ((hop + 1) as f64, mean(hop))).collect();
        Series::new(name.clone(), Style::Line, points)
    });
    Chart {
        title: title.to_owned(),
        x: Axis::new("hop", Scale::Linear).counted(),
        y: Axis::new(title, Scale::Linear),
        series: series.collect(),
    }
}

/// τ over time in one play: a line for each hop, the mean of the nodes there.
pub(crate) fn thresholds(depths: &[u32], settings: &Settings<'_>, outcome: &Outcome) -> Chart {
    let deepest = depths.iter().copied().max().unwrap_or(0);
    let every = settings.sample_every();
    let series = (1..=deepest).filter_map(|depth| {
        let nodes: Vec<&Vec<f64>> = depths
            .iter()
            .zip(&outcome.thresholds)
            .filter(|(other, _)| **other == depth)
            .map(|(_, course)| course)
            .collect();
        let samples = nodes.iter().map(|course| course.len()).min()?;
        let step = (samples / 150).max(1);
        let mean =
            |at: usize| nodes.iter().map(|course| course[at]).sum::<f64>() / nodes.len() as f64;
        let points =
            (0..samples).step_by(step).map(|at| ((at + 1) as f64 * every, mean(at) / CYCLE));
        let name = format!("hop {depth}");
        Some(Series::new(name, Style::Line, points.collect()))
    });
    Chart {
        title: "τ by hop, first world".to_owned(),
        x: Axis::new("cycle", Scale::Linear),
        y: Axis::new("τ (items · cycles)", Scale::Log),
        series: series.collect(),
    }
}

/// τ of each node over time, in item-cycles, at most fifty moments.
pub(crate) fn thresholds_json(settings: &Settings<'_>, outcome: &Outcome) -> Value {
    let samples = outcome.thresholds.first().map_or(0, Vec::len);
    let step = (samples / 50).max(1);
    let at = |n: usize| (n + 1) as f64 * settings.sample_every();
    let moments: Vec<f64> = (0..samples).step_by(step).map(at).collect();
    let course = |course: &Vec<f64>| -> Vec<f64> {
        course.iter().step_by(step).map(|value| value / CYCLE).collect()
    };
    let nodes: Vec<Vec<f64>> = outcome.thresholds.iter().map(course).collect();
    json!({ "cycles": moments, "nodes": nodes })
}
