//! What the experiments with meshes have in common: figures over worlds as rows, τ over time, and a picture of
//! the mesh.

use pergola_refresh::Invalid;
use serde_json::{Map, Value, json};

use crate::mesh::picture::Picture;
use crate::mesh::{CYCLE, Figures, Mesh, Outcome, Settings};
use crate::report::{Axis, Cell, Chart, Report, Scale, Series, Style};
use crate::rows::Rows;
use crate::trials::{Lab, Spread};

/// What an experiment with meshes returns: the figures, and a picture of the mesh in the first world.
pub(crate) struct Study {
    pub(crate) report: Report,
    pub(crate) picture: Picture,
}

/// The figures of an experiment, before the example is added.
pub(crate) struct Findings {
    pub(crate) title: String,
    pub(crate) notes: Vec<String>,
    pub(crate) rows: Rows,
    pub(crate) charts: Vec<Chart>,
    /// What the JSON holds besides the rows; an object.
    pub(crate) json: Value,
}

/// One play of the first world: the one that the picture and the thresholds show.
#[derive(Clone, Copy)]
pub(crate) struct Example<'a> {
    pub(crate) mesh: &'a Mesh,
    pub(crate) settings: &'a Settings<'a>,
    pub(crate) outcome: &'a Outcome,
}

impl Example<'_> {
    /// The mesh at eight moments of the first `cycles` cycles after the warm-up.
    pub(crate) fn picture(&self, title: &str, cycles: f64) -> Picture {
        let from = self.settings.warmup as f64;
        self.picture_of(title, (from, from + cycles), 8)
    }

    /// The mesh at `moments` moments between two cycles.
    pub(crate) fn picture_of(&self, title: &str, span: (f64, f64), moments: usize) -> Picture {
        Picture::new(title, self.mesh, self.settings, self.outcome, span, moments)
    }

    /// The study: the findings, with the thresholds of the example as the last chart and in the JSON.
    pub(crate) fn study(&self, findings: Findings, picture: Picture) -> Study {
        let Findings { title, notes, rows, mut charts, mut json } = findings;
        charts.push(thresholds(&self.mesh.depths, self.settings, self.outcome));
        json["thresholds"] = thresholds_json(self.settings, self.outcome);
        Study { report: rows.report(title, notes, charts, json), picture }
    }
}

/// One figure of some feeds.
pub(crate) type Figure = fn(&Figures) -> f64;
/// The feeds whose figures are wanted.
pub(crate) type Pick<'a> = &'a dyn Fn(&Outcome) -> &Figures;

/// The figures of every experiment: name in the JSON, heading of the column, decimals.
const FIGURES: [(&str, &str, usize, Figure); 7] = [
    ("completeness", "complete", 3, |figures| figures.completeness),
    ("freshness", "fresh", 3, |figures| figures.freshness),
    ("delay_mean", "mean", 2, |figures| figures.delay.mean),
    ("delay_median", "median", 2, |figures| figures.delay.median),
    ("delay_p95", "p95", 2, |figures| figures.delay.p95),
    ("requests", "requests", 3, |figures| figures.requests),
    ("requests_per_item", "per item", 3, |figures| figures.requests_per_item),
];

/// Plays every contestant in every world: outcomes by contestant, then by world. Only the first world keeps its
/// thresholds.
pub(crate) fn play_all(
    lab: &Lab,
    contestants: usize,
    play: impl Fn(u64, usize) -> Result<Outcome, Invalid> + Sync,
) -> Result<Vec<Vec<Outcome>>, Invalid> {
    let turns: Vec<(usize, u64)> =
        (0..contestants).flat_map(|n| lab.each_seed().map(move |seed| (n, seed))).collect();
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

/// Rows of the seven figures, each row with labels in front.
pub(crate) struct FigureRows {
    labels: Vec<&'static str>,
    pub(crate) rows: Rows,
}

impl FigureRows {
    pub(crate) fn new(labels: &[&'static str]) -> Self {
        let rows = Rows::new(labels, &FIGURES.map(|(_, heading, _, _)| heading));
        Self { labels: labels.to_vec(), rows }
    }

    /// Adds the figures of some feeds over all worlds; to the table only if `shown`.
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
        self.rows.record(Value::Object(row));
        if shown {
            self.rows.show(cells);
        }
    }

    /// Adds the figures of each hop, as far as every world has it; `labels` are those before the last.
    pub(crate) fn add_hops(
        &mut self,
        labels: &[Cell],
        worlds: &[Outcome],
        shown: impl Fn(usize) -> bool,
    ) {
        for hop in 1..=common_hops(worlds) {
            let labels = [labels, &[Cell::text(format!("hop {hop}"))]].concat();
            self.add(labels, worlds, &|outcome| &outcome.hops[hop - 1], shown(hop));
        }
    }

    /// Adds the figures of the feeds that no node reads; `labels` are those before the last.
    pub(crate) fn add_ends(&mut self, labels: &[Cell], worlds: &[Outcome]) {
        let labels = [labels, &[Cell::text("ends")]].concat();
        self.add(labels, worlds, &|outcome| &outcome.leaves, true);
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

/// Hops that every world has: drawn trees are not equally deep.
fn common_hops(worlds: &[Outcome]) -> usize {
    worlds.iter().map(|outcome| outcome.hops.len()).min().unwrap_or(0)
}

/// A chart of one figure by hop.
pub(crate) fn by_hop(title: &str, named: &[(String, &[Outcome])], figure: Figure) -> Chart {
    let series = named.iter().map(|(name, worlds)| {
        let mean = |hop: usize| Spread::of(worlds, |outcome| figure(&outcome.hops[hop])).mean;
        let points = (0..common_hops(worlds)).map(|hop| ((hop + 1) as f64, mean(hop))).collect();
        Series::new(name.clone(), Style::Line, points)
    });
    Chart {
        title: title.to_owned(),
        x: Axis::new("hop", Scale::Linear).counted(),
        y: Axis::new(title, Scale::Linear),
        series: series.collect(),
    }
}

/// τ over time in one play: a line for each hop, the mean of its nodes.
fn thresholds(depths: &[u32], settings: &Settings<'_>, outcome: &Outcome) -> Chart {
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

/// τ of each node over time, in item-cycles, at fifty moments or fewer.
fn thresholds_json(settings: &Settings<'_>, outcome: &Outcome) -> Value {
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
