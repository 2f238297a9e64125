//! `cascade-budget`: what the readers at the ends of a mesh get for its total budget, and whether the budget
//! should be spent near the sources or near the readers.

use pergola_refresh::Invalid;
use serde_json::json;

use super::cascades::{Example, Figure, FigureRows, Findings, Study, play_all};
use crate::mesh::{Cooperation, Load, Mesh, Outcome, Settings, Wiring};
use crate::report::{Axis, Cell, Chart, Scale, Series, Style};
use crate::rows::Rows;
use crate::trials::{Lab, Spread};

const BUDGETS: [f64; 6] = [0.1, 0.2, 0.35, 0.5, 1.0, 2.0];
/// Budget per subscription of a node, divided by that of a node one hop nearer to the sources.
const SKEWS: [f64; 7] = [0.25, 0.4, 0.63, 1.0, 1.6, 2.5, 4.0];
const USUAL: f64 = 0.35;
const MODES: [Cooperation; 3] = [Cooperation::NONE, Cooperation::HINTS, Cooperation::ARCHIVE];

/// Number of the mesh, budget, skew of the budget, mode.
type Contestant = (usize, f64, f64, Cooperation);

fn meshes() -> [(&'static str, Mesh); 2] {
    let load = Load::new(10, 10);
    [
        ("chain of 4", Mesh::new(Wiring::chain(4, load))),
        ("tree of 1, 3, 9, 27", Mesh::new(Wiring::tree(3, 4, load))),
    ]
}

fn settings(&(_, budget, skew, cooperation): &Contestant) -> Settings<'static> {
    Settings { budget, skew, cooperation, decisions: 4, samples: 100, ..Settings::default() }
}

/// Every contestant in every world.
struct Played {
    meshes: [(&'static str, Mesh); 2],
    contestants: Vec<Contestant>,
    outcomes: Vec<Vec<Outcome>>,
}

pub(crate) fn cascade_budget(lab: &Lab) -> Result<Study, Invalid> {
    let played = Played::new(lab)?;
    let mut notes = vec![format!(
        "Each node with 10 relayed and 10 private sources of at most 3 items per cycle, windows of 10, four \
         decisions a cycle. Skew: the budget per subscription of a node, divided by that of a node one hop nearer \
         to the sources; the total is the same. Figures at the ends, delays in cycles; {} worlds from seed {}.",
        lab.seeds, lab.seed
    )];
    notes.extend(played.best_skews());
    let tree = (1, USUAL, 1.0, Cooperation::NONE);
    let settings = settings(&tree);
    let example = Example {
        mesh: &played.meshes[1].1,
        settings: &settings,
        outcome: &played.outcomes_of(&tree)[0],
    };
    let picture = example.picture("A tree that pulls", 42.0);
    let findings = Findings {
        title: "What the budget of a mesh buys, and where to spend it".to_owned(),
        notes,
        rows: played.rows(),
        charts: played.charts(),
        json: json!({}),
    };
    Ok(example.study(findings, picture))
}

impl Played {
    fn new(lab: &Lab) -> Result<Self, Invalid> {
        let meshes = meshes();
        let mut contestants: Vec<Contestant> = Vec::new();
        for mesh in 0..meshes.len() {
            for mode in MODES {
                contestants.extend(BUDGETS.map(|budget| (mesh, budget, 1.0, mode)));
                let skewed = SKEWS.into_iter().filter(|&skew| skew != 1.0);
                contestants.extend(skewed.map(|skew| (mesh, USUAL, skew, mode)));
            }
        }
        let outcomes = play_all(lab, contestants.len(), |seed, n| {
            meshes[contestants[n].0].1.play(&settings(&contestants[n]), seed)
        })?;
        Ok(Self { meshes, contestants, outcomes })
    }

    fn outcomes_of(&self, wanted: &Contestant) -> &[Outcome] {
        let found = self.contestants.iter().position(|contestant| contestant == wanted);
        found.map_or(&[], |found| &self.outcomes[found])
    }

    fn mean(&self, contestant: &Contestant, figure: Figure) -> f64 {
        Spread::of(self.outcomes_of(contestant), |outcome| figure(&outcome.leaves)).mean
    }

    fn rows(&self) -> Rows {
        let mut rows = FigureRows::new(&["shape", "mode", "budget", "skew"]);
        for (&(mesh, budget, skew, mode), worlds) in self.contestants.iter().zip(&self.outcomes) {
            let labels = vec![
                Cell::text(self.meshes[mesh].0),
                Cell::text(mode),
                Cell::number(budget, 2),
                Cell::number(skew, 2),
            ];
            rows.add(labels, worlds, &|outcome| &outcome.leaves, mode != Cooperation::ARCHIVE);
        }
        rows.rows
    }

    /// Freshness and delay, by the budget and then by its skew.
    fn charts(&self) -> Vec<Chart> {
        let by_budget: fn(f64) -> (f64, f64) = |budget| (budget, 1.0);
        let by_skew: fn(f64) -> (f64, f64) = |skew| (USUAL, skew);
        let figures: [(&str, Figure); 2] = [
            ("freshness at the ends", |figures| figures.freshness),
            ("median delay at the ends (cycles)", |figures| figures.delay.median),
        ];
        let mut charts = Vec::new();
        for (x, values, setting) in [
            ("refreshes per subscription and cycle", &BUDGETS[..], by_budget),
            ("budget of a hop over that of the hop before", &SKEWS[..], by_skew),
        ] {
            for (y, figure) in figures {
                let mut series = Vec::new();
                for (mesh, (name, _)) in self.meshes.iter().enumerate() {
                    for &mode in &MODES[..2] {
                        let point = |&x: &f64| {
                            let (budget, skew) = setting(x);
                            (x, self.mean(&(mesh, budget, skew, mode), figure))
                        };
                        let points = values.iter().map(point).collect();
                        series.push(Series::new(format!("{name}, {mode}"), Style::Line, points));
                    }
                }
                charts.push(Chart {
                    title: y.to_owned(),
                    x: Axis::new(x, Scale::Log),
                    y: Axis::new(y, Scale::Linear),
                    series,
                });
            }
        }
        charts
    }

    /// For each mesh and mode, the skew with the least delay.
    fn best_skews(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for (mesh, (name, _)) in self.meshes.iter().enumerate() {
            for mode in MODES {
                let delay = |skew: &f64| self.mean(&(mesh, USUAL, *skew, mode), |f| f.delay.mean);
                let best =
                    SKEWS.iter().min_by(|a, b| delay(a).total_cmp(&delay(b))).unwrap_or(&1.0);
                notes.push(format!(
                    "{name}, {mode}: least mean delay at skew {best}: {:.2} cycles ({:.2} where all have the same).",
                    delay(best),
                    delay(&1.0)
                ));
            }
        }
        notes
    }
}
