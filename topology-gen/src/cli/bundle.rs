//! `bundle`: writes a folder that starts a mesh.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use pergola_topology::bundle::{self, Cooperations, Options, Plan, Platform, Published};
use pergola_topology::forest::Forest;
use pergola_topology::hosts::Hosts;
use pergola_topology::{file, folder};

use super::input::{Wired, WiringArgs};

#[derive(Debug, Args)]
pub(super) struct BundleArgs {
    /// The folder to write, which must be new or empty.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    #[command(flatten)]
    wiring: WiringArgs,
    /// The number of nodes that share the feeds; feeds that are near in the graph share a node [default: one
    /// node per feed, or as the mesh file says].
    #[arg(long, value_name = "N")]
    nodes: Option<usize>,
    /// Write a script that starts processes on this machine, instead of containers.
    #[arg(long, conflicts_with = "kubernetes")]
    local: bool,
    /// Write manifests for a cluster, instead of containers on one machine.
    #[arg(long)]
    kubernetes: bool,
    /// Add a newsroom that publishes for all sources, so that nodes send no requests outside the mesh.
    #[arg(long)]
    newsroom: bool,
    /// The seed of what the newsroom publishes.
    #[arg(long, value_name = "S", default_value_t = 1, requires = "newsroom")]
    newsroom_seed: u64,
    /// How many times as fast as real time the clocks run, for experiments; needs --local and --newsroom.
    #[arg(long, value_name = "TIMES", default_value_t = 1.0, allow_negative_numbers = true)]
    speed: f64,
    /// How neighbours cooperate: hints, watch, archive, separated by commas, or none.
    #[arg(long, value_name = "LIST", default_value_t = Options::default().cooperate)]
    cooperate: Cooperations,
    /// How often a node refreshes each subscription on average; determines its budget.
    #[arg(long, value_name = "N", default_value_t = Options::default().refreshes_per_hour, allow_negative_numbers = true)]
    refreshes_per_hour: f64,
    /// The newsroom's port on this machine's loopback address; the ports of the nodes follow it.
    #[arg(long, value_name = "BASE", default_value_t = Options::default().port)]
    port: u16,
    /// Which nodes have a port on this machine: all, none, or names separated by commas.
    #[arg(long, value_name = "NODES", default_value_t = Published::All, conflicts_with_all = ["local", "kubernetes"])]
    publish: Published,
    /// The container image.
    #[arg(long, value_name = "IMAGE", default_value_t = Options::default().image, conflicts_with = "local")]
    image: String,
    /// The namespace in the cluster.
    #[arg(long, value_name = "NAME", default_value_t = Options::default().namespace, requires = "kubernetes")]
    namespace: String,
}

impl BundleArgs {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<()> {
        folder::check(&self.folder)?;
        let Wired { mut mesh, graph, links } = self.wiring.wire()?;
        let hosts = Hosts::new(&mesh, &Forest::new(&links), self.nodes)?;
        let plan = Plan::new(&mesh, &links, &hosts, self.options())?;
        for (feed, &host) in mesh.feeds.iter_mut().zip(&hosts.of) {
            feed.node = Some(hosts.names[host as usize].clone());
        }
        let mut inputs = Vec::new();
        for (number, path) in (1..).zip(self.wiring.files()) {
            inputs.push((kept_name(number, path), file::read(path)?));
        }
        let whole = (&mesh, &graph, &links[..]);
        bundle::write(&self.folder, &plan, whole, &made_by(), &inputs)?;
        self.print_start(&plan, out)
    }

    fn options(&self) -> Options {
        Options {
            platform: match (self.local, self.kubernetes) {
                (true, _) => Platform::Local,
                (_, true) => Platform::Kubernetes,
                _ => Platform::Compose,
            },
            newsroom: self.newsroom,
            seed: self.newsroom_seed,
            speed: self.speed,
            cooperate: self.cooperate.clone(),
            refreshes_per_hour: self.refreshes_per_hour,
            port: self.port,
            publish: self.publish.clone(),
            image: self.image.clone(),
            namespace: self.namespace.clone(),
        }
    }

    /// Prints how to start the mesh.
    fn print_start(&self, plan: &Plan, out: &mut impl Write) -> Result<()> {
        let folder = self.folder.display();
        writeln!(out, "Wrote {} nodes to {folder}. Start them with:", plan.nodes.len())?;
        match plan.options.platform {
            Platform::Compose => writeln!(out, "  cd {folder} && docker-compose up -d")?,
            Platform::Local => writeln!(out, "  {folder}/mesh start")?,
            Platform::Kubernetes => writeln!(out, "  kubectl apply -f {folder}/kubernetes/")?,
        }
        writeln!(out, "See {folder}/README.md for more.")?;
        Ok(())
    }
}

/// The command line, with FOLDER for the folder and the names of the kept copies for the mesh files.
fn made_by() -> String {
    let mut words = vec!["topology-gen".to_owned()];
    let mut plain = 0;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut is_value = false;
    for (index, word) in arguments.iter().enumerate() {
        let word = word.clone();
        let option = word.starts_with("--");
        let shown = match (index, option || is_value) {
            (0, _) | (_, true) => quoted(&word),
            _ => {
                plain += 1;
                // The folder comes first, then the mesh files.
                match plain {
                    1 => "FOLDER".to_owned(),
                    _ => kept_name(plain - 1, Path::new(&word)),
                }
            }
        };
        is_value = option && !word.contains('=') && !FLAGS.contains(&word.as_str());
        words.push(shown);
    }
    words.join(" ")
}

/// Options without a value.
const FLAGS: [&str; 4] = ["--local", "--kubernetes", "--newsroom", "--keep-reach"];

/// The name of the copy of a mesh file in the bundle. The first file has number 1.
fn kept_name(number: usize, path: &Path) -> String {
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    match number {
        1 => format!("mesh.{ending}"),
        _ => format!("mesh-{number}.{ending}"),
    }
}

/// A word, quoted for the shell if needed.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
