//! `topology-gen bundle`: from interests to a folder that starts a mesh.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Args;
use pergola_topology::bundle::{self, Options, Place, Plan, Published, Ways};
use pergola_topology::folder;
use pergola_topology::forest::Forest;
use pergola_topology::hosts::Hosts;

use super::{Wired, WiringArgs};

#[derive(Debug, Args)]
pub(super) struct BundleArgs {
    /// The folder to write, which must be new or empty.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    #[command(flatten)]
    wiring: WiringArgs,
    /// How many nodes share the feeds, those that hang together staying together [default: one each, or
    /// as the mesh file says].
    #[arg(long, value_name = "N")]
    nodes: Option<usize>,
    /// A script that starts all as processes of this machine, instead of containers.
    #[arg(long, conflicts_with = "kubernetes")]
    local: bool,
    /// Manifests for a cluster, instead of containers on one machine.
    #[arg(long)]
    kubernetes: bool,
    /// Let a newsroom be the world: it publishes for all sources, and nothing outside is asked.
    #[arg(long)]
    newsroom: bool,
    /// The seed of what the newsroom publishes.
    #[arg(long, value_name = "S", default_value_t = 1, requires = "newsroom")]
    newsroom_seed: u64,
    /// How many times as fast as in life time passes, for experiments; with --local and --newsroom.
    #[arg(long, value_name = "TIMES", default_value_t = 1.0, allow_negative_numbers = true)]
    speed: f64,
    /// What neighbours do for each other: hints, watch, archive, separated by commas, or none.
    #[arg(long, value_name = "WAYS", default_value_t = Options::default().cooperate)]
    cooperate: Ways,
    /// Looks an hour at everything that a node reads, on average: its budget follows.
    #[arg(long, value_name = "LOOKS", default_value_t = Options::default().looks_per_hour, allow_negative_numbers = true)]
    looks_per_hour: f64,
    /// The newsroom's port on this machine's loopback; those of the nodes follow.
    #[arg(long, value_name = "BASE", default_value_t = Options::default().port)]
    port: u16,
    /// Which nodes have a port on this machine: all, none, or names separated by commas.
    #[arg(long, value_name = "NODES", default_value_t = Published::All, conflicts_with_all = ["local", "kubernetes"])]
    publish: Published,
    /// The image that containers are made from.
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
        for (number, path) in (1..).zip(self.wiring.input.files()) {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            inputs.push((kept_name(number, path), text));
        }
        let whole = (&mesh, &graph, &links[..]);
        bundle::write(&self.folder, &plan, whole, &made_by(), &inputs)?;
        self.say(&plan, out)
    }

    fn options(&self) -> Options {
        Options {
            place: match (self.local, self.kubernetes) {
                (true, _) => Place::Local,
                (_, true) => Place::Kubernetes,
                _ => Place::Compose,
            },
            newsroom: self.newsroom,
            seed: self.newsroom_seed,
            speed: self.speed,
            cooperate: self.cooperate.clone(),
            looks_per_hour: self.looks_per_hour,
            port: self.port,
            publish: self.publish.clone(),
            image: self.image.clone(),
            namespace: self.namespace.clone(),
        }
    }

    fn say(&self, plan: &Plan, out: &mut impl Write) -> Result<()> {
        let folder = self.folder.display();
        writeln!(out, "{} nodes in {folder}. To start them:", plan.nodes.len())?;
        match plan.options.place {
            Place::Compose => writeln!(out, "  cd {folder} && docker-compose up -d")?,
            Place::Local => writeln!(out, "  {folder}/mesh start")?,
            Place::Kubernetes => writeln!(out, "  kubectl apply -f {folder}/kubernetes/")?,
        }
        writeln!(out, "{folder}/README.md says more.")?;
        Ok(())
    }
}

/// The command as it was typed, but for where it was told to write and read: that is not the same elsewhere.
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
                // The folder, then the mesh files.
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

/// The name under which a bundle keeps the mesh file of this number.
fn kept_name(number: usize, path: &Path) -> String {
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    match number {
        1 => format!("mesh.{ending}"),
        _ => format!("mesh-{number}.{ending}"),
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
