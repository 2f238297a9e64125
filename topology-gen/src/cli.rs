//! The command line: what is wired, by which rules, shown how.

mod bench;
mod bundle;
mod input;
mod observe;
mod plane;

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write, stdout};
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use clap::{Args, Parser, Subcommand};
use pergola_report::check_paths;
use pergola_topology::draw;
use pergola_topology::folder;
use pergola_topology::forest::Forest;
use pergola_topology::graph::{self, Graph, Link};
use pergola_topology::grow::grow;
use pergola_topology::hosts::Hosts;
use pergola_topology::mesh::Mesh;
use pergola_topology::stats::Stats;

use input::{InputArgs, RuleArgs};

/// Who subscribes to whom: from what sources publish and what feeds want to the graph that wires them.
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
    /// Wires a mesh and writes who subscribes to whom.
    #[command(after_help = "Examples:\n  topology-gen generate mesh.toml --output graph\n  \
                      topology-gen generate node-a.json node-b.json   # what `pergola profiles` has said\n  \
                      topology-gen generate --sources 100 --feeds 10000 --dictionary 1000 --seed 1 --json\n\n\
                      A mesh file:\n  [[sources]]\n  name = \"volcano-news\"\n  \
                      url = \"https://volcanoes.example.org/rss\"\n  \
                      keywords = [\"volcano\", \"eruption\", \"ash\"]\n\n  \
                      [[feeds]]\n  name = \"ash-clouds\"\n  \
                      query = 'ITEM CONTAINS \"ash\" OR \"eruption\"'   # or keywords = [\"ash\", \"eruption\"]")]
    Generate(GenerateArgs),
    /// Wires a mesh and describes it: degrees, hops, reach, requests.
    #[command(after_help = "Example:\n  topology-gen stats mesh.toml --keep-reach --json")]
    Stats(StatsArgs),
    /// Wires a mesh and draws it.
    #[command(after_help = "Example:\n  \
                      topology-gen draw --sources 20 --feeds 2000 --plot mesh.svg --degrees degrees.svg")]
    Draw(DrawArgs),
    /// Wires a mesh and writes a folder that starts it: configurations, and compose, a script or manifests.
    #[command(after_help = "Examples:\n  topology-gen bundle my-mesh mesh.toml\n  \
                      topology-gen bundle my-mesh mesh.toml --newsroom --cooperate watch,archive\n  \
                      topology-gen bundle my-mesh mesh.toml --local --newsroom --speed 60\n  \
                      topology-gen bundle my-mesh --sources 5 --feeds 40 --nodes 8 --local --newsroom\n  \
                      topology-gen bundle my-mesh mesh.toml --kubernetes --image registry.example.org/pergola:1")]
    Bundle(bundle::BundleArgs),
    /// Asks the nodes of a mesh that runs who reads from whom.
    #[command(
        after_help = "Examples:\n  topology-gen observe http://127.0.0.1:8107 --secrets my-mesh/secrets\n  \
                      topology-gen observe http://127.0.0.1:8107 --json > observed.json\n  \
                      topology-gen draw observed.json --plot observed.svg\n\n\
                      Exit codes: 0 if everybody was seen, 3 if somebody has not answered: it is named, and its feeds \
                      stand among the sources, as unknown. Feeds that a node keeps for named readers, and what it \
                      crawls beside its queries, are told only for its token."
    )]
    Observe(observe::ObserveArgs),
    /// Grows trees of points in the plane, where the shapes can be seen: star, clusters, random.
    #[command(after_help = "Example:\n  \
                      topology-gen plane --points 10000 --alpha 4 --alpha 20 --alpha 100 --plot plane.png")]
    Plane(plane::PlaneArgs),
    /// Measures how time and memory grow with the number of feeds.
    #[command(after_help = "Example:\n  topology-gen bench --feeds 10000 --feeds 1000000")]
    Bench(bench::BenchArgs),
}

/// What is wired, by which rules.
#[derive(Debug, Args)]
struct WiringArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    rules: RuleArgs,
}

#[derive(Debug, Args)]
struct GenerateArgs {
    #[command(flatten)]
    wiring: WiringArgs,
    #[command(flatten)]
    hosts: HostArgs,
    /// Print the graph as JSON.
    #[arg(long, conflicts_with = "output")]
    json: bool,
    /// Write graph.json and graph.dot into this folder, which must be new or empty.
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct StatsArgs {
    #[command(flatten)]
    wiring: WiringArgs,
    #[command(flatten)]
    hosts: HostArgs,
    /// Print JSON instead of the table.
    #[arg(long)]
    json: bool,
}

/// Who hosts the feeds, and how often they look.
#[derive(Debug, Args)]
struct HostArgs {
    /// How many nodes share the feeds, those that hang together staying together [default: one each, or
    /// as the mesh file says].
    #[arg(long, value_name = "N")]
    nodes: Option<usize>,
    /// Looks an hour at everything that is read, for the expected requests.
    #[arg(long, value_name = "LOOKS", default_value_t = 1.0, allow_negative_numbers = true)]
    looks_per_hour: f64,
}

#[derive(Debug, Args)]
#[group(id = "pictures", required = true, multiple = true, args = ["plot", "degrees"])]
struct DrawArgs {
    #[command(flatten)]
    wiring: WiringArgs,
    /// The graph: sources in the middle, feeds in rings around them; .svg or .png.
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// How many have how many readers, with the fitted tail; .svg or .png.
    #[arg(long, value_name = "FILE")]
    degrees: Option<PathBuf>,
}

impl Cli {
    /// Does what was asked for.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<Outcome> {
        match self.command {
            Command::Observe(args) => return args.run(out),
            Command::Generate(args) => generate(&args, out),
            Command::Stats(args) => {
                let wired = args.wiring.wire()?;
                print_stats(&wired, &args.hosts, args.json, out)
            }
            Command::Draw(args) => draw_mesh(&args),
            Command::Bundle(args) => args.run(out),
            Command::Plane(args) => args.run(out),
            Command::Bench(args) => args.run(out),
        }
        .map(|()| Outcome::Whole)
    }
}

/// Whether there is more than could be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Everything was done.
    Whole,
    /// Somebody could not be asked.
    Partial,
}

/// A mesh with its graph.
struct Wired {
    mesh: Mesh,
    graph: Graph,
    links: Vec<Link>,
}

impl WiringArgs {
    fn wire(&self) -> Result<Wired> {
        if let [path] = self.input.files()
            && let Some((mesh, graph)) = graph::read(path)?
        {
            let links = graph.links();
            ensure!(
                !self.rules.any(),
                "{} is wired already; leave out the options about wiring",
                path.display()
            );
            return Ok(Wired { mesh, graph, links });
        }
        let rules = self.rules.rules();
        let mesh = self.input.mesh(rules.radius)?;
        let graph = grow(&mesh, &rules)?;
        ensure!(graph.check(mesh.feeds.len()), "the graph has a cycle, which must never happen");
        let links = graph.links();
        Ok(Wired { mesh, graph, links })
    }
}

fn generate(args: &GenerateArgs, out: &mut impl Write) -> Result<()> {
    if let Some(path) = &args.output {
        folder::check(path)?;
    }
    let wired = args.wiring.wire()?;
    let Wired { mesh, graph, .. } = &wired;
    if args.json {
        return Ok(graph.write_json(mesh, out)?);
    }
    if let Some(path) = &args.output {
        folder::write(path, |folder| {
            into_file(&folder.join("graph.json"), |file| graph.write_json(mesh, file))?;
            into_file(&folder.join("graph.dot"), |file| graph.write_dot(mesh, file))
        })?;
    }
    print_stats(&wired, &args.hosts, false, out)
}

fn into_file(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = BufWriter::with_capacity(1 << 16, File::create(path)?);
    write(&mut file)?;
    file.into_inner()?.sync_all()
}

fn print_stats(wired: &Wired, args: &HostArgs, json: bool, out: &mut impl Write) -> Result<()> {
    let looks = args.looks_per_hour;
    ensure!(
        looks.is_finite() && looks >= 0.0,
        "--looks-per-hour is {looks}, but it must be a number from 0 on"
    );
    let Wired { mesh, graph, links } = wired;
    let hosts = Hosts::new(mesh, &Forest::new(links), args.nodes)?;
    let report = Stats::new(mesh, graph, links, &hosts, looks).report();
    if json {
        report.write_json(out)?;
    } else {
        report.print_table(out, stdout().is_terminal())?;
    }
    Ok(())
}

fn draw_mesh(args: &DrawArgs) -> Result<()> {
    for path in [&args.plot, &args.degrees].into_iter().flatten() {
        check_paths(None, Some(path))?;
    }
    let Wired { mesh, links, .. } = args.wiring.wire()?;
    if let Some(path) = &args.plot {
        draw::rings(&mesh, &links)?.write(path)?;
    }
    if let Some(path) = &args.degrees {
        draw::degrees_of_mesh(&mesh, &links).write_plot(path)?;
    }
    Ok(())
}
