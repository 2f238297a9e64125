//! `cascade-scale`: a large mesh for a long time. The speed of the simulation goes to standard error, because the
//! result is the same bytes every time.

use pergola_refresh::Invalid;
use pergola_wiring::grow::{Rules, grow};
use pergola_wiring::synthetic::Synthetic;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use super::cascades::{Example, FigureRows, Findings, Study, by_hop, play_all};
use crate::mesh::{Channel, Cooperation, Mesh, Outcome, Publishing, Settings, Wiring};
use crate::report::Cell;
use crate::trials::Lab;

/// The size of the mesh, and how long it runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    /// Nodes, with one feed each.
    pub(crate) nodes: usize,
    pub(crate) sources: usize,
    /// Measured days, after one day of warm-up.
    pub(crate) days: usize,
    pub(crate) cooperation: Cooperation,
}

/// Cycles of a day.
const DAY: usize = 288;
/// Items a day of the busiest source.
const BUSIEST: f64 = 48.0;
/// Keywords per source on average, and how many sources share a keyword.
const KEYWORDS: f64 = 12.0;
const SHARED: f64 = 40.0;
/// A feed reads sources and feeds up to this distance.
const RADIUS: f64 = 0.87;

impl Scale {
    /// A mesh whose interests overlap little, so that a feed reads some sources and not all.
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

pub(crate) fn cascade_scale(lab: &Lab, scale: Scale) -> Result<Study, Invalid> {
    let settings = scale.settings();
    let outcomes = play_all(lab, 1, |seed, _| scale.mesh(seed)?.play(&settings, seed))?;
    let worlds = &outcomes[0];
    let mode = [Cell::text(scale.cooperation)];
    let mut rows = FigureRows::new(&["mode", "where"]);
    rows.add_hops(&mode, worlds, |_| true);
    rows.add_ends(&mode, worlds);
    let named: [(String, &[Outcome]); 1] = [(scale.cooperation.to_string(), worlds.as_slice())];
    let (mesh, played) = (scale.mesh(lab.seed)?, &worlds[0]);
    let read = sources_read(&mesh);
    let links: usize = mesh.wiring.feeds.iter().map(|feed| feed.inputs.len()).sum();
    let example = Example { mesh: &mesh, settings: &settings, outcome: played };
    let picture = example.picture("A large mesh", settings.measured as f64);
    let findings = Findings {
        title: format!(
            "{} nodes and {} sources for {} days",
            scale.nodes, scale.sources, scale.days
        ),
        notes: vec![format!(
            "{read} of the sources are read, {links} subscriptions, {} items delivered, {} events in the first world; sources of at most \
             {BUSIEST} items a day, windows of 20 and feeds of 100, .1 refreshes per subscription and cycle \
             of five minutes; delays in cycles; {} worlds from seed {}.",
            played.all.delivered, played.events, lab.seeds, lab.seed
        )],
        rows: rows.rows,
        charts: vec![
            by_hop("completeness", &named, |figures| figures.completeness),
            by_hop("median delay (cycles)", &named, |figures| figures.delay.median),
        ],
        json: json!({
            "sources_read": read,
            "subscriptions": links,
            "delivered": played.all.delivered,
            "events": played.events,
            "decisions_weighed": played.weighed,
        }),
    };
    Ok(example.study(findings, picture))
}

/// Sources that at least one feed reads.
fn sources_read(mesh: &Mesh) -> usize {
    let inputs = mesh.wiring.feeds.iter().flat_map(|feed| &feed.inputs);
    let mut read: Vec<u32> = inputs
        .filter_map(|input| match input {
            Channel::Source(source) => Some(*source),
            Channel::Feed(_) => None,
        })
        .collect();
    read.sort_unstable();
    read.dedup();
    read.len()
}
