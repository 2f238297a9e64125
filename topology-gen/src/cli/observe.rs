//! `observe`: shows the graph of a running mesh.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::Args;
use pergola_report::{Cell, Column, Report, Table, check_paths};
use pergola_topology::observe::{Asking, Seen, ask};
use pergola_topology::{draw, file, graph_file};
use pergola_wiring::graph::{Graph, Vertex};
use pergola_wiring::mesh::Mesh;

use super::outcome::Outcome;
use super::show::show;

#[derive(Debug, Args)]
pub(super) struct ObserveArgs {
    /// The nodes to ask first; the nodes that they read from are asked, too.
    #[arg(value_name = "URL", required = true)]
    nodes: Vec<String>,
    /// The token to send to every node, so that it tells what only its operator may know; --token-file is safer.
    #[arg(long, value_name = "TOKEN", conflicts_with = "token_file")]
    token: Option<String>,
    /// A file that contains the token.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// A folder with a file NAME.token for each node, as written by `bundle`.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["token", "token_file"])]
    secrets: Option<PathBuf>,
    /// A file of certificates (PEM) to trust in addition to the public authorities.
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// How long to wait for each node.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, allow_negative_numbers = true)]
    timeout: f64,
    /// Ask only the given nodes.
    #[arg(long)]
    only: bool,
    /// Print the graph as JSON, which `stats` and `draw` can read.
    #[arg(long)]
    json: bool,
    /// Draw the graph as .svg or .png.
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

impl ObserveArgs {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<Outcome> {
        if let Some(path) = &self.plot {
            check_paths(None, Some(path))?;
        }
        let asking = self.asking()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let seen = runtime.block_on(ask(&self.nodes, &asking))?;
        let (mesh, graph) = seen.graph();
        let cycle = graph.cycle(mesh.feeds.len());
        if let Some(path) = &self.plot {
            ensure!(cycle.is_none(), "feeds read each other in a cycle, which cannot be drawn");
            draw::rings(&mesh, &graph.links())?.write(path)?;
        }
        match self.json {
            true => graph_file::write_json(&graph, &mesh, out)?,
            false => show(&report(&mesh, &graph), false, out)?,
        }
        out.flush()?;
        if let Some(feed) = cycle {
            let name = mesh.name(Vertex::Feed(feed));
            eprintln!("warning: feeds read each other in a cycle, `{name}` among them");
        }
        Ok(warn(&seen))
    }

    fn asking(&self) -> Result<Asking> {
        ensure!(
            self.timeout > 0.0 && self.timeout <= 3600.0,
            "--timeout is {}, but it must be a number of seconds above 0, up to 3600",
            self.timeout
        );
        if let Some(folder) = &self.secrets {
            ensure!(folder.is_dir(), "--secrets {} is not a folder", folder.display());
        }
        let token = match &self.token_file {
            Some(path) => Some(file::read(path)?.trim().to_owned()),
            None => self.token.clone(),
        };
        Ok(Asking {
            token,
            secrets: self.secrets.clone(),
            ca: self.ca.clone(),
            timeout: Duration::from_secs_f64(self.timeout),
            follow: !self.only,
        })
    }
}

/// Warns about nodes that did not answer.
fn warn(seen: &Seen) -> Outcome {
    for note in &seen.notes {
        eprintln!("warning: {note}");
    }
    for (at, why) in &seen.silent {
        eprintln!("warning: {at} did not answer: {why}");
    }
    match seen.notes.is_empty() && seen.silent.is_empty() {
        true => Outcome::Whole,
        false => Outcome::Partial,
    }
}

/// A table of all subscriptions.
fn report(mesh: &Mesh, graph: &Graph) -> Report {
    let mut rows = Vec::new();
    for link in graph.links() {
        let feed = &mesh.feeds[link.to as usize];
        let unknown = matches!(link.from, Vertex::Source(s) if mesh.sources[s as usize].unknown);
        rows.push(vec![
            Cell::Text(feed.node.clone().unwrap_or_default()),
            Cell::Text(feed.name.clone()),
            Cell::Text(mesh.name(link.from).to_owned()),
            Cell::Text(match (link.from, unknown) {
                (_, true) => "unknown".to_owned(),
                (Vertex::Source(_), _) => "source".to_owned(),
                (Vertex::Feed(from), _) => {
                    mesh.feeds[from as usize].node.clone().unwrap_or_default()
                }
            }),
            Cell::Integer(link.sources.into()),
        ]);
    }
    let columns = vec![
        Column::left("node"),
        Column::left("feed"),
        Column::left("reads"),
        Column::left("of"),
        Column::right("sources"),
    ];
    let nodes: BTreeSet<_> = mesh.feeds.iter().filter_map(|feed| feed.node.as_ref()).collect();
    Report {
        title: format!("{} feeds of {} nodes, and what they read", mesh.feeds.len(), nodes.len()),
        notes: Vec::new(),
        table: Table { columns, rows },
        json: serde_json::Value::Null,
        charts: Vec::new(),
    }
}
