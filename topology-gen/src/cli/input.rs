//! Options that say what is wired and how.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;
use pergola_topology::{graph_file, mesh_file};
use pergola_wiring::graph::{Graph, Link};
use pergola_wiring::grow::{Rules, grow};
use pergola_wiring::mesh::Mesh;
use pergola_wiring::synthetic::Synthetic;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

/// What is wired, and by which rules.
#[derive(Debug, Args)]
pub(super) struct WiringArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    rules: RuleArgs,
}

/// A mesh with its graph.
pub(super) struct Wired {
    pub(super) mesh: Mesh,
    pub(super) graph: Graph,
    pub(super) links: Vec<Link>,
}

impl WiringArgs {
    /// The mesh files.
    pub(super) fn files(&self) -> &[PathBuf] {
        &self.input.mesh
    }

    /// Reads a graph, or wires the mesh.
    pub(super) fn wire(&self) -> Result<Wired> {
        let (mesh, graph) = match self.read_graph()? {
            Some(wired) => wired,
            None => {
                let rules = self.rules.rules();
                let mesh = self.input.mesh(rules.radius)?;
                let graph = grow(&mesh, &rules)?;
                let cycle = graph.cycle(mesh.feeds.len());
                ensure!(cycle.is_none(), "the graph has a cycle; this is a bug, please report it");
                (mesh, graph)
            }
        };
        let links = graph.links();
        Ok(Wired { mesh, graph, links })
    }

    /// The graph, if the only file is one.
    fn read_graph(&self) -> Result<Option<(Mesh, Graph)>> {
        let [path] = self.files() else { return Ok(None) };
        let wired = graph_file::read(path)?;
        ensure!(
            wired.is_none() || !self.rules.any(),
            "{} is wired already; leave out the options about wiring",
            path.display()
        );
        Ok(wired)
    }
}

/// A mesh file, or the size of a synthetic mesh.
#[derive(Debug, Args)]
struct InputArgs {
    /// Files with sources, feeds and nodes, as TOML or JSON; several files are one mesh. Or one graph that is
    /// wired already, as JSON. Without a file a synthetic mesh is made.
    #[arg(value_name = "MESH", conflicts_with_all = ["sources", "feeds", "dictionary", "coverage", "seed"])]
    mesh: Vec<PathBuf>,
    /// The number of sources of the synthetic mesh.
    #[arg(long, value_name = "N", required_unless_present = "mesh")]
    sources: Option<usize>,
    /// The number of feeds of the synthetic mesh.
    #[arg(long, value_name = "N", required_unless_present = "mesh")]
    feeds: Option<usize>,
    /// The number of keywords of the synthetic mesh.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    dictionary: usize,
    /// The share of the keywords that a source covers on average.
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, allow_negative_numbers = true)]
    coverage: f64,
    /// The random seed; the same seed gives the same bytes.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

impl InputArgs {
    /// Reads the mesh, or makes a synthetic one.
    fn mesh(&self, radius: f64) -> Result<Mesh> {
        if !self.mesh.is_empty() {
            return Ok(mesh_file::read(&self.mesh)?);
        }
        let size = Synthetic {
            sources: self.sources.unwrap_or(0),
            feeds: self.feeds.unwrap_or(0),
            dictionary: self.dictionary,
            coverage: self.coverage,
            radius,
        };
        Ok(size.make(&mut ChaCha8Rng::seed_from_u64(self.seed))?)
    }
}

/// How the mesh is wired.
#[derive(Debug, Args)]
struct RuleArgs {
    /// A feed follows the sources within this distance: 0 (equal keywords) to 1 (all) [default: 0.9].
    #[arg(long, value_name = "DISTANCE", allow_negative_numbers = true)]
    radius: Option<f64>,
    /// The weight of distance against hops: a small one makes stars, a large one long chains of similar feeds
    /// [default: 20].
    #[arg(long, value_name = "A", allow_negative_numbers = true)]
    alpha: Option<f64>,
    /// The most readers of a source or feed in one tree [default: no limit].
    #[arg(long, value_name = "N")]
    fan_out: Option<u32>,
    /// The most hops from a source [default: no limit].
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
    /// Read only from feeds that let everything through that is wanted.
    #[arg(long)]
    keep_reach: bool,
}

impl RuleArgs {
    fn rules(&self) -> Rules {
        let RuleArgs { radius, alpha, fan_out, depth, keep_reach } = *self;
        let default = Rules::default();
        let (radius, alpha) = (radius.unwrap_or(default.radius), alpha.unwrap_or(default.alpha));
        Rules { radius, alpha, fan_out, depth, keep_reach }
    }

    /// Whether any was given.
    fn any(&self) -> bool {
        let numbers = [self.radius, self.alpha];
        let limits = [self.fan_out, self.depth];
        numbers.iter().any(Option::is_some) || limits.iter().any(Option::is_some) || self.keep_reach
    }
}
