//! `cascade`: any mesh, as asked for: by hop, at its ends, and node by node. What it prints for a graph is what
//! nodes wired by that graph should show.

use pergola_refresh::Invalid;
use serde_json::json;

use super::cascades::{Rows, Study, by_hop, play_all, text, thresholds, thresholds_json};
use crate::mesh::picture::Picture;
use crate::mesh::{Cooperation, Mesh, Outcome, Settings};
use crate::report::Report;
use crate::trials::Lab;

/// Meshes of more nodes are shown by hop only; the JSON has all.
const NODES_SHOWN: usize = 12;

/// `cascade`.
pub(crate) fn cascade(
    lab: &Lab,
    mesh: &Mesh,
    settings: &Settings<'_>,
    modes: &[Cooperation],
) -> Result<Study, Invalid> {
    let with = |&cooperation: &Cooperation| Settings { cooperation, ..settings.clone() };
    let outcomes = play_all(lab, modes.len(), |seed, n| mesh.play(&with(&modes[n]), seed))?;
    let mut rows = Rows::new(&["mode", "where"]);
    for (mode, worlds) in modes.iter().zip(&outcomes) {
        for hop in 0..worlds[0].hops.len() {
            let place = text(format!("hop {}", hop + 1));
            rows.add(vec![text(mode), place], worlds, &|outcome| &outcome.hops[hop], true);
        }
        rows.add(vec![text(mode), text("ends")], worlds, &|outcome| &outcome.leaves, true);
        let shown = mesh.wiring.nodes.len() <= NODES_SHOWN;
        for (node, name) in mesh.wiring.nodes.iter().enumerate() {
            rows.add(vec![text(mode), text(name)], worlds, &|outcome| &outcome.nodes[node], shown);
        }
    }
    let named: Vec<(String, &[Outcome])> = modes
        .iter()
        .zip(&outcomes)
        .map(|(mode, worlds)| (mode.to_string(), worlds.as_slice()))
        .collect();
    let played = &outcomes[0][0];
    let charts = vec![
        by_hop("completeness", &named, |figures| figures.completeness),
        by_hop("freshness", &named, |figures| figures.freshness),
        by_hop("median delay (cycles)", &named, |figures| figures.delay.median),
        thresholds(&mesh.depths, settings, played),
    ];
    let note = format!(
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
    );
    let title = format!("A mesh, {}", modes[0]);
    let from = settings.warmup as f64;
    let span = (from, from + settings.measured.min(48) as f64);
    Ok(Study {
        picture: Picture::new(&title, mesh, settings, played, span, 16),
        report: Report {
            title: "A mesh, by what neighbours do for each other".to_owned(),
            notes: vec![note],
            table: rows.table,
            json: json!({
                "rows": rows.json,
                "cost": outcomes.iter().map(|worlds| worlds[0].cost).collect::<Vec<_>>(),
                "events": outcomes.iter().flatten().map(|outcome| outcome.events).sum::<u64>(),
                "thresholds": thresholds_json(settings, played),
            }),
            charts,
        },
    })
}
