//! The command line.

mod bench;
mod bundle;
mod input;
mod mesh;
mod observe;
mod outcome;
mod plane;
mod show;

use std::io::Write;

use anyhow::Result;
use clap::{Parser, Subcommand};

pub(crate) use outcome::Outcome;

/// Decide who subscribes to whom in a mesh, from what sources publish and what feeds want.
#[derive(Debug, Parser)]
#[command(
    name = "topology-gen",
    version,
    after_help = "Examples:\n  topology-gen generate mesh.toml --output graph\n  \
                  topology-gen stats --sources 100 --feeds 10000\n  \
                  topology-gen draw mesh.toml --plot mesh.svg\n  \
                  topology-gen bundle my-mesh mesh.toml --newsroom\n  \
                  topology-gen observe http://127.0.0.1:8101\n  \
                  topology-gen plane --plot plane.png"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Wire a mesh and write who subscribes to whom.
    #[command(after_help = "Examples:\n  topology-gen generate mesh.toml --output graph\n  \
                      topology-gen generate node-a.json node-b.json   # written by `pergola profiles`\n  \
                      topology-gen generate --sources 100 --feeds 10000 --dictionary 1000 --seed 1 --json\n\n\
                      A mesh file:\n  [[sources]]\n  name = \"volcano-news\"\n  \
                      url = \"https://volcanoes.example.org/rss\"\n  \
                      keywords = [\"volcano\", \"eruption\", \"ash\"]\n\n  \
                      [[feeds]]\n  name = \"ash-clouds\"\n  \
                      query = 'ITEM CONTAINS \"ash\" OR \"eruption\"'   # or keywords = [\"ash\", \"eruption\"]")]
    Generate(mesh::GenerateArgs),
    /// Wire a mesh and describe it: degrees, hops, reach, requests.
    #[command(after_help = "Example:\n  topology-gen stats mesh.toml --keep-reach --json")]
    Stats(mesh::StatsArgs),
    /// Wire a mesh and draw it.
    #[command(after_help = "Example:\n  \
                      topology-gen draw --sources 20 --feeds 2000 --plot mesh.svg --degrees degrees.svg")]
    Draw(mesh::DrawArgs),
    /// Wire a mesh and write a folder that starts it: with compose, a script or Kubernetes manifests.
    #[command(after_help = "Examples:\n  topology-gen bundle my-mesh mesh.toml\n  \
                      topology-gen bundle my-mesh mesh.toml --newsroom --cooperate watch,archive\n  \
                      topology-gen bundle my-mesh mesh.toml --local --newsroom --speed 60\n  \
                      topology-gen bundle my-mesh --sources 5 --feeds 40 --nodes 8 --local --newsroom\n  \
                      topology-gen bundle my-mesh mesh.toml --kubernetes --image registry.example.org/pergola:1")]
    Bundle(bundle::BundleArgs),
    /// Ask the nodes of a running mesh who reads from whom.
    #[command(
        after_help = "Examples:\n  topology-gen observe http://127.0.0.1:8107 --secrets my-mesh/secrets\n  \
                      topology-gen observe http://127.0.0.1:8107 --json > observed.json\n  \
                      topology-gen draw observed.json --plot observed.svg\n\n\
                      Exit codes: 0 if all nodes answered, 3 if some did not. Those are named in a warning, and \
                      their feeds become sources marked as unknown. A node tells about its closed feeds, and about \
                      what it crawls outside its queries, only if you send its token."
    )]
    Observe(observe::ObserveArgs),
    /// Grow trees of points in the plane, where the shapes can be seen: star, clusters, random.
    #[command(after_help = "Example:\n  \
                      topology-gen plane --points 10000 --alpha 4 --alpha 20 --alpha 100 --plot plane.png")]
    Plane(plane::PlaneArgs),
    /// Measure how time and memory grow with the number of feeds.
    #[command(after_help = "Example:\n  topology-gen bench --feeds 10000 --feeds 1000000")]
    Bench(bench::BenchArgs),
}

impl Cli {
    /// Runs the command.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<Outcome> {
        match self.command {
            Command::Observe(args) => return args.run(out),
            Command::Generate(args) => args.run(out),
            Command::Stats(args) => args.run(out),
            Command::Draw(args) => args.run(),
            Command::Bundle(args) => args.run(out),
            Command::Plane(args) => args.run(out),
            Command::Bench(args) => args.run(out),
        }
        .map(|()| Outcome::Whole)
    }
}
