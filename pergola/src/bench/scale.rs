//! A hundred thousand sources in one node: how long they take to add and to start with, what memory
//! they need, what a decision costs, and whether the budget is kept.
//!
//! The sources are a newsroom in another process, met over real sockets in accelerated time. Three
//! processes play the node one after the other on the same folder: one adds the sources, one starts with
//! them, crawls (every source is refreshed for the first time, then at its own pace) and is measured
//! while the budget is steady, and one starts once more. Real time is needed for the requests alone, so
//! the speed follows from how many of them the machine can bear.

mod deciding;
mod parts;

use std::fmt;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args as ClapArgs;
use pergola_outside::clock::Clock;
use serde::{Deserialize, Serialize};

use super::roles::{self, Part};
use super::usage::Usage;
pub use deciding::Decisions;

/// How large the benchmark is.
#[derive(Debug, Clone, ClapArgs)]
pub struct Args {
    /// Sources.
    #[arg(long, default_value_t = 100_000)]
    pub sources: usize,
    /// Items that each of them publishes in a day.
    #[arg(long, default_value_t = 24.0)]
    pub items_per_day: f64,
    /// Refreshes per minute of accelerated time.
    #[arg(long, default_value_t = 2_000.0)]
    pub budget: f64,
    /// Times as fast as real time.
    #[arg(long, default_value_t = 10.0)]
    pub speed: f64,
    /// Minutes of accelerated time after the first refresh of every source, before anything is measured.
    #[arg(long, default_value_t = 30.0)]
    pub settling: f64,
    /// Minutes of accelerated time that are measured.
    #[arg(long, default_value_t = 10.0)]
    pub minutes: f64,
    /// Sources added in one commit.
    #[arg(long, default_value_t = 10_000)]
    pub part: usize,
    /// The seed of everything random.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Measure decisions of the planner over so many sources, too.
    #[arg(long, value_delimiter = ',', default_values_t = [1_000, 5_000])]
    pub planned: Vec<usize>,
    /// The node's folder; removed at the end unless it is given.
    #[arg(long)]
    pub data: Option<PathBuf>,
}

/// What the processes agree on.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Scene {
    /// The newsroom's address.
    base: String,
    /// When accelerated time began, in real time.
    start: f64,
    data: PathBuf,
}

/// How the sources were added.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Adding {
    /// Seconds until all of them were there.
    pub seconds: f64,
    /// What the process had used then.
    pub usage: Usage,
}

/// How the node started.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// Seconds until the node was open.
    pub seconds: f64,
    /// What the process had used then.
    pub usage: Usage,
}

/// How the node crawled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Crawling {
    /// Its start, with sources never refreshed.
    pub start: Start,
    /// Minutes of accelerated time until every source had been refreshed.
    pub first_pass: f64,
    /// Resident bytes then.
    pub resident_after_first_pass: u64,
    /// Refreshes per minute while measuring.
    pub rate: f64,
    /// … and in each minute.
    pub minutes: Vec<f64>,
    /// Refreshes that failed, over all.
    pub failed: u64,
    /// Sources waiting for their lane or on the way at the end.
    pub queue: usize,
    /// CPU seconds while measuring.
    pub cpu: f64,
    /// Real seconds while measuring.
    pub seconds: f64,
    /// What the process had used at the end.
    pub usage: Usage,
    /// τ at the end.
    pub threshold: f64,
    /// Bytes of the store on disk.
    pub disk: u64,
}

/// How the node started again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Again {
    /// Its start, every source having been refreshed.
    pub start: Start,
    /// What decisions cost with this state.
    pub decisions: Decisions,
}

/// The result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Sources.
    pub sources: usize,
    /// Refreshes per minute of accelerated time that were allowed.
    pub budget: f64,
    /// Times as fast as real time.
    pub speed: f64,
    /// The machine's load before and after (one minute).
    pub load: [f64; 2],
    /// How the sources were added.
    pub adding: Adding,
    /// How the node crawled.
    pub crawling: Crawling,
    /// How it started again.
    pub again: Again,
    /// What the planner's decisions cost with fewer sources.
    pub planned: Vec<Decisions>,
}

/// Runs the benchmark, or the part of it that this process is.
pub fn run(args: &Args) -> Result<Option<Report>> {
    match roles::mine().as_deref() {
        Some("newsroom") => parts::newsroom(args).map(|()| None),
        Some("adding") => parts::adding(args).map(|()| None),
        Some("crawling") => parts::crawling(args).map(|()| None),
        Some("again") => parts::again(args).map(|()| None),
        Some(other) => anyhow::bail!("there is no part `{other}` in this benchmark"),
        None => measure(args).map(Some),
    }
}

fn measure(args: &Args) -> Result<Report> {
    let before = load();
    let planned = args.planned.iter().map(|&count| deciding::plan(count)).collect::<Result<_>>()?;
    let start = Clock::real().now();
    let mut newsroom = Part::start("newsroom")?;
    let base: String = newsroom.ask(&start.to_string())?;
    let own = std::env::temp_dir().join(format!("pergola-scale-{}", std::process::id()));
    let data = args.data.clone().unwrap_or_else(|| own.clone());
    let scene = serde_json::to_string(&Scene { base, start, data })?;
    let adding = Part::start("adding")?.ask(&scene)?;
    let crawling = Part::start("crawling")?.ask(&scene)?;
    let again = Part::start("again")?.ask(&scene)?;
    if args.data.is_none() {
        std::fs::remove_dir_all(&own)?;
    }
    let Args { sources, budget, speed, .. } = *args;
    let load = [before, load()];
    Ok(Report { sources, budget, speed, load, adding, crawling, again, planned })
}

/// The machine's load over the last minute; zero where the system does not tell.
pub(super) fn load() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().and_then(|load| load.parse().ok()).unwrap_or(0.0)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sources, budget, speed, load, adding, crawling, again, planned } = self;
        let megabytes = |bytes: u64| bytes as f64 / 1e6;
        writeln!(f, "{sources} sources, {budget} refreshes a minute, {speed} × real time")?;
        writeln!(f, "load of the machine: {:.1} before, {:.1} after", load[0], load[1])?;
        let mut row = |what: &str, figure: f64, unit: &str, target: &str| {
            writeln!(f, "  {what:46} {figure:>10.2} {unit:5} {target}")
        };
        row("adding all sources", adding.seconds, "s", "")?;
        row("  peak memory meanwhile", megabytes(adding.usage.peak), "MB", "")?;
        row("start, no source refreshed", crawling.start.seconds, "s", "")?;
        row("  resident", megabytes(crawling.start.usage.resident), "MB", "")?;
        row("start, every source refreshed", again.start.seconds, "s", "")?;
        row("  resident", megabytes(again.start.usage.resident), "MB", "≤ 300 MB")?;
        row("every source refreshed after", crawling.first_pass, "min", "")?;
        row("  resident", megabytes(crawling.resident_after_first_pass), "MB", "")?;
        row("resident after crawling", megabytes(crawling.usage.resident), "MB", "≤ 300 MB")?;
        row("  peak", megabytes(crawling.usage.peak), "MB", "")?;
        row("  store on disk", megabytes(crawling.disk), "MB", "")?;
        row("refreshes a minute, steady", crawling.rate, "", "within 2 %")?;
        row("  off the budget by", 100.0 * (crawling.rate / budget - 1.0), "%", "")?;
        row("  failed, over all", crawling.failed as f64, "", "")?;
        row("  CPU seconds for each real second", crawling.cpu / crawling.seconds, "", "")?;
        row("CPU of one decision, settled", again.decisions.settled, "ms", "≤ 5 ms")?;
        row("  on the clock (median)", again.decisions.settled_clock, "ms", "")?;
        row("  while τ is searched", again.decisions.searching, "ms", "")?;
        for each in planned {
            let what =
                format!("{} + {}, {} sources, settled", each.strategy, each.model, each.sources);
            row(&what, each.settled, "ms", "")?;
            row("  on the clock (median)", each.settled_clock, "ms", "")?;
            row("  while τ is searched", each.searching, "ms", "")?;
            row("  … the longest", each.longest, "ms", "")?;
        }
        Ok(())
    }
}
