//! What is wired and how, as it is typed.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use pergola_topology::grow::Rules;
use pergola_topology::mesh::{self, Mesh};
use pergola_topology::synthetic::Synthetic;

/// A mesh file, or the size of a synthetic mesh.
#[derive(Debug, Args)]
pub(super) struct InputArgs {
    /// Sources, feeds and nodes, as TOML or JSON; several files are one mesh. Or a graph that is wired already, as
    /// JSON. Left out, a synthetic mesh is made.
    #[arg(value_name = "MESH", conflicts_with_all = ["sources", "feeds", "dictionary", "coverage", "seed"])]
    mesh: Vec<PathBuf>,
    /// Sources of the synthetic mesh.
    #[arg(long, value_name = "N", required_unless_present = "mesh")]
    sources: Option<usize>,
    /// Feeds of the synthetic mesh.
    #[arg(long, value_name = "N", required_unless_present = "mesh")]
    feeds: Option<usize>,
    /// Keywords there are in the synthetic mesh.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    dictionary: usize,
    /// The share of them that a source covers on average.
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, allow_negative_numbers = true)]
    coverage: f64,
    /// Where all randomness comes from; the same seed gives the same bytes.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

impl InputArgs {
    /// The mesh files.
    pub(super) fn files(&self) -> &[PathBuf] {
        &self.mesh
    }

    /// Reads the mesh, or makes it.
    pub(super) fn mesh(&self, radius: f64) -> Result<Mesh> {
        if !self.mesh.is_empty() {
            return Ok(mesh::read(&self.mesh)?);
        }
        let size = Synthetic {
            sources: self.sources.unwrap_or(0),
            feeds: self.feeds.unwrap_or(0),
            dictionary: self.dictionary,
            coverage: self.coverage,
            seed: self.seed,
            radius,
        };
        Ok(size.make()?)
    }
}

/// How it is wired.
#[derive(Debug, Args)]
pub(super) struct RuleArgs {
    /// A feed follows the sources that are no farther: 0 (only its own profile) to 1 (all) [default: 0.9].
    #[arg(long, value_name = "DISTANCE", allow_negative_numbers = true)]
    radius: Option<f64>,
    /// What distance weighs beside hops: little makes stars, much makes long chains of the like-minded
    /// [default: 20].
    #[arg(long, value_name = "A", allow_negative_numbers = true)]
    alpha: Option<f64>,
    /// Readers that a source or feed may have in one tree [default: any number].
    #[arg(long, value_name = "N")]
    fan_out: Option<u32>,
    /// Hops from a source at most [default: any number].
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
    /// Only read from those that let everything through that is wanted.
    #[arg(long)]
    keep_reach: bool,
}

impl RuleArgs {
    pub(super) fn rules(&self) -> Rules {
        let RuleArgs { radius, alpha, fan_out, depth, keep_reach } = *self;
        let usual = Rules::default();
        let (radius, alpha) = (radius.unwrap_or(usual.radius), alpha.unwrap_or(usual.alpha));
        Rules { radius, alpha, fan_out, depth, keep_reach }
    }

    /// Whether any was given.
    pub(super) fn any(&self) -> bool {
        let numbers = [self.radius, self.alpha];
        let limits = [self.fan_out, self.depth];
        numbers.iter().any(Option::is_some) || limits.iter().any(Option::is_some) || self.keep_reach
    }
}
