//! Full passes over many sources: cold, with nothing changed, and with a tenth changed; the node beside
//! a bare loop of reqwest and feed-rs that stores nothing, over the same sources in the same run.
//!
//! The node stores, deduplicates, matches its queries and publishes; at the end of every pass each of
//! its feeds is fetched once, so that rendering counts as well. A newsroom in a third process answers
//! both.

mod bare;
mod parts;

use std::fmt;

use anyhow::Result;
use clap::Args as ClapArgs;
use serde::{Deserialize, Serialize};

use super::roles::{self, Part};
use super::usage::Usage;

/// How large the benchmark is.
#[derive(Debug, Clone, ClapArgs)]
pub struct Args {
    /// Sources.
    #[arg(long, default_value_t = 1_000)]
    pub sources: usize,
    /// Queries that the node matches and publishes.
    #[arg(long, default_value_t = 100)]
    pub queries: usize,
    /// Rounds: each a fresh node, a cold pass, and several of the shorter ones; the median counts.
    #[arg(long, default_value_t = 5)]
    pub rounds: usize,
    /// Bytes of text in each item (twenty items a document).
    #[arg(long, default_value_t = 620)]
    pub text: usize,
    /// The node's store.
    #[arg(long, default_value_t)]
    pub store: pergola_store::Backend,
}

/// What one pass over all sources took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Pass {
    /// CPU seconds.
    pub cpu: f64,
    /// Seconds on the clock.
    pub seconds: f64,
    /// The most memory so far, in bytes.
    pub peak: u64,
    /// Items that were new.
    pub items: u64,
}

/// The passes of one kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// `cold`, `unchanged` or `a tenth changed`.
    pub pass: &'static str,
    /// The node, median by CPU.
    pub node: Pass,
    /// The bare loop, median by CPU.
    pub bare: Pass,
    /// CPU of the node over CPU of the bare loop, medians.
    pub ratio: f64,
    /// What the ratio should not pass.
    pub target: f64,
    /// Requests that the node made in such a pass.
    pub requests: u64,
    /// … answered by 304.
    pub not_modified: u64,
    /// Bytes that it received.
    pub bytes: u64,
}

/// The result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Sources.
    pub sources: usize,
    /// Queries.
    pub queries: usize,
    /// Entries in the node's feeds at the end.
    pub entries: u64,
    /// One row for each kind of pass.
    pub rows: Vec<Row>,
}

/// Requests as the newsroom counts them.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Counted {
    requests: u64,
    not_modified: u64,
    bytes: u64,
}

/// Runs the benchmark, or the part of it that this process is.
pub fn run(args: &Args) -> Result<Option<Report>> {
    match roles::mine().as_deref() {
        Some("newsroom") => parts::newsroom(args).map(|()| None),
        Some("node") => parts::node(args).map(|()| None),
        Some("reader") => parts::reader(args).map(|()| None),
        Some("bare") => bare::run(args).map(|()| None),
        Some(other) => anyhow::bail!("there is no part `{other}` in this benchmark"),
        None => measure(args).map(Some),
    }
}

fn measure(args: &Args) -> Result<Report> {
    let mut newsroom = Part::start("newsroom")?;
    let base: String = newsroom.ask("where")?;
    let mut cold = Kind::new("cold", 2.0, 1);
    let mut unchanged = Kind::new("unchanged", 2.0, 5);
    let mut changed = Kind::new("a tenth changed", 2.5, 3);
    let mut reader = Part::start("reader")?;
    let mut entries = 0;
    for _ in 0..args.rounds.max(1) {
        let mut node = Part::start("node")?;
        let mut bare = Part::start("bare")?;
        let served: String = node.ask(&base)?;
        bare.ask::<()>(&base)?;
        for kind in [&mut cold, &mut unchanged, &mut changed] {
            // The short passes are told from the machine's other work only by repeating them.
            for _ in 0..kind.repeated {
                if kind.pass == "a tenth changed" {
                    newsroom.ask::<()>("publish")?;
                }
                kind.bare.push(bare.ask("pass")?);
                let before: Counted = newsroom.ask("count")?;
                let started: Usage = node.ask("usage")?;
                let refreshed: Pass = node.ask("pass")?;
                reader.ask::<()>(&served)?;
                let ended: Usage = node.ask("usage")?;
                let cpu = ended.cpu_since(&started);
                kind.node.push(Pass { cpu, peak: ended.peak, ..refreshed });
                let after: Counted = newsroom.ask("count")?;
                kind.counted = Counted {
                    requests: after.requests - before.requests,
                    not_modified: after.not_modified - before.not_modified,
                    bytes: after.bytes - before.bytes,
                };
            }
        }
        entries = node.ask("entries")?;
    }
    let rows = [cold, unchanged, changed].into_iter().map(Kind::row).collect();
    Ok(Report { sources: args.sources, queries: args.queries, entries, rows })
}

struct Kind {
    pass: &'static str,
    target: f64,
    /// Passes in each round.
    repeated: usize,
    node: Vec<Pass>,
    bare: Vec<Pass>,
    counted: Counted,
}

impl Kind {
    fn new(pass: &'static str, target: f64, repeated: usize) -> Self {
        let counted = Counted::default();
        Self { pass, target, repeated, node: Vec::new(), bare: Vec::new(), counted }
    }

    fn row(self) -> Row {
        let (node, bare) = (median(self.node), median(self.bare));
        let Counted { requests, not_modified, bytes } = self.counted;
        let ratio = node.cpu / bare.cpu;
        Row {
            pass: self.pass,
            node,
            bare,
            ratio,
            target: self.target,
            requests,
            not_modified,
            bytes,
        }
    }
}

fn median(mut passes: Vec<Pass>) -> Pass {
    passes.sort_by(|a, b| a.cpu.total_cmp(&b.cpu));
    passes.get(passes.len() / 2).copied().unwrap_or_default()
}

/// Measures what happens until `work` is done.
async fn timed(work: impl Future<Output = Result<u64>>) -> Result<Pass> {
    #[expect(clippy::disallowed_methods, reason = "a benchmark is an edge")]
    let started = std::time::Instant::now();
    let before = Usage::now();
    let items = work.await?;
    let after = Usage::now();
    let seconds = started.elapsed().as_secs_f64();
    Ok(Pass { cpu: after.cpu_since(&before), seconds, peak: after.peak, items })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} sources, {} queries with {} entries",
            self.sources, self.queries, self.entries
        )?;
        writeln!(
            f,
            "{:<16} {:>9} {:>9} {:>6} {:>7} {:>10} {:>8} {:>9} {:>6} {:>9}",
            "pass",
            "node CPU",
            "bare CPU",
            "ratio",
            "target",
            "feeds/CPUs",
            "peak MB",
            "requests",
            "304",
            "kB"
        )?;
        for row in &self.rows {
            writeln!(
                f,
                "{:<16} {:>8.2}s {:>8.2}s {:>6.2} {:>7.1} {:>10.0} {:>8.0} {:>9} {:>6} {:>9.0}",
                row.pass,
                row.node.cpu,
                row.bare.cpu,
                row.ratio,
                row.target,
                self.sources as f64 / row.node.cpu,
                row.node.peak as f64 / 1e6,
                row.requests,
                row.not_modified,
                row.bytes as f64 / 1e3,
            )?;
        }
        Ok(())
    }
}
