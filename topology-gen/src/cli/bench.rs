//! `bench`: measures how time and memory grow with the number of feeds.

use std::io::Write;

use anyhow::{Context, Result};
use clap::Args;
use pergola_report::{Cell, Column, Report, Table};
use pergola_wiring::grow::{Rules, grow};
use pergola_wiring::synthetic::Synthetic;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use super::show::show;

#[derive(Debug, Args)]
pub(super) struct BenchArgs {
    /// The number of feeds; repeat it, from few to many, to see how time and memory grow.
    #[arg(long, value_name = "N", default_values_t = [10_000, 100_000, 1_000_000])]
    feeds: Vec<usize>,
    /// The number of sources.
    #[arg(long, value_name = "N", default_value_t = 100)]
    sources: usize,
    /// The number of keywords.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    dictionary: usize,
    /// The share of the keywords that a source covers on average.
    #[arg(long, value_name = "SHARE", default_value_t = 0.01)]
    coverage: f64,
    /// The random seed.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
}

impl BenchArgs {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<()> {
        let (mut rows, mut json) = (Vec::new(), Vec::new());
        let mut first: Option<(f64, f64)> = None;
        for &feeds in &self.feeds {
            let rules = Rules::default();
            let size = Synthetic {
                sources: self.sources,
                feeds,
                dictionary: self.dictionary,
                coverage: self.coverage,
                radius: rules.radius,
            };
            let mesh = size.make(&mut ChaCha8Rng::seed_from_u64(self.seed))?;
            let (started, spent) = (now(), cpu_seconds());
            let graph = grow(&mesh, &rules)?;
            let (took, spent) = (started.elapsed().as_secs_f64(), cpu_seconds() - spent);
            let peak = peak_megabytes()?;
            let (fewest, least) = *first.get_or_insert((feeds as f64, spent));
            let (larger, longer) = (feeds as f64 / fewest, spent / least);
            let number = |value: f64, decimals| Cell::Number { value, decimals };
            rows.push(vec![
                Cell::Integer(feeds as i64),
                Cell::Integer(graph.edges.len() as i64),
                number(took, 2),
                number(spent, 2),
                number(peak, 0),
                number(larger, 1),
                number(longer, 1),
            ]);
            json.push(serde_json::json!({
                "feeds": feeds, "edges": graph.edges.len(), "seconds": took, "cpu_seconds": spent,
                "peak_megabytes": peak, "times_the_feeds": larger, "times_the_cpu": longer,
            }));
        }
        let columns = ["feeds", "edges", "seconds", "CPU seconds", "peak MB", "× feeds", "× CPU"];
        let report = Report {
            title: format!("Wiring feeds to {} sources", self.sources),
            notes: vec![
                "CPU seconds are summed over all cores. The peak is the most memory of the process so far."
                    .to_owned(),
            ],
            table: Table { columns: columns.map(Column::right).into(), rows },
            json: serde_json::json!({ "rows": json }),
            charts: Vec::new(),
        };
        show(&report, self.json, out)
    }
}

#[expect(clippy::disallowed_methods, reason = "a benchmark needs the clock")]
fn now() -> std::time::Instant {
    std::time::Instant::now()
}

fn cpu_seconds() -> f64 {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    spent.tv_sec as f64 + spent.tv_nsec as f64 / 1e9
}

/// The most memory that this process has used.
fn peak_megabytes() -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")
        .context("cannot read /proc/self/status, which tells how much memory was used")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    Ok(kilobytes.context("/proc/self/status does not tell the peak memory (VmHWM)")? / 1024.0)
}
