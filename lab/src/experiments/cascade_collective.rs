//! `cascade-collective`: neighbours tell each other what items are worth and shift budget to where a refresh
//! brings the most to the whole mesh, beside nodes that spend their budgets for themselves, at equal total
//! cost. And a mesh in which it cannot help.

use pergola_refresh::Invalid;
use serde_json::{Value, json};

use super::cascades::{Rows, Study, play_all, text, thresholds, thresholds_json};
use crate::mesh::picture::Picture;
use crate::mesh::{Collective, Cooperation, Load, Mesh, Outcome, Readers, Settings, Wiring};
use crate::report::{Axis, Chart, Report, Scale, Series, Style};
use crate::trials::{Lab, Spread};

const LOAD: Load = Load::new(8, 8);

struct Shape {
    name: &'static str,
    mesh: Mesh,
    readers: Readers,
    /// In how many of the modes it is played.
    modes: usize,
}

/// A tree in which many read through few, and a chain whose links all serve the one reader at its end.
fn shapes() -> [Shape; 2] {
    [
        Shape {
            name: "tree of 1, 3, 9, 27",
            mesh: Mesh::new(Wiring::tree(3, 4, LOAD)),
            readers: Readers::Everywhere,
            modes: MODES.len(),
        },
        Shape {
            name: "chain of 5, read at its end",
            mesh: Mesh::new(Wiring::chain(5, LOAD)),
            readers: Readers::AtTheEnds,
            modes: 1,
        },
    ]
}

/// Every node for itself; each of the two rules; both.
const WAYS: [(&str, Option<Collective>); 4] = [
    ("selfish", None),
    ("worth", Some(Collective { eagerness: 0.0, ..Collective::BOTH })),
    ("shifts", Some(Collective { worth: false, ..Collective::BOTH })),
    ("collective", Some(Collective::BOTH)),
];
const MODES: [Cooperation; 3] = [Cooperation::NONE, Cooperation::ARCHIVE, Cooperation::HINTS];

/// A shape, a mode, a way.
type Contestant = (usize, usize, usize);

fn settings(shapes: &[Shape], &(shape, mode, way): &Contestant) -> Settings<'static> {
    Settings {
        cooperation: MODES[mode],
        collective: WAYS[way].1,
        readers: shapes[shape].readers,
        decisions: 4,
        warmup: 800,
        measured: 300,
        samples: 100,
        ..Settings::default()
    }
}

/// `cascade-collective`.
pub(crate) fn cascade_collective(lab: &Lab) -> Result<Study, Invalid> {
    let shapes = shapes();
    let mut contestants: Vec<Contestant> = Vec::new();
    for (shape, Shape { modes, .. }) in shapes.iter().enumerate() {
        for mode in 0..*modes {
            contestants.extend((0..WAYS.len()).map(|way| (shape, mode, way)));
        }
    }
    let outcomes = play_all(lab, contestants.len(), |seed, n| {
        let contestant = &contestants[n];
        shapes[contestant.0].mesh.play(&settings(&shapes, contestant), seed)
    })?;
    let of = |shape: usize, mode: usize, way: usize| {
        let before: usize = shapes[..shape].iter().map(|shape| shape.modes).sum();
        outcomes[(before + mode) * WAYS.len() + way].as_slice()
    };
    let mut rows = Rows::new(&["shape", "mode", "way", "where"]);
    for (&(shape, mode, way), worlds) in contestants.iter().zip(&outcomes) {
        let labels = |place: String| {
            vec![text(shapes[shape].name), text(MODES[mode]), text(WAYS[way].0), text(place)]
        };
        rows.add(labels("ends".to_owned()), worlds, &|outcome| &outcome.leaves, true);
        for hop in 0..worlds[0].hops.len() {
            let place = format!("hop {}", hop + 1);
            rows.add(labels(place), worlds, &|outcome| &outcome.hops[hop], false);
        }
    }
    let mut gains: Vec<Value> = Vec::new();
    let mut notes = vec![format!(
        "Each node with 8 relayed and 8 private sources of at most 3 items per cycle, windows of 10, .35 \
         refreshes per subscription and cycle in the mean, four decisions a cycle; delays in cycles; {} worlds from seed {}. Gains are differences within the same world.",
        lab.seeds, lab.seed
    )];
    for (shape, Shape { name, modes, .. }) in shapes.iter().enumerate() {
        for (mode, cooperation) in MODES.iter().take(*modes).enumerate() {
            for (way, (way_name, _)) in WAYS.iter().enumerate().skip(1) {
                let pairs: Vec<(&Outcome, &Outcome)> =
                    of(shape, mode, 0).iter().zip(of(shape, mode, way)).collect();
                let fresh = Spread::of(&pairs, |(selfish, ours)| {
                    ours.leaves.freshness - selfish.leaves.freshness
                });
                let delay = Spread::of(&pairs, |(selfish, ours)| {
                    ours.leaves.delay.mean / selfish.leaves.delay.mean
                });
                let cost = Spread::of(&pairs, |(selfish, ours)| ours.cost / selfish.cost);
                let better = pairs
                    .iter()
                    .filter(|(selfish, ours)| ours.leaves.freshness > selfish.leaves.freshness)
                    .count();
                gains.push(json!({
                    "shape": name, "mode": cooperation.to_string(), "way": way_name,
                    "freshness": fresh.mean, "freshness_deviation": fresh.deviation,
                    "delay_ratio": delay.mean, "delay_ratio_deviation": delay.deviation,
                    "cost_ratio": cost.mean, "cost_ratio_deviation": cost.deviation,
                    "better": better, "worlds": pairs.len(),
                }));
                notes.push(format!(
                    "{name}, {cooperation}, {way_name}: freshness at the ends {:+.3} ± {:.3}, mean delay × {:.3} ± \
                     {:.3}, cost × {:.3}; fresher in {better} of {} worlds.",
                    fresh.mean,
                    fresh.deviation,
                    delay.mean,
                    delay.deviation,
                    cost.mean,
                    pairs.len()
                ));
            }
        }
    }
    let whole = WAYS.len() - 1;
    let mut charts: Vec<Chart> = shapes
        .iter()
        .enumerate()
        .map(|(shape, Shape { name, mesh, .. })| {
            let settings = settings(&shapes, &(shape, 0, whole));
            budgets(name, mesh, &settings, &of(shape, 0, whole)[0])
        })
        .collect();
    let settings = settings(&shapes, &(0, 0, whole));
    let played = &of(0, 0, whole)[0];
    charts.push(thresholds(&shapes[0].mesh.depths, &settings, played));
    let span = (settings.warmup as f64, settings.warmup as f64 + 42.0);
    Ok(Study {
        picture: Picture::new(
            "A tree that shares its budget",
            &shapes[0].mesh,
            &settings,
            played,
            span,
            8,
        ),
        report: Report {
            title: "A budget that nodes share, beside every node for itself".to_owned(),
            notes,
            table: rows.table,
            json: json!({
                "rows": rows.json,
                "gains": gains,
                "thresholds": thresholds_json(&settings, played),
            }),
            charts,
        },
    })
}

/// What nodes may spend over time, by hop, as a share of what they began with.
fn budgets(name: &str, mesh: &Mesh, settings: &Settings<'_>, outcome: &Outcome) -> Chart {
    let deepest = mesh.depths.iter().copied().max().unwrap_or(0);
    let series = (1..=deepest).map(|depth| {
        let here = mesh.depths.iter().zip(&outcome.budgets).filter(|(other, _)| **other == depth);
        let nodes: Vec<&Vec<f64>> = here.map(|(_, course)| course).collect();
        let share = |at: usize| {
            nodes.iter().map(|course| course[at] / course[0]).sum::<f64>() / nodes.len() as f64
        };
        let moment = |at: usize| (at + 1) as f64 * settings.sample_every();
        let samples = nodes.iter().map(|course| course.len()).min().unwrap_or(0);
        let step = (samples / 100).max(1);
        let points = (0..samples).step_by(step).map(|at| (moment(at), share(at))).collect();
        Series::new(format!("hop {depth}"), Style::Line, points)
    });
    Chart {
        title: format!("budgets: {name}"),
        x: Axis::new("cycle", Scale::Linear),
        y: Axis::new("of what it began with", Scale::Log),
        series: series.collect(),
    }
}
