//! `generate`, `stats` and `draw`: wire a mesh and show it.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use clap::Args;
use pergola_report::check_paths;
use pergola_topology::forest::Forest;
use pergola_topology::hosts::Hosts;
use pergola_topology::stats::Stats;
use pergola_topology::{draw, folder, graph_file};

use super::input::{Wired, WiringArgs};
use super::show::show;

#[derive(Debug, Args)]
pub(super) struct GenerateArgs {
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
pub(super) struct StatsArgs {
    #[command(flatten)]
    wiring: WiringArgs,
    #[command(flatten)]
    hosts: HostArgs,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
}

/// Which nodes host the feeds, and how often they refresh.
#[derive(Debug, Args)]
struct HostArgs {
    /// The number of nodes that share the feeds; feeds that are near in the graph share a node [default: one
    /// node per feed, or as the mesh file says].
    #[arg(long, value_name = "N")]
    nodes: Option<usize>,
    /// How often a node refreshes each subscription, for the expected number of requests.
    #[arg(long, value_name = "N", default_value_t = 1.0, allow_negative_numbers = true)]
    refreshes_per_hour: f64,
}

#[derive(Debug, Args)]
#[group(id = "pictures", required = true, multiple = true, args = ["plot", "degrees"])]
pub(super) struct DrawArgs {
    #[command(flatten)]
    wiring: WiringArgs,
    /// Draw the graph, with sources in the middle and feeds in rings around them; .svg or .png.
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Draw the distribution of the number of readers, with its fitted tail; .svg or .png.
    #[arg(long, value_name = "FILE")]
    degrees: Option<PathBuf>,
}

impl GenerateArgs {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<()> {
        if let Some(path) = &self.output {
            folder::check(path)?;
        }
        let wired = self.wiring.wire()?;
        let Wired { mesh, graph, .. } = &wired;
        if self.json {
            return Ok(graph_file::write_json(graph, mesh, out)?);
        }
        if let Some(path) = &self.output {
            folder::write(path, |folder| {
                let json = folder.join("graph.json");
                into_file(&json, |file| graph_file::write_json(graph, mesh, file))?;
                into_file(&folder.join("graph.dot"), |file| {
                    graph_file::write_dot(graph, mesh, file)
                })
            })?;
        }
        self.hosts.show_stats(&wired, false, out)
    }
}

fn into_file(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = BufWriter::with_capacity(1 << 16, File::create(path)?);
    write(&mut file)?;
    file.into_inner()?.sync_all()
}

impl StatsArgs {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<()> {
        self.hosts.show_stats(&self.wiring.wire()?, self.json, out)
    }
}

impl HostArgs {
    fn show_stats(&self, wired: &Wired, json: bool, out: &mut impl Write) -> Result<()> {
        let refreshes = self.refreshes_per_hour;
        ensure!(
            refreshes.is_finite() && refreshes >= 0.0,
            "--refreshes-per-hour is {refreshes}, but it must be a number, at least 0"
        );
        let Wired { mesh, graph, links } = wired;
        let hosts = Hosts::new(mesh, &Forest::new(links), self.nodes)?;
        show(&Stats::new(mesh, graph, links, &hosts, refreshes).report(), json, out)
    }
}

impl DrawArgs {
    pub(super) fn run(&self) -> Result<()> {
        for path in [&self.plot, &self.degrees].into_iter().flatten() {
            check_paths(None, Some(path))?;
        }
        let Wired { mesh, links, .. } = self.wiring.wire()?;
        if let Some(path) = &self.plot {
            draw::rings(&mesh, &links)?.write(path)?;
        }
        if let Some(path) = &self.degrees {
            draw::degrees_of_mesh(&mesh, &links).write_plot(path)?;
        }
        Ok(())
    }
}
