//! `topology-gen observe`: the graph of a mesh that runs.

use std::collections::BTreeSet;
use std::io::{IsTerminal as _, Write, stdout};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use pergola_report::{Cell, Column, Report, Table, check_paths};
use pergola_topology::draw;
use pergola_topology::graph::{Graph, Vertex};
use pergola_topology::mesh::Mesh;
use pergola_topology::observe::{Asking, Seen, ask};

use super::Outcome;

#[derive(Debug, Args)]
pub(super) struct ObserveArgs {
    /// Nodes to begin with; those that they read from are asked, too.
    #[arg(value_name = "URL", required = true)]
    nodes: Vec<String>,
    /// What every node is sent, so that it tells what it tells its operator; better in a file.
    #[arg(long, value_name = "TOKEN", conflicts_with = "token_file")]
    token: Option<String>,
    /// The same, as the only content of a file.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// A folder with a file NAME.token for each node, as `bundle` writes it.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["token", "token_file"])]
    secrets: Option<PathBuf>,
    /// Certificates (PEM) that nodes may be known by, besides the usual ones.
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// Seconds for each node.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, allow_negative_numbers = true)]
    timeout: f64,
    /// Ask only the nodes that are named.
    #[arg(long)]
    only: bool,
    /// Print the graph as JSON, as `generate` has it: `stats` and `draw` read that.
    #[arg(long)]
    json: bool,
    /// Draw it, too; .svg or .png.
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

impl ObserveArgs {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<Outcome> {
        if let Some(path) = &self.plot {
            check_paths(None, Some(path))?;
        }
        ensure!(
            self.timeout > 0.0 && self.timeout <= 3600.0,
            "--timeout is {}, but it must be a number of seconds above 0, up to 3600",
            self.timeout
        );
        if let Some(folder) = &self.secrets {
            ensure!(folder.is_dir(), "--secrets {} is not a folder", folder.display());
        }
        let token = match &self.token_file {
            Some(path) => {
                let read = std::fs::read_to_string(path);
                let text = read.with_context(|| format!("cannot read {}", path.display()))?;
                Some(text.trim().to_owned())
            }
            None => self.token.clone(),
        };
        let asking = Asking {
            token,
            secrets: self.secrets.clone(),
            ca: self.ca.clone(),
            timeout: Duration::from_secs_f64(self.timeout),
            follow: !self.only,
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let seen = runtime.block_on(ask(&self.nodes, &asking))?;
        let (mesh, graph) = seen.graph();
        let circle = graph.circle(mesh.feeds.len());
        if let Some(path) = &self.plot {
            ensure!(circle.is_none(), "feeds read each other in a circle: that cannot be drawn");
            draw::rings(&mesh, &graph.links())?.write(path)?;
        }
        match self.json {
            true => graph.write_json(&mesh, out)?,
            false => report(&mesh, &graph).print_table(out, stdout().is_terminal())?,
        }
        out.flush()?;
        if let Some(feed) = circle {
            let name = mesh.name(Vertex::Feed(feed));
            eprintln!("warning: feeds read each other in a circle, `{name}` among them");
        }
        Ok(warn(&seen))
    }
}

/// Says what was not seen.
fn warn(seen: &Seen) -> Outcome {
    for note in &seen.notes {
        eprintln!("warning: {note}");
    }
    for (at, why) in &seen.silent {
        eprintln!("warning: {at} is not seen: {why}");
    }
    match seen.notes.is_empty() && seen.silent.is_empty() {
        true => Outcome::Whole,
        false => Outcome::Partial,
    }
}

/// Who reads what, for people.
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
