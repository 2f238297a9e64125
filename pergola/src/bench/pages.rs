//! Every page of a node that has become large, and what reader apps ask for: how many bytes each answer has, and how
//! much CPU time it costs.
//!
//! A node is given sources in folders, feeds, stored items, and a user who follows nearly all of it and has read and
//! starred some. Then each page is asked for many times over HTTP, one request at a time. The CPU time is that of the
//! whole process, so it holds the client's share as well. The first request of each page is told apart: it may find
//! nothing in memory.

mod asking;
mod filled;
mod list;

use std::fmt;
use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args as ClapArgs;
use pergola_store::Backend;
use serde::Serialize;

use super::scale::load;
use super::usage::Usage;

/// The most bytes of a page, uncompressed.
const BYTES: usize = 100_000;
/// The most CPU milliseconds of a page at the 95th percentile.
const CPU: f64 = 50.0;

/// How large the benchmark is.
#[derive(Debug, Clone, ClapArgs)]
pub struct Args {
    /// Items.
    #[arg(long, default_value_t = 1_000_000)]
    pub items: u64,
    /// Sources that deliver them, a hundred in a folder.
    #[arg(long, default_value_t = 10_000)]
    pub sources: u32,
    /// Feeds, one from each folder.
    #[arg(long, default_value_t = 100)]
    pub feeds: u32,
    /// Requests for each page.
    #[arg(long, default_value_t = 40)]
    pub requests: usize,
    /// The store: redb or sled.
    #[arg(long, default_value_t = Backend::Redb)]
    pub store: Backend,
    /// The seed of everything random.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The folder of the node; removed at the end unless it is given.
    #[arg(long)]
    pub data: Option<PathBuf>,
}

/// How one page did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// What it is.
    pub what: &'static str,
    /// Bytes of the largest answer.
    pub bytes: usize,
    /// … and compressed with gzip, as the node or a proxy before it sends it.
    pub gzip: usize,
    /// CPU milliseconds of the first request …
    pub first: f64,
    /// … and of the others, at the median …
    pub median: f64,
    /// … at the 95th percentile …
    pub p95: f64,
    /// … and at most.
    pub worst: f64,
    /// Milliseconds on the clock at the 95th percentile.
    pub clock: f64,
    /// The most bytes that it may have; a program gets as many items as it asks for.
    pub most_bytes: Option<usize>,
}

impl Row {
    /// Whether it is as quick and small as it must be.
    fn is_fine(&self) -> bool {
        self.p95 <= CPU && self.most_bytes.is_none_or(|most| self.bytes <= most)
    }
}

/// The result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Items.
    pub items: u64,
    /// Sources.
    pub sources: u32,
    /// Feeds.
    pub feeds: u32,
    /// Items that the user who looks at the pages has not read.
    pub unread: u32,
    /// The machine's load before and after (one minute).
    pub load: [f64; 2],
    /// Seconds that it took to fill the store.
    pub filling: f64,
    /// The pages.
    pub pages: Vec<Row>,
    /// What the process had used at the end.
    pub usage: Usage,
}

impl Report {
    /// An error if a page misses.
    pub fn verdict(&self) -> Result<()> {
        let missed: Vec<_> =
            self.pages.iter().filter(|page| !page.is_fine()).map(|page| page.what).collect();
        ensure!(missed.is_empty(), "too slow or too large: {}", missed.join(", "));
        Ok(())
    }
}

/// Runs the benchmark.
pub fn run(args: &Args) -> Result<Report> {
    let own = std::env::temp_dir().join(format!("pergola-pages-{}", std::process::id()));
    let folder = args.data.clone().unwrap_or_else(|| own.clone());
    let report = tokio::runtime::Runtime::new()?.block_on(measure(args, folder));
    if args.data.is_none() && own.exists() {
        std::fs::remove_dir_all(&own)?;
    }
    report
}

async fn measure(args: &Args, folder: PathBuf) -> Result<Report> {
    let before = load();
    let filled = filled::Filled::make(args, folder).await?;
    let asking = asking::Asking::new(&filled).await?;
    let mut pages = Vec::new();
    for page in list::pages(&filled.contents) {
        pages.push(asking.measured(&page, args.requests).await?);
    }
    let (unread, filling) = (filled.unread, filled.seconds);
    filled.stop().await;
    Ok(Report {
        items: args.items,
        sources: args.sources,
        feeds: args.feeds,
        unread,
        load: [before, load()],
        filling,
        pages,
        usage: Usage::now(),
    })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { items, sources, feeds, unread, load, filling, pages, usage } = self;
        writeln!(f, "{items} items of {sources} sources, {feeds} feeds, {unread} items unread")?;
        writeln!(f, "load of the machine: {:.1} before, {:.1} after", load[0], load[1])?;
        writeln!(f, "filled in {filling:.0} s; memory: {:.0} MB at most", usage.peak as f64 / 1e6)?;
        writeln!(
            f,
            "  {:44} {:>7} {:>7} {:>8} {:>8} {:>8} {:>8} {:>8}",
            format!("kB (≤ {}), CPU in ms (p95 ≤ {CPU})", BYTES / 1000),
            "kB",
            "gzip",
            "first",
            "median",
            "p95",
            "worst",
            "clock"
        )?;
        for page in pages {
            let kilobytes = |bytes: usize| bytes as f64 / 1e3;
            writeln!(
                f,
                "  {:44} {:>7.1} {:>7.1} {:>8.1} {:>8.1} {:>8.1} {:>8.1} {:>8.1}{}",
                page.what,
                kilobytes(page.bytes),
                kilobytes(page.gzip),
                page.first,
                page.median,
                page.p95,
                page.worst,
                page.clock,
                if page.is_fine() { "" } else { "  MISSED" },
            )?;
        }
        Ok(())
    }
}
