//! `cascade`: any mesh that the user names: by hop, at its ends, and node by node. What it prints for a graph is
//! the prediction for real nodes that are wired by that graph.

use pergola_refresh::Invalid;
use serde_json::json;

use super::cascades::{Example, FigureRows, Findings, Study, by_hop, play_all};
use crate::mesh::{Cooperation, Mesh, Outcome, Settings};
use crate::report::Cell;
use crate::rows::Rows;
use crate::trials::Lab;

/// Larger meshes are shown by hop only; the JSON has every node.
const NODES_SHOWN: usize = 12;

pub(crate) fn cascade(
    lab: &Lab,
    mesh: &Mesh,
    settings: &Settings<'_>,
    modes: &[Cooperation],
) -> Result<Study, Invalid> {
    let with = |&cooperation: &Cooperation| Settings { cooperation, ..settings.clone() };
    let outcomes = play_all(lab, modes.len(), |seed, n| mesh.play(&with(&modes[n]), seed))?;
    let named: Vec<(String, &[Outcome])> = modes
        .iter()
        .zip(&outcomes)
        .map(|(mode, worlds)| (mode.to_string(), worlds.as_slice()))
        .collect();
    let example = Example { mesh, settings, outcome: &outcomes[0][0] };
    let from = settings.warmup as f64;
    let span = (from, from + settings.measured.min(48) as f64);
    let picture = example.picture_of(&format!("A mesh, {}", modes[0]), span, 16);
    let findings = Findings {
        title: "A mesh, by how neighbours cooperate".to_owned(),
        notes: vec![note(lab, mesh, settings)],
        rows: rows(mesh, &named),
        charts: vec![
            by_hop("completeness", &named, |figures| figures.completeness),
            by_hop("freshness", &named, |figures| figures.freshness),
            by_hop("median delay (cycles)", &named, |figures| figures.delay.median),
        ],
        json: json!({
            "cost": outcomes.iter().map(|worlds| worlds[0].cost).collect::<Vec<_>>(),
            "events": outcomes.iter().flatten().map(|outcome| outcome.events).sum::<u64>(),
        }),
    };
    Ok(example.study(findings, picture))
}

fn rows(mesh: &Mesh, named: &[(String, &[Outcome])]) -> Rows {
    let mut rows = FigureRows::new(&["mode", "where"]);
    let shown = mesh.wiring.nodes.len() <= NODES_SHOWN;
    for (mode, worlds) in named {
        let mode = Cell::text(mode);
        rows.add_hops(std::slice::from_ref(&mode), worlds, |_| true);
        rows.add_ends(std::slice::from_ref(&mode), worlds);
        for (node, name) in mesh.wiring.nodes.iter().enumerate() {
            let labels = vec![mode.clone(), Cell::text(name)];
            rows.add(labels, worlds, &|outcome| &outcome.nodes[node], shown);
        }
    }
    rows.rows
}

fn note(lab: &Lab, mesh: &Mesh, settings: &Settings<'_>) -> String {
    format!(
        "{} nodes and {} sources; {} refreshes per subscription and cycle, {} decisions a cycle, {} with the \
         model {}, windows of {} (sources) and {} (feeds); delays in cycles; {} worlds from seed {}.",
        mesh.wiring.nodes.len(),
        mesh.wiring.sources.len(),
        settings.budget,
        settings.decisions,
        settings.strategy.name(),
        settings.model.name(),
        settings.window,
        settings.feed_window,
        lab.seeds,
        lab.seed
    )
}
