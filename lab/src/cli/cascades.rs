//! The commands that study meshes.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Result, ensure};
use clap::{Args, Subcommand};
use pergola_refresh::{Invalid, ModelKind, StrategyKind};

use super::live::LiveArgs;
use super::{Output, Seeds, Show, read_trace};
use crate::experiments::cascade_scale::Scale;
use crate::experiments::cascades::Study;
use crate::experiments::{
    cascade, cascade_budget, cascade_burst, cascade_collective, cascade_depth, cascade_outage,
    cascade_phase, cascade_scale, cascade_tree,
};
use crate::mesh::{
    Collective, Cooperation, Load, Mesh, Network, Outage, Publishing, Settings, Wiring, graph_file,
};
use crate::report::check_film;
use crate::trials::Lab;

/// Meshes in virtual time.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Any mesh of nodes that read each other: figures by hop, at its ends, and by node.
    #[command(
        after_help = "Examples:\n  pergola-lab cascade --mesh chain:5 --mode none --mode hints+archive\n  \
                      pergola-lab cascade --mesh graph/graph.json --feed-window 100 --json\n  \
                      pergola-lab cascade --mesh tree:3x4 --delay 2 --loss 0.01 --outage 1:500:540 --film mesh.svg\n\n\
                      graph.json is what `topology-gen generate --output FOLDER` writes."
    )]
    Cascade(MeshArgs),
    /// Chains of one to eight nodes: what each hop costs, and what cooperation saves.
    #[command(
        name = "cascade-depth",
        after_help = "Example:\n  pergola-lab cascade-depth --seeds 10 --plot depth.svg"
    )]
    Depth(StudyArgs),
    /// The published topologies at α = 4, 20, 100: star, clusters, random tree.
    #[command(
        name = "cascade-tree",
        after_help = "Example:\n  pergola-lab cascade-tree --plot tree.svg --frames frames.svg"
    )]
    Tree(StudyArgs),
    /// What the budget of a mesh buys, and whether to spend it near the sources or near the readers.
    #[command(
        name = "cascade-budget",
        after_help = "Example:\n  pergola-lab cascade-budget --plot budget.svg"
    )]
    Budget(StudyArgs),
    /// What is gained by refreshing just after the upstream has refreshed.
    #[command(
        name = "cascade-phase",
        after_help = "Example:\n  pergola-lab cascade-phase --plot phase.svg"
    )]
    Phase(StudyArgs),
    /// A burst at one source, and how it spreads.
    #[command(
        name = "cascade-burst",
        after_help = "Example:\n  pergola-lab cascade-burst --plot burst.svg --film burst-film.svg"
    )]
    Burst(StudyArgs),
    /// A node is down for a time: what its readers lose, and how they recover.
    #[command(
        name = "cascade-outage",
        after_help = "Example:\n  pergola-lab cascade-outage --plot outage.svg --frames frames.svg"
    )]
    Outage(StudyArgs),
    /// A shared budget compared to every node for itself, at equal cost.
    #[command(
        name = "cascade-collective",
        after_help = "Example:\n  pergola-lab cascade-collective --seeds 30 --plot collective.svg"
    )]
    Collective(StudyArgs),
    /// Real nodes of a bundle in accelerated time, beside the prediction of the lab.
    #[command(after_help = "Examples:\n  \
                      topology-gen bundle mesh --local --newsroom --speed 120 --refreshes-per-hour 12 mesh.toml\n  \
                      pergola-lab live --mesh mesh --plot live.svg\n  \
                      pergola-lab live --mesh mesh --mode hints+archive --warmup 2 --measured 6 --json\n\n\
                      The lab runs a copy; the bundle stays as it is. Median delays are accurate only if they are much \
                      longer than a refresh takes: make the bundle slower if the nodes are late.")]
    Live(LiveArgs),
    /// A large mesh for a week: its figures, and events per second.
    #[command(
        name = "cascade-scale",
        after_help = "Example:\n  pergola-lab cascade-scale --nodes 1000 --sources 10000 --days 7"
    )]
    Scale(ScaleArgs),
}

/// Pictures of the mesh over time, in the first world.
#[derive(Debug, Args)]
struct PictureArgs {
    /// Also draw the mesh at several moments, as .svg or .png.
    #[arg(long, value_name = "FILE")]
    frames: Option<PathBuf>,
    /// Also draw the mesh over time as an animated .svg, for a browser.
    #[arg(long, value_name = "FILE")]
    film: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct StudyArgs {
    #[command(flatten)]
    seeds: Seeds,
    #[command(flatten)]
    pictures: PictureArgs,
}

#[derive(Debug, Args)]
pub(super) struct ScaleArgs {
    /// Nodes, with a feed each.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    nodes: u32,
    /// Sources.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    sources: u32,
    /// Days that are measured, after a day of warm-up.
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..=365))]
    days: u16,
    /// How neighbours cooperate.
    #[arg(long, value_name = "MODE", default_value = "none")]
    mode: Cooperation,
    #[command(flatten)]
    seeds: Seeds,
    #[command(flatten)]
    pictures: PictureArgs,
}

#[derive(Debug, Args)]
pub(super) struct MeshArgs {
    /// Who reads whom: chain:DEPTH, tree:FAN_OUTxDEPTH, diamond, or a graph.json.
    #[arg(long, value_name = "MESH", default_value = "chain:5")]
    mesh: MeshName,
    /// How neighbours cooperate: none, or some of hints, archive and one of watch, notice, push, joined
    /// by + [default: none, hints, watch, archive, hints+archive].
    #[arg(long, value_name = "MODE")]
    mode: Vec<Cooperation>,
    /// Sources whose items travel through a chain, tree or diamond.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..))]
    relayed: u16,
    /// Sources of its own that each node of a chain, tree or diamond has.
    #[arg(long, value_name = "N", default_value_t = 30)]
    private: u16,
    /// Refreshes per subscription and cycle, averaged over the mesh.
    #[arg(long, value_name = "B", default_value_t = 0.35, allow_negative_numbers = true)]
    budget: f64,
    /// Source rates are uniform up to this many items per cycle of five minutes.
    #[arg(long, value_name = "ITEMS", default_value_t = 3.0, allow_negative_numbers = true)]
    highest_rate: f64,
    /// Items come in bursts of this many on average.
    #[arg(long, value_name = "ITEMS", conflicts_with = "trace", allow_negative_numbers = true)]
    bursts: Option<f64>,
    /// Sources publish as recorded in this folder (streams.tsv and items.tsv).
    #[arg(long, value_name = "FOLDER", conflicts_with = "highest_rate")]
    trace: Option<PathBuf>,
    /// Items that a source's document shows.
    #[arg(long, value_name = "W", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..))]
    window: u16,
    /// Items that a feed's document shows.
    #[arg(long, value_name = "W", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..))]
    feed_window: u16,
    /// Decisions of each node in a cycle.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=300))]
    decisions: u16,
    /// The strategy of every node.
    #[arg(long, value_name = "S", default_value = "2Steps")]
    strategy: StrategyKind,
    /// τ and the second step of 2Steps exactly as published.
    #[arg(long, conflicts_with = "collective")]
    literal: bool,
    /// The model of every node.
    #[arg(long, value_name = "M", default_value = "gamma")]
    model: ModelKind,
    /// Cycles before measuring starts.
    #[arg(long, value_name = "N", default_value_t = 400)]
    warmup: u32,
    /// Cycles that are measured.
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..))]
    cycles: u32,
    /// Mean seconds of a message one way.
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0, allow_negative_numbers = true)]
    delay: f64,
    /// The share of refreshes that fail.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, allow_negative_numbers = true)]
    loss: f64,
    /// A node (by its number, from 0) is down from one cycle to another; may be given several times.
    #[arg(long, value_name = "NODE:FROM:UNTIL")]
    outage: Vec<OutageName>,
    /// Nodes share their budgets with their neighbours.
    #[arg(long)]
    collective: bool,
    #[command(flatten)]
    seeds: Seeds,
    #[command(flatten)]
    pictures: PictureArgs,
}

#[derive(Debug, Clone, PartialEq)]
enum MeshName {
    Chain(usize),
    Tree { fan_out: usize, depth: usize },
    Diamond,
    Graph(PathBuf),
}

/// Nodes that a chain or a tree may have.
const MOST_NODES: usize = 100_000;

impl FromStr for MeshName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.parse::<usize>().ok().filter(|&number| number > 0);
        if let Some(depth) = text.strip_prefix("chain:") {
            let depth = number(depth).filter(|&depth| depth <= 1000);
            return depth.map(Self::Chain).ok_or("a chain has 1 to 1000 nodes: chain:5".to_owned());
        }
        if let Some(size) = text.strip_prefix("tree:") {
            let wrong = || "a tree has a fan-out and a depth: tree:3x4".to_owned();
            let (fan_out, depth) = size.split_once('x').ok_or_else(wrong)?;
            let (fan_out, depth) = number(fan_out).zip(number(depth)).ok_or_else(wrong)?;
            let nodes = (0..depth).try_fold((0_usize, 1_usize), |(sum, level), _| {
                Some((sum.checked_add(level)?, level.checked_mul(fan_out)?))
                    .filter(|(sum, _)| *sum <= MOST_NODES)
            });
            return match nodes {
                Some(_) => Ok(Self::Tree { fan_out, depth }),
                None => {
                    Err(format!("that tree has more than {MOST_NODES} nodes; give a smaller one"))
                }
            };
        }
        Ok(match text {
            "diamond" => Self::Diamond,
            path => Self::Graph(PathBuf::from(path)),
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct OutageName(Outage);

impl FromStr for OutageName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "an outage is a node and two cycles: 1:500:540".to_owned();
        let mut parts = text.split(':');
        let mut next = || parts.next().ok_or_else(wrong);
        let (node, from, until) = (next()?, next()?, next()?);
        let node = node.parse().map_err(|_| wrong())?;
        let cycle = |text: &str| text.parse::<f64>().map_err(|_| wrong());
        let outage = Outage { node, from: cycle(from)?, until: cycle(until)? };
        if parts.next().is_some() { Err(wrong()) } else { Ok(Self(outage)) }
    }
}

impl Command {
    pub(super) fn run(self, show: &Show<'_>) -> Result<()> {
        match self {
            Self::Cascade(args) => args.run(show),
            Self::Depth(args) => args.run(show, 10, cascade_depth::cascade_depth),
            Self::Tree(args) => args.run(show, 5, cascade_tree::cascade_tree),
            Self::Budget(args) => args.run(show, 5, cascade_budget::cascade_budget),
            Self::Phase(args) => args.run(show, 10, cascade_phase::cascade_phase),
            Self::Burst(args) => args.run(show, 20, cascade_burst::cascade_burst),
            Self::Outage(args) => args.run(show, 20, cascade_outage::cascade_outage),
            Self::Collective(args) => args.run(show, 30, cascade_collective::cascade_collective),
            Self::Live(args) => args.run(show),
            Self::Scale(args) => {
                let scale = Scale {
                    nodes: args.nodes as usize,
                    sources: args.sources as usize,
                    days: usize::from(args.days),
                    cooperation: args.mode,
                };
                let study = StudyArgs { seeds: args.seeds, pictures: args.pictures };
                study.run(show, 1, |lab| cascade_scale::cascade_scale(lab, scale))
            }
        }
    }
}

impl StudyArgs {
    /// Runs a study over `worlds` random worlds, or as many as the user wants.
    fn run(
        &self,
        show: &Show<'_>,
        worlds: u64,
        study: impl FnOnce(&Lab) -> Result<Study, Invalid>,
    ) -> Result<()> {
        let lab = Lab::new(self.seeds.seed, self.seeds.seeds.unwrap_or(worlds));
        self.pictures.show(show, &lab, &self.seeds.output, |lab| Ok(study(lab)?))
    }
}

impl PictureArgs {
    fn show(
        &self,
        show: &Show<'_>,
        lab: &Lab,
        output: &Output,
        study: impl FnOnce(&Lab) -> Result<Study>,
    ) -> Result<()> {
        crate::report::check_paths(None, self.frames.as_deref())?;
        self.film.as_deref().map_or(Ok(()), check_film)?;
        show.experiment(lab, output, |lab| {
            let Study { report, picture } = study(lab)?;
            if let Some(path) = &self.frames {
                picture.frames().write(path)?;
            }
            if let Some(path) = &self.film {
                picture.film().write(path)?;
            }
            Ok(report)
        })
    }
}

impl MeshArgs {
    fn run(&self, show: &Show<'_>) -> Result<()> {
        let lab = Lab::new(self.seeds.seed, self.seeds.seeds.unwrap_or(5));
        self.pictures.show(show, &lab, &self.seeds.output, |lab| {
            let trace = self.trace.as_deref().map(read_trace).transpose()?;
            let publishing = match (&trace, self.bursts) {
                (Some(trace), _) => Publishing::Recorded(trace),
                (None, Some(size)) => {
                    ensure!(
                        size.is_finite() && size >= 1.0,
                        "--bursts is {size}, but a burst has at least 1 item"
                    );
                    Publishing::Bursts { highest: self.highest_rate, size }
                }
                (None, None) => Publishing::Uniform(self.highest_rate),
            };
            let load = Load::new(usize::from(self.relayed), usize::from(self.private));
            let wiring = match &self.mesh {
                MeshName::Chain(depth) => Wiring::chain(*depth, load),
                MeshName::Tree { fan_out, depth } => Wiring::tree(*fan_out, *depth, load),
                MeshName::Diamond => Wiring::diamond(load),
                MeshName::Graph(path) => graph_file::read(path)?,
            };
            let settings = self.settings(publishing)?;
            let modes = match self.mode.as_slice() {
                [] => &Cooperation::SWITCHES,
                modes => modes,
            };
            Ok(cascade::cascade(lab, &Mesh::new(wiring), &settings, modes)?)
        })
    }

    fn settings<'a>(&self, publishing: Publishing<'a>) -> Result<Settings<'a>, Invalid> {
        Invalid::unless_positive("highest rate", self.highest_rate)?;
        Ok(Settings {
            window: usize::from(self.window),
            feed_window: usize::from(self.feed_window),
            publishing,
            budget: self.budget,
            decisions: usize::from(self.decisions),
            warmup: self.warmup as usize,
            measured: self.cycles as usize,
            samples: (self.cycles as usize).min(600),
            strategy: self.strategy,
            literal: self.literal,
            model: self.model,
            collective: self.collective.then_some(Collective::BOTH),
            network: Network {
                delay: self.delay,
                loss: self.loss,
                outages: self.outage.iter().map(|outage| outage.0).collect(),
            },
            ..Settings::default()
        })
    }
}
