//! `cascade-scale`: a large mesh for a long time. How much happens, and how good the figures are; how quickly it
//! was played is said beside the result, which is the same bytes every time.

use pergola_refresh::Invalid;
use pergola_wiring::grow::{Rules, grow};
use pergola_wiring::synthetic::Synthetic;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use super::cascades::{Rows, Study, by_hop, play_all, text, thresholds, thresholds_json};
use crate::mesh::picture::Picture;
use crate::mesh::{Channel, Cooperation, Mesh, Outcome, Publishing, Settings, Wiring};
use crate::report::Report;
use crate::trials::Lab;

/// How large, and for how long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    /// Nodes, with a feed each.
    pub(crate) nodes: usize,
    /// Sources.
    pub(crate) sources: usize,
    /// Days that are measured, after one more.
    pub(crate) days: usize,
    /// What neighbours do for each other.
    pub(crate) cooperation: Cooperation,
}

/// Cycles of a day.
const DAY: usize = 288;
/// Items a day of the busiest source.
const BUSIEST: f64 = 48.0;
/// Keywords per source on average, and how many sources share a keyword.
const KEYWORDS: f64 = 12.0;
const SHARED: f64 = 40.0;
/// A feed reads what is no farther.
const RADIUS: f64 = 0.87;

impl Scale {
    /// The mesh: interests that overlap little, so that a feed wants some of many sources and not some of all.
    fn mesh(&self, seed: u64) -> Result<Mesh, Invalid> {
        let refused = |error: String| Invalid {
            what: "mesh",
            given: error,
            allowed: "one that can be wired",
        };
        let dictionary = ((self.sources as f64 * KEYWORDS / SHARED) as usize).max(20);
        let size = Synthetic {
            sources: self.sources,
            feeds: self.nodes,
            dictionary,
            coverage: (KEYWORDS / dictionary as f64).min(1.0),
            radius: RADIUS,
        };
        let mesh = size.make(&mut ChaCha8Rng::seed_from_u64(seed));
        let mesh = mesh.map_err(|error| refused(error.to_string()))?;
        let rules = Rules { radius: RADIUS, ..Rules::default() };
        let graph = grow(&mesh, &rules).map_err(|error| refused(error.to_string()))?;
        Ok(Mesh::new(Wiring::of_graph(&mesh, &graph)))
    }

    fn settings(&self) -> Settings<'static> {
        Settings {
            window: 20,
            feed_window: 100,
            publishing: Publishing::Uniform(BUSIEST / DAY as f64),
            budget: 0.1,
            warmup: DAY,
            measured: self.days * DAY,
            samples: 50,
            cooperation: self.cooperation,
            ..Settings::default()
        }
    }
}

/// `cascade-scale`.
pub(crate) fn cascade_scale(lab: &Lab, scale: Scale) -> Result<Study, Invalid> {
    let settings = scale.settings();
    let outcomes = play_all(lab, 1, |seed, _| scale.mesh(seed)?.play(&settings, seed))?;
    let worlds = &outcomes[0];
    let mut rows = Rows::new(&["mode", "where"]);
    let hops = worlds.iter().map(|outcome| outcome.hops.len()).min().unwrap_or(0);
    let mode = scale.cooperation;
    for hop in 0..hops {
        let place = text(format!("hop {}", hop + 1));
        rows.add(vec![text(mode), place], worlds, &|outcome| &outcome.hops[hop], true);
    }
    rows.add(vec![text(mode), text("ends")], worlds, &|outcome| &outcome.leaves, true);
    let named: [(String, &[Outcome]); 1] = [(mode.to_string(), worlds.as_slice())];
    let (mesh, played) = (scale.mesh(lab.seed)?, &worlds[0]);
    let mut read: Vec<u32> = mesh
        .wiring
        .feeds
        .iter()
        .flat_map(|feed| &feed.inputs)
        .filter_map(|input| match input {
            Channel::Source(source) => Some(*source),
            Channel::Feed(_) => None,
        })
        .collect();
    read.sort_unstable();
    read.dedup();
    let links: usize = mesh.wiring.feeds.iter().map(|feed| feed.inputs.len()).sum();
    let span = (settings.warmup as f64, settings.cycles() as f64);
    Ok(Study {
        picture: Picture::new("A large mesh", &mesh, &settings, played, span, 8),
        report: Report {
            title: format!(
                "{} nodes and {} sources for {} days",
                scale.nodes, scale.sources, scale.days
            ),
            notes: vec![format!(
                "{} of the sources are read, {links} subscriptions, {} items delivered, {} events in the first world; sources of at most \
                 {BUSIEST} items a day, windows of 20 and feeds of 100, .1 refreshes per subscription and cycle \
                 of five minutes; delays in cycles; {} worlds from seed {}.",
                read.len(),
                played.all.delivered,
                played.events,
                lab.seeds,
                lab.seed
            )],
            table: rows.table,
            json: json!({
                "rows": rows.json,
                "sources_read": read.len(),
                "subscriptions": links,
                "delivered": played.all.delivered,
                "events": played.events,
                "decisions_weighed": played.weighed,
                "thresholds": thresholds_json(&settings, played),
            }),
            charts: vec![
                by_hop("completeness", &named, |figures| figures.completeness),
                by_hop("median delay (cycles)", &named, |figures| figures.delay.median),
                thresholds(&mesh.depths, &settings, played),
            ],
        },
    })
}
