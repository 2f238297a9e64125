//! `cascade-collective`: neighbours tell each other what items are worth and shift budget to where a refresh
//! gains most for the whole mesh. Compared, at equal total cost, with nodes that spend their budgets for
//! themselves; and with a mesh in which sharing cannot help.

use pergola_refresh::Invalid;
use serde_json::{Value, json};

use super::cascades::{Example, FigureRows, Findings, Study, play_all};
use crate::mesh::{Collective, Cooperation, Load, Mesh, Outcome, Readers, Settings, Wiring};
use crate::report::{Axis, Cell, Chart, Scale, Series, Style};
use crate::rows::Rows;
use crate::trials::{Lab, Spread};

const LOAD: Load = Load::new(8, 8);

struct Setup {
    name: &'static str,
    mesh: Mesh,
    readers: Readers,
    /// It is played in so many of the modes.
    modes: usize,
}

/// A tree in which many read through few, and a chain whose links all serve the one reader at its end.
fn setups() -> [Setup; 2] {
    [
        Setup {
            name: "tree of 1, 3, 9, 27",
            mesh: Mesh::new(Wiring::tree(3, 4, LOAD)),
            readers: Readers::Everywhere,
            modes: MODES.len(),
        },
        Setup {
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
/// The number of the way with both rules.
const BOTH: usize = WAYS.len() - 1;

/// The numbers of a setup, a mode and a way.
type Contestant = (usize, usize, usize);

/// Every contestant in every world.
struct Played {
    setups: [Setup; 2],
    contestants: Vec<Contestant>,
    outcomes: Vec<Vec<Outcome>>,
}

pub(crate) fn cascade_collective(lab: &Lab) -> Result<Study, Invalid> {
    let played = Played::new(lab)?;
    let gains = played.gains();
    let mut notes = vec![format!(
        "Each node with 8 relayed and 8 private sources of at most 3 items per cycle, windows of 10, .35 \
         refreshes per subscription and cycle in the mean, four decisions a cycle; delays in cycles; {} worlds from seed {}. Gains are differences within the same world.",
        lab.seeds, lab.seed
    )];
    notes.extend(gains.iter().map(Gain::note));
    let settings = settings(&played.setups, &(0, 0, BOTH));
    let example = Example {
        mesh: &played.setups[0].mesh,
        settings: &settings,
        outcome: &played.outcomes_of((0, 0, BOTH))[0],
    };
    let picture = example.picture("A tree that shares its budget", 42.0);
    let findings = Findings {
        title: "A shared budget compared to every node for itself".to_owned(),
        notes,
        rows: played.rows(),
        charts: (0..played.setups.len()).map(|setup| played.budgets(setup)).collect(),
        json: json!({ "gains": gains.iter().map(Gain::json).collect::<Vec<_>>() }),
    };
    Ok(example.study(findings, picture))
}

fn settings(setups: &[Setup], &(setup, mode, way): &Contestant) -> Settings<'static> {
    Settings {
        cooperation: MODES[mode],
        collective: WAYS[way].1,
        readers: setups[setup].readers,
        decisions: 4,
        warmup: 800,
        measured: 300,
        samples: 100,
        ..Settings::default()
    }
}

impl Played {
    fn new(lab: &Lab) -> Result<Self, Invalid> {
        let setups = setups();
        let mut contestants: Vec<Contestant> = Vec::new();
        for (setup, Setup { modes, .. }) in setups.iter().enumerate() {
            for mode in 0..*modes {
                contestants.extend((0..WAYS.len()).map(|way| (setup, mode, way)));
            }
        }
        let outcomes = play_all(lab, contestants.len(), |seed, n| {
            let contestant = &contestants[n];
            setups[contestant.0].mesh.play(&settings(&setups, contestant), seed)
        })?;
        Ok(Self { setups, contestants, outcomes })
    }

    fn outcomes_of(&self, (setup, mode, way): Contestant) -> &[Outcome] {
        let before: usize = self.setups[..setup].iter().map(|setup| setup.modes).sum();
        &self.outcomes[(before + mode) * WAYS.len() + way]
    }

    fn rows(&self) -> Rows {
        let mut rows = FigureRows::new(&["shape", "mode", "way", "where"]);
        for (&(setup, mode, way), worlds) in self.contestants.iter().zip(&self.outcomes) {
            let labels = [
                Cell::text(self.setups[setup].name),
                Cell::text(MODES[mode]),
                Cell::text(WAYS[way].0),
            ];
            rows.add_ends(&labels, worlds);
            rows.add_hops(&labels, worlds, |_| false);
        }
        rows.rows
    }

    /// What each way gains over every node for itself.
    fn gains(&self) -> Vec<Gain> {
        let shared = self.contestants.iter().filter(|&&(_, _, way)| way > 0);
        let gain = |&(setup, mode, way): &Contestant| {
            let selfish = self.outcomes_of((setup, mode, 0));
            let ours = self.outcomes_of((setup, mode, way));
            Gain::new([self.setups[setup].name, WAYS[way].0], MODES[mode], selfish, ours)
        };
        shared.map(gain).collect()
    }

    /// The budgets of the nodes over time, by hop, as a share of what they began with.
    fn budgets(&self, setup: usize) -> Chart {
        let Setup { name, mesh, .. } = &self.setups[setup];
        let settings = settings(&self.setups, &(setup, 0, BOTH));
        let outcome = &self.outcomes_of((setup, 0, BOTH))[0];
        let deepest = mesh.depths.iter().copied().max().unwrap_or(0);
        let series = (1..=deepest).map(|depth| {
            let at_depth = mesh.depths.iter().zip(&outcome.budgets);
            let at_depth = at_depth.filter(|(other, _)| **other == depth);
            let nodes: Vec<&Vec<f64>> = at_depth.map(|(_, course)| course).collect();
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
            y: Axis::new("share of the first budget", Scale::Log),
            series: series.collect(),
        }
    }
}

/// One way beside every node for itself, world by world.
struct Gain {
    setup: &'static str,
    mode: Cooperation,
    way: &'static str,
    freshness: Spread,
    delay: Spread,
    cost: Spread,
    /// Worlds in which the ends are fresher.
    better: usize,
    worlds: usize,
}

impl Gain {
    fn new(
        [setup, way]: [&'static str; 2],
        mode: Cooperation,
        selfish: &[Outcome],
        ours: &[Outcome],
    ) -> Self {
        let pairs: Vec<(&Outcome, &Outcome)> = selfish.iter().zip(ours).collect();
        let spread = |figure: fn(&Outcome, &Outcome) -> f64| {
            Spread::of(&pairs, |(selfish, ours)| figure(selfish, ours))
        };
        let better = pairs
            .iter()
            .filter(|(selfish, ours)| ours.leaves.freshness > selfish.leaves.freshness)
            .count();
        Self {
            setup,
            mode,
            way,
            freshness: spread(|selfish, ours| ours.leaves.freshness - selfish.leaves.freshness),
            delay: spread(|selfish, ours| ours.leaves.delay.mean / selfish.leaves.delay.mean),
            cost: spread(|selfish, ours| ours.cost / selfish.cost),
            better,
            worlds: pairs.len(),
        }
    }

    fn json(&self) -> Value {
        let Self { freshness, delay, cost, .. } = self;
        json!({
            "shape": self.setup, "mode": self.mode.to_string(), "way": self.way,
            "freshness": freshness.mean, "freshness_deviation": freshness.deviation,
            "delay_ratio": delay.mean, "delay_ratio_deviation": delay.deviation,
            "cost_ratio": cost.mean, "cost_ratio_deviation": cost.deviation,
            "better": self.better, "worlds": self.worlds,
        })
    }

    fn note(&self) -> String {
        let Self { setup, mode, way, freshness, delay, cost, better, worlds } = self;
        format!(
            "{setup}, {mode}, {way}: freshness at the ends {:+.3} ± {:.3}, mean delay × {:.3} ± \
             {:.3}, cost × {:.3}; fresher in {better} of {worlds} worlds.",
            freshness.mean, freshness.deviation, delay.mean, delay.deviation, cost.mean,
        )
    }
}
