//! `cascade-tree`: the published topologies. Points in the plane, each below the one with the least hops +
//! α·distance: little α makes a star, more α clusters, much α a deep random tree. What does each cost the
//! readers, and what does cooperation save?

use pergola_refresh::Invalid;
use pergola_wiring::plane::{Plane, scatter};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use super::cascades::{Rows, Study, number, play_all, text, thresholds, thresholds_json};
use crate::mesh::picture::Picture;
use crate::mesh::{Cooperation, Load, Mesh, Outcome, Settings, Wiring};
use crate::report::{Axis, Cell, Chart, Report, Scale, Series, Style};
use crate::trials::{Lab, Spread};

const ALPHAS: [f64; 3] = [4.0, 20.0, 100.0];
const NODES: usize = 300;
const LOAD: Load = Load::new(6, 6);
/// Hops that the table shows; the JSON has all.
const SHOWN: [usize; 4] = [1, 3, 6, 12];

/// The tree of one seed. Whoever is right below the source reads the sources itself.
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

/// `cascade-tree`.
pub(crate) fn cascade_tree(lab: &Lab) -> Result<Study, Invalid> {
    let modes = Cooperation::SWITCHES;
    let contestants: Vec<(f64, Cooperation)> =
        ALPHAS.iter().flat_map(|&alpha| modes.map(|mode| (alpha, mode))).collect();
    let outcomes = play_all(lab, contestants.len(), |seed, n| {
        let (alpha, mode) = contestants[n];
        mesh(alpha, seed)?.play(&settings(mode), seed)
    })?;
    let mut rows = Rows::new(&["alpha", "mode", "where"]);
    for (&(alpha, mode), worlds) in contestants.iter().zip(&outcomes) {
        let labels = |place: String| vec![number(alpha, 0), text(mode), Cell::Text(place)];
        // Trees of different worlds are not equally deep.
        let hops = worlds.iter().map(|outcome| outcome.hops.len()).min().unwrap_or(0);
        for hop in 1..=hops {
            let shown = SHOWN.contains(&hop) && mode == Cooperation::NONE;
            rows.add(
                labels(format!("hop {hop}")),
                worlds,
                &|outcome| &outcome.hops[hop - 1],
                shown,
            );
        }
        rows.add(labels("ends".to_owned()), worlds, &|outcome| &outcome.leaves, true);
    }
    let depth = |n: usize| Spread::of(&outcomes[n], |outcome| outcome.hops.len() as f64);
    let mut notes = vec![format!(
        "{NODES} nodes below one another by hops + α·distance in the plane, each with 6 relayed and 6 private \
         sources of at most 3 items per cycle, .35 refreshes per subscription and cycle, two decisions a cycle; \
         delays in cycles; {} worlds from seed {}.",
        lab.seeds, lab.seed
    )];
    notes.extend(ALPHAS.iter().enumerate().map(|(n, alpha)| {
        format!("α = {alpha}: {:.1} hops to the farthest node.", depth(n * modes.len()).mean)
    }));
    let charts = ["completeness", "freshness", "median delay (cycles)"].map(|name| {
        let series = modes.iter().enumerate().map(|(mode, cooperation)| {
            let at = |alpha: usize| &outcomes[alpha * modes.len() + mode];
            let spread = |worlds: &Vec<Outcome>| {
                Spread::of(worlds, |outcome| match name {
                    "completeness" => outcome.leaves.completeness,
                    "freshness" => outcome.leaves.freshness,
                    _ => outcome.leaves.delay.median,
                })
            };
            let points = (0..ALPHAS.len()).map(|alpha| (ALPHAS[alpha], spread(at(alpha)).mean));
            Series::new(cooperation.to_string(), Style::Line, points.collect())
        });
        Chart {
            title: format!("{name} at the ends"),
            x: Axis::new("α", Scale::Log),
            y: Axis::new(name, Scale::Linear),
            series: series.collect(),
        }
    });
    // The picture shows the middle topology.
    let (shown, settings) = (mesh(ALPHAS[1], lab.seed)?, settings(Cooperation::NONE));
    let played = &outcomes[modes.len()][0];
    let mut charts = charts.to_vec();
    charts.push(thresholds(&shown.depths, &settings, played));
    let span = (settings.warmup as f64, settings.warmup as f64 + 40.0);
    Ok(Study {
        picture: Picture::new("A tree, α = 20, plain pulling", &shown, &settings, played, span, 8),
        report: Report {
            title: "The published topologies: star, clusters, random tree".to_owned(),
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
