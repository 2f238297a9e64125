//! `cascade-outage`: a node in the middle is away for a time. What do those behind it lose, how long until
//! they are as fresh as before, and what does a second way help?

use pergola_refresh::Invalid;
use serde_json::{Value, json};

use super::cascades::{Study, play_all, text, thresholds, thresholds_json};
use crate::mesh::picture::Picture;
use crate::mesh::{
    CYCLE, Cooperation, Follow, Load, Mesh, Network, Outage, Outcome, Settings, Wiring,
};
use crate::report::{Axis, Chart, Column, Report, Scale, Series, Style, Table};
use crate::trials::{Lab, Spread};

/// Cycles that the node is away, and after which cycle it goes.
const AWAY: f64 = 40.0;
const GOES: f64 = 500.0;
/// As fresh as before is within this.
const WITHIN: f64 = 0.05;

/// A shape, the node that goes away, and the node behind it that is watched.
struct Shape {
    name: &'static str,
    mesh: Mesh,
    away: usize,
    behind: usize,
}

fn shapes() -> [Shape; 2] {
    let load = Load::new(20, 20);
    [
        Shape { name: "chain", mesh: Mesh::new(Wiring::chain(4, load)), away: 1, behind: 3 },
        Shape { name: "diamond", mesh: Mesh::new(Wiring::diamond(load)), away: 1, behind: 3 },
    ]
}

fn settings(shape: &Shape, cooperation: Cooperation) -> Settings<'static> {
    let outage = Outage { node: shape.away, from: GOES, until: GOES + AWAY };
    Settings {
        cooperation,
        decisions: 4,
        measured: 300,
        samples: 300,
        network: Network { delay: 0.001 * CYCLE, loss: 0.0, outages: vec![outage] },
        follow: Some(Follow { source: None, from: GOES, until: GOES + AWAY }),
        ..Settings::default()
    }
}

/// What the node behind had.
struct Recovery {
    /// Of what was published meanwhile, the share that came.
    complete: f64,
    /// How long that took, in cycles.
    median: f64,
    before: f64,
    lowest: f64,
    /// Cycles after the return until it is as fresh as before.
    recovered: f64,
}

fn recovery(outcome: &Outcome, settings: &Settings<'_>, node: usize) -> Recovery {
    let ways = outcome.followed.iter().filter(|followed| followed.node == node);
    let items: Vec<(f64, f64)> = ways.flat_map(|followed| followed.items.iter().copied()).collect();
    let mut waits: Vec<f64> =
        items.iter().map(|(out, came)| came - out).filter(|wait| wait.is_finite()).collect();
    waits.sort_by(f64::total_cmp);
    let course = &outcome.courses[node];
    let sample = |cycle: f64| ((cycle - settings.warmup as f64) / settings.sample_every()) as usize;
    let (goes, back) = (sample(GOES), sample(GOES + AWAY));
    let before = course[..goes].iter().sum::<f64>() / goes as f64;
    // Single moments vary more than what is looked for: five cycles together.
    let smooth = |at: usize| course[at..(at + 5).min(course.len())].iter().sum::<f64>() / 5.0;
    let recovered = (back..course.len() - 5).find(|&at| smooth(at) >= before - WITHIN);
    Recovery {
        complete: waits.len() as f64 / items.len().max(1) as f64,
        median: waits.get(waits.len() / 2).copied().unwrap_or(f64::NAN),
        before,
        lowest: course[goes..back].iter().copied().fold(f64::INFINITY, f64::min),
        recovered: recovered.map_or(f64::NAN, |at| (at - back) as f64 * settings.sample_every()),
    }
}

/// `cascade-outage`.
pub(crate) fn cascade_outage(lab: &Lab) -> Result<Study, Invalid> {
    let shapes = shapes();
    let modes = Cooperation::SWITCHES;
    let contestants: Vec<(&Shape, Cooperation)> =
        shapes.iter().flat_map(|shape| modes.map(|mode| (shape, mode))).collect();
    let outcomes = play_all(lab, contestants.len(), |seed, n| {
        let (shape, mode) = contestants[n];
        shape.mesh.play(&settings(shape, mode), seed)
    })?;
    let mut columns: Vec<Column> = ["shape", "mode"].map(Column::left).to_vec();
    let headings = ["complete", "median", "fresh before", "lowest", "recovered after", "requests"];
    columns.extend(headings.map(Column::right));
    let mut table = Table { columns, rows: Vec::new() };
    let mut rows: Vec<Value> = Vec::new();
    for (&(shape, mode), worlds) in contestants.iter().zip(&outcomes) {
        let settings = settings(shape, mode);
        let all: Vec<Recovery> =
            worlds.iter().map(|outcome| recovery(outcome, &settings, shape.behind)).collect();
        let complete = Spread::of(&all, |recovery| recovery.complete);
        let median = Spread::of(&all, |recovery| recovery.median);
        let before = Spread::of(&all, |recovery| recovery.before);
        let lowest = Spread::of(&all, |recovery| recovery.lowest);
        let recovered = Spread::of(&all, |recovery| recovery.recovered);
        let requests = Spread::of(worlds, |outcome| outcome.nodes[shape.behind].requests);
        rows.push(json!({
            "shape": shape.name, "mode": mode.to_string(), "completeness": complete.mean,
            "completeness_deviation": complete.deviation, "delay_median": median.mean,
            "freshness_before": before.mean, "freshness_lowest": lowest.mean,
            "recovered": recovered.mean, "requests": requests.mean,
            "requests_per_item":
                Spread::of(worlds, |outcome| outcome.nodes[shape.behind].requests_per_item).mean,
        }));
        table.rows.push(vec![
            text(shape.name),
            text(mode),
            complete.cell(3),
            median.cell(1),
            before.cell(2),
            lowest.cell(2),
            recovered.cell(1),
            requests.cell(3),
        ]);
    }
    let charts = shapes.iter().enumerate().map(|(place, shape)| {
        let series = modes.iter().enumerate().map(|(mode, cooperation)| {
            let worlds = &outcomes[place * modes.len() + mode];
            let every = settings(shape, *cooperation).sample_every();
            let point = |sample: usize| {
                let held = Spread::of(worlds, |outcome| outcome.courses[shape.behind][sample]);
                (400.0 + (sample + 1) as f64 * every, held.mean)
            };
            let points = (80..190).map(point).collect();
            Series::new(cooperation.to_string(), Style::Steps, points)
        });
        Chart {
            title: format!("{}: the last node while one before it is away", shape.name),
            x: Axis::new("cycle", Scale::Linear),
            y: Axis::new("freshness", Scale::Linear).within(0.0, 1.0),
            series: series.collect(),
        }
    });
    let mut charts: Vec<Chart> = charts.collect();
    let (shape, settings, played) = (&shapes[0], settings(&shapes[0], modes[0]), &outcomes[0][0]);
    charts.push(thresholds(&shape.mesh.depths, &settings, played));
    let span = (GOES - 10.0, GOES + AWAY + 25.0);
    Ok(Study {
        picture: Picture::new(
            "The second of four nodes is away from cycle 500 to 540",
            &shape.mesh,
            &settings,
            played,
            span,
            16,
        ),
        report: Report {
            title: "A node is away, and those behind it".to_owned(),
            notes: vec![format!(
                "One node is away for {AWAY} cycles: the second of four in a chain, or one of the two ways of a \
                 diamond. At the last node: completeness and median delay (cycles) of what was published \
                 meanwhile; freshness before, the lowest while the other was away, and cycles after its return until within \
                 {WITHIN} of before. Each node with 20 relayed and 20 private sources, windows of 10, .35 refreshes per \
                 subscription and cycle, four decisions a cycle, messages of {} seconds; {} worlds from seed {}.",
                0.001 * CYCLE,
                lab.seeds,
                lab.seed
            )],
            table,
            json: json!({ "rows": rows, "thresholds": thresholds_json(&settings, played) }),
            charts,
        },
    })
}
