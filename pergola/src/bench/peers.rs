//! What a node can give to other nodes: `Fetch` of a long feed and `Watch` by many at once, beside a bare
//! tonic server that answers the same questions by the same messages from memory.
//!
//! Both are asked by one caller, in turns, each in a process of its own; what counts is what a second of
//! the server's CPU gives, so the caller may be as slow as it likes.

mod caller;
mod echo;
mod node;

use std::fmt;

use anyhow::Result;
use clap::Args as ClapArgs;
use serde::{Deserialize, Serialize};

use super::roles::{self, Part};
use super::usage::Usage;

/// How large the benchmark is.
#[derive(Debug, Clone, ClapArgs)]
pub struct Args {
    /// Items in the feed, about a kilobyte each.
    #[arg(long, default_value_t = 10_000)]
    pub items: u32,
    /// Streams that watch it.
    #[arg(long, default_value_t = 1_000)]
    pub subscribers: usize,
    /// Changes of it, each told to every stream.
    #[arg(long, default_value_t = 100)]
    pub changes: u64,
    /// Seconds that each server is asked in a round.
    #[arg(long, default_value_t = 3.0)]
    pub seconds: f64,
    /// Rounds; the medians count.
    #[arg(long, default_value_t = 5)]
    pub rounds: usize,
}

/// What one second of CPU gives, of one kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// `items fetched` or `messages to watchers`.
    pub what: &'static str,
    /// By this node.
    pub node: f64,
    /// By the bare server.
    pub bare: f64,
    /// The node's for one of the bare server.
    pub ratio: f64,
    /// What the ratio should reach.
    pub target: f64,
}

/// The result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Items in the feed.
    pub items: u32,
    /// Streams.
    pub subscribers: usize,
    /// Bytes of an answer of items, on average.
    pub answer_bytes: u64,
    /// Rounds of which the medians are shown.
    pub rounds: usize,
    /// One row for each kind.
    pub rows: Vec<Row>,
}

/// What the caller got.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Got {
    items: u64,
    answers: u64,
    bytes: u64,
}

/// Runs the benchmark, or the part of it that this process is.
pub fn run(args: &Args) -> Result<Option<Report>> {
    match roles::mine().as_deref() {
        Some("node") => node::run(args).map(|()| None),
        Some("bare") => echo::run().map(|()| None),
        Some("caller") => caller::run().map(|()| None),
        Some(other) => anyhow::bail!("there is no part `{other}` in this benchmark"),
        None => measure(args).map(Some),
    }
}

/// A server and what it has given in each round.
struct Server {
    part: Part,
    address: String,
    fetched: Vec<f64>,
    told: Vec<f64>,
}

impl Server {
    fn new(part: Part, address: String) -> Self {
        Self { part, address, fetched: Vec::new(), told: Vec::new() }
    }

    fn cpu(&mut self) -> Result<Usage> {
        self.part.ask("usage")
    }

    fn fetch(&mut self, caller: &mut Part, seconds: f64) -> Result<Got> {
        let before = self.cpu()?;
        let got: Got = caller.ask(&format!("fetch {} {seconds}", self.address))?;
        let cpu = self.cpu()?.cpu_since(&before);
        self.fetched.push(got.items as f64 / cpu);
        Ok(got)
    }

    fn watch(&mut self, caller: &mut Part, subscribers: usize, changes: u64) -> Result<()> {
        caller.ask::<()>(&format!("watch {} {subscribers}", self.address))?;
        let before = self.cpu()?;
        for _ in 0..changes {
            self.part.ask::<()>("change")?;
            caller.ask::<()>("told")?;
        }
        let cpu = self.cpu()?.cpu_since(&before);
        caller.ask::<()>("leave")?;
        self.told.push(changes as f64 * subscribers as f64 / cpu);
        Ok(())
    }
}

fn measure(args: &Args) -> Result<Report> {
    let mut caller = Part::start("caller")?;
    let mut part = Part::start("node")?;
    let address: String = part.ask("where")?;
    let mut bare = Part::start("bare")?;
    let copied: String = bare.ask(&format!("copy {address}"))?;
    let (mut node, mut bare) = (Server::new(part, address), Server::new(bare, copied));
    let mut total = Got::default();
    for _ in 0..args.rounds.max(1) {
        for server in [&mut bare, &mut node] {
            let got = server.fetch(&mut caller, args.seconds)?;
            total.answers += got.answers;
            total.bytes += got.bytes;
            server.watch(&mut caller, args.subscribers, args.changes)?;
        }
    }
    let row = |what, node: Vec<f64>, bare: Vec<f64>| {
        let (node, bare) = (median(node), median(bare));
        Row { what, node, bare, ratio: node / bare, target: 0.5 }
    };
    Ok(Report {
        items: args.items,
        subscribers: args.subscribers,
        answer_bytes: total.bytes / total.answers.max(1),
        rounds: args.rounds.max(1),
        rows: vec![
            row("items fetched", node.fetched, bare.fetched),
            row("messages to watchers", node.told, bare.told),
        ],
    })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "a feed of {} items in answers of {} kB, {} streams, median of {} rounds in turns",
            self.items,
            self.answer_bytes / 1000,
            self.subscribers,
            self.rounds
        )?;
        let heads = ["per second and core", "pergola", "bare tonic", "ratio", "target"];
        let [what, node, bare, ratio, target] = heads;
        writeln!(f, "{what:<22}{node:>12}{bare:>12}{ratio:>8}{target:>8}")?;
        self.rows.iter().try_for_each(|row| {
            let Row { what, node, bare, ratio, target } = row;
            writeln!(f, "{what:<22}{node:>12.0}{bare:>12.0}{ratio:>8.2}{target:>8.1}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_shows_both_servers_and_their_ratio() {
        let report = Report {
            items: 100,
            subscribers: 10,
            answer_bytes: 12_345,
            rounds: 3,
            rows: vec![Row {
                what: "items fetched",
                node: 600.0,
                bare: 1000.0,
                ratio: 0.6,
                target: 0.5,
            }],
        };
        let table = report.to_string();
        assert!(
            table.starts_with("a feed of 100 items in answers of 12 kB, 10 streams"),
            "{table}"
        );
        assert!(
            table.contains("items fetched                  600        1000    0.60     0.5\n"),
            "{table}"
        );
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
    }
}
