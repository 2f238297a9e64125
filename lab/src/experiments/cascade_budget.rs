//! `cascade-budget`: what the readers at the ends of a mesh get for its total budget, and where that budget
//! should sit: near the sources or near the readers.

use pergola_refresh::Invalid;
use serde_json::json;

use super::cascades::{Figure, Rows, Study, number, play_all, text, thresholds, thresholds_json};
use crate::mesh::picture::Picture;
use crate::mesh::{Cooperation, Load, Mesh, Outcome, Settings, Wiring};
use crate::report::{Axis, Chart, Report, Scale, Series, Style};
use crate::trials::{Lab, Spread};

const BUDGETS: [f64; 6] = [0.1, 0.2, 0.35, 0.5, 1.0, 2.0];
/// How much more per subscription a node has than one a hop nearer to the sources.
const SKEWS: [f64; 7] = [0.25, 0.4, 0.63, 1.0, 1.6, 2.5, 4.0];
const USUAL: f64 = 0.35;
const MODES: [Cooperation; 3] = [Cooperation::NONE, Cooperation::HINTS, Cooperation::ARCHIVE];

/// A shape, its budget and where it sits, and what neighbours do.
type Contestant = (usize, f64, f64, Cooperation);

fn shapes() -> [(&'static str, Mesh); 2] {
    let load = Load::new(10, 10);
    [
        ("chain of 4", Mesh::new(Wiring::chain(4, load))),
        ("tree of 1, 3, 9, 27", Mesh::new(Wiring::tree(3, 4, load))),
    ]
}

fn settings(&(_, budget, skew, cooperation): &Contestant) -> Settings<'static> {
    Settings { budget, skew, cooperation, decisions: 4, samples: 100, ..Settings::default() }
}

/// `cascade-budget`.
pub(crate) fn cascade_budget(lab: &Lab) -> Result<Study, Invalid> {
    let shapes = shapes();
    let mut contestants: Vec<Contestant> = Vec::new();
    for shape in 0..shapes.len() {
        for mode in MODES {
            contestants.extend(BUDGETS.map(|budget| (shape, budget, 1.0, mode)));
            let skewed = SKEWS.into_iter().filter(|&skew| skew != 1.0);
            contestants.extend(skewed.map(|skew| (shape, USUAL, skew, mode)));
        }
    }
    let outcomes = play_all(lab, contestants.len(), |seed, n| {
        shapes[contestants[n].0].1.play(&settings(&contestants[n]), seed)
    })?;
    let mut rows = Rows::new(&["shape", "mode", "budget", "skew"]);
    for (&(shape, budget, skew, mode), worlds) in contestants.iter().zip(&outcomes) {
        let labels = vec![text(shapes[shape].0), text(mode), number(budget, 2), number(skew, 2)];
        rows.add(labels, worlds, &|outcome| &outcome.leaves, mode != Cooperation::ARCHIVE);
    }
    let of = |wanted: &Contestant| -> &[Outcome] {
        let place = contestants.iter().position(|contestant| contestant == wanted);
        place.map_or(&[], |place| &outcomes[place])
    };
    let mean = |contestant: &Contestant, figure: Figure| {
        Spread::of(of(contestant), |outcome| figure(&outcome.leaves)).mean
    };
    let mut charts = Vec::new();
    for (name, scale, xs) in [
        ("refreshes per subscription and cycle", Scale::Log, BUDGETS.as_slice()),
        ("budget of a hop over that of the hop before", Scale::Log, SKEWS.as_slice()),
    ] {
        let figures: [(&str, Figure); 2] = [
            ("freshness at the ends", |figures| figures.freshness),
            ("median delay at the ends (cycles)", |figures| figures.delay.median),
        ];
        for (label, figure) in figures {
            let series = (0..shapes.len()).flat_map(|shape| {
                let (mean, shapes, xs) = (&mean, &shapes, xs);
                MODES[..2].iter().map(move |&mode| {
                    let point = |&x: &f64| {
                        let is_budget = xs == BUDGETS;
                        let (budget, skew) = if is_budget { (x, 1.0) } else { (USUAL, x) };
                        (x, mean(&(shape, budget, skew, mode), figure))
                    };
                    let name = format!("{}, {mode}", shapes[shape].0);
                    Series::new(name, Style::Line, xs.iter().map(point).collect())
                })
            });
            charts.push(Chart {
                title: label.to_owned(),
                x: Axis::new(name, scale.clone()),
                y: Axis::new(label, Scale::Linear),
                series: series.collect(),
            });
        }
    }
    let mut notes = vec![format!(
        "Each node with 10 relayed and 10 private sources of at most 3 items per cycle, windows of 10, four \
         decisions a cycle. Skew: a node has so many times as much per subscription as one a hop nearer to the \
         sources, at equal total. Figures at the ends, delays in cycles; {} worlds from seed {}.",
        lab.seeds, lab.seed
    )];
    for (shape, (name, _)) in shapes.iter().enumerate() {
        for mode in MODES {
            let delay = |skew: &f64| mean(&(shape, USUAL, *skew, mode), |f| f.delay.mean);
            let best = SKEWS.iter().min_by(|a, b| delay(a).total_cmp(&delay(b))).unwrap_or(&1.0);
            notes.push(format!(
                "{name}, {mode}: least mean delay at skew {best}: {:.2} cycles ({:.2} where all have the same).",
                delay(best),
                delay(&1.0)
            ));
        }
    }
    let tree = (1, USUAL, 1.0, Cooperation::NONE);
    let (mesh, settings, played) = (&shapes[1].1, settings(&tree), &of(&tree)[0]);
    charts.push(thresholds(&mesh.depths, &settings, played));
    let span = (settings.warmup as f64, settings.warmup as f64 + 42.0);
    Ok(Study {
        picture: Picture::new("A tree that pulls", mesh, &settings, played, span, 8),
        report: Report {
            title: "What a mesh's budget buys, and where it should sit".to_owned(),
            notes,
            table: rows.table,
            json: json!({
                "rows": rows.json,
                "thresholds": thresholds_json(&settings, played),
            }),
            charts,
        },
    })
}
