//! `cascade-tree`: the published topologies. Nodes are points in the plane, and each reads the one with the least
//! hops + α·distance: a small α makes a star, a larger one clusters, a large one a deep random tree. What does each
//! cost the readers, and what does cooperation save?

use pergola_refresh::Invalid;
use pergola_wiring::plane::{Plane, scatter};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use super::cascades::{Example, Figure, FigureRows, Findings, Study, play_all};
use crate::mesh::{Cooperation, Load, Mesh, Outcome, Settings, Wiring};
use crate::report::{Axis, Cell, Chart, Scale, Series, Style};
use crate::rows::Rows;
use crate::trials::{Lab, Spread};

const ALPHAS: [f64; 3] = [4.0, 20.0, 100.0];
const MODES: [Cooperation; 5] = Cooperation::SWITCHES;
const NODES: usize = 300;
const LOAD: Load = Load::new(6, 6);
/// Hops in the table; the JSON has all.
const SHOWN: [usize; 4] = [1, 3, 6, 12];

/// The tree of one seed. Nodes at the first hop read the sources.
fn mesh(alpha: f64, seed: u64) -> Result<Mesh, Invalid> {
    let refused = |error: pergola_wiring::plane::PlaneError| Invalid {
        what: "published topology",
        given: error.to_string(),
        allowed: "one that can be grown",
    };
    let points = scatter(NODES, &mut ChaCha8Rng::seed_from_u64(seed)).map_err(refused)?;
    let plane = Plane::grow(points, alpha).map_err(refused)?;
    let above = |&parent: &u32| (parent as usize).checked_sub(1).into_iter().collect();
    let parents: Vec<Vec<usize>> = plane.parents[1..].iter().map(above).collect();
    Ok(Mesh::new(Wiring::of_parents(&parents, LOAD)))
}

fn settings(cooperation: Cooperation) -> Settings<'static> {
    Settings {
        cooperation,
        decisions: 2,
        warmup: 300,
        measured: 300,
        samples: 60,
        ..Settings::default()
    }
}

/// α and mode.
type Contestant = (f64, Cooperation);

pub(crate) fn cascade_tree(lab: &Lab) -> Result<Study, Invalid> {
    let contestants: Vec<Contestant> =
        ALPHAS.iter().flat_map(|&alpha| MODES.map(|mode| (alpha, mode))).collect();
    let outcomes = play_all(lab, contestants.len(), |seed, n| {
        let (alpha, mode) = contestants[n];
        mesh(alpha, seed)?.play(&settings(mode), seed)
    })?;
    let mut notes = vec![format!(
        "{NODES} nodes below one another by hops + α·distance in the plane, each with 6 relayed and 6 private \
         sources of at most 3 items per cycle, .35 refreshes per subscription and cycle, two decisions a cycle; \
         delays in cycles; {} worlds from seed {}.",
        lab.seeds, lab.seed
    )];
    notes.extend(ALPHAS.iter().zip(outcomes.chunks(MODES.len())).map(|(alpha, modes)| {
        let depth = Spread::of(&modes[0], |outcome| outcome.hops.len() as f64);
        format!("α = {alpha}: {:.1} hops to the farthest node.", depth.mean)
    }));
    let figures: [(&str, Figure); 3] = [
        ("completeness", |figures| figures.completeness),
        ("freshness", |figures| figures.freshness),
        ("median delay (cycles)", |figures| figures.delay.median),
    ];
    // The picture shows the middle topology.
    let (shown, settings) = (mesh(ALPHAS[1], lab.seed)?, settings(MODES[0]));
    let example = Example { mesh: &shown, settings: &settings, outcome: &outcomes[MODES.len()][0] };
    let picture = example.picture("A tree, α = 20, plain pulling", 40.0);
    let findings = Findings {
        title: "The published topologies: star, clusters, random tree".to_owned(),
        notes,
        rows: rows(&contestants, &outcomes),
        charts: figures.map(|(name, figure)| chart(name, figure, &outcomes)).to_vec(),
        json: json!({}),
    };
    Ok(example.study(findings, picture))
}

fn rows(contestants: &[Contestant], outcomes: &[Vec<Outcome>]) -> Rows {
    let mut rows = FigureRows::new(&["alpha", "mode", "where"]);
    for (&(alpha, mode), worlds) in contestants.iter().zip(outcomes) {
        let labels = [Cell::number(alpha, 0), Cell::text(mode)];
        let shown = |hop: usize| SHOWN.contains(&hop) && mode == Cooperation::NONE;
        rows.add_hops(&labels, worlds, shown);
        rows.add_ends(&labels, worlds);
    }
    rows.rows
}

/// A figure at the ends by α, a line for each mode.
fn chart(name: &str, figure: Figure, outcomes: &[Vec<Outcome>]) -> Chart {
    let series = MODES.iter().enumerate().map(|(mode, cooperation)| {
        let by_alpha = outcomes
            .chunks(MODES.len())
            .map(|modes| Spread::of(&modes[mode], |outcome| figure(&outcome.leaves)).mean);
        let points = ALPHAS.into_iter().zip(by_alpha).collect();
        Series::new(cooperation.to_string(), Style::Line, points)
    });
    Chart {
        title: format!("{name} at the ends"),
        x: Axis::new("α", Scale::Log),
        y: Axis::new(name, Scale::Linear),
        series: series.collect(),
    }
}
