//! Nodes in a chain: how old an item is when it has come through all of them.
//!
//! In accelerated time, each node with private sources and a budget of its own: pulling plainly and with
//! hints, at equal budgets over the same sources, beside what the scheduler alone does with them in virtual
//! time. In real time: by `watch`, beside the bare round trips of the same links.
//!
//! Everything runs in one process over real sockets and real stores; what is measured is age, not work.

mod chain;
mod link;
mod prediction;
mod record;
mod watching;

use std::fmt;

use anyhow::Result;
use clap::Args as ClapArgs;
use pergola_manners::Cooperation;
use serde::Serialize;

use super::scale::load;
pub use record::Hop;
pub use watching::Watched;

/// How large the benchmark is.
#[derive(Debug, Clone, ClapArgs)]
pub struct Args {
    /// Nodes in the chain.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u8).range(2..=20))]
    pub hops: u8,
    /// Sources that the first node reads and every other from the node before it.
    #[arg(long, default_value_t = 10)]
    pub relayed: usize,
    /// Sources that each node has for itself.
    #[arg(long, default_value_t = 15)]
    pub private: usize,
    /// Refreshes per source in ten minutes.
    #[arg(long, default_value_t = 0.35)]
    pub budget: f64,
    /// Seconds between two decisions.
    #[arg(long, default_value_t = 60.0)]
    pub cycle: f64,
    /// Times as fast as real time.
    #[arg(long, default_value_t = 600.0)]
    pub speed: f64,
    /// Hours before anything is measured, in accelerated time.
    #[arg(long, default_value_t = 16.0)]
    pub warmup: f64,
    /// Hours in which items are counted.
    #[arg(long, default_value_t = 20.0)]
    pub measured: f64,
    /// Items that are watched on their way in real time.
    #[arg(long, default_value_t = 40)]
    pub watched: usize,
    /// Milliseconds that a link takes each way, besides none.
    #[arg(long, default_value_t = 20)]
    pub delay: u64,
    /// The seed of everything random.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// Rates, budgets and ages are told in units of so many seconds.
const UNIT: f64 = 600.0;
/// Sources publish up to so many items in a unit.
const HIGHEST_RATE: f64 = 3.0;
/// Items that a document shows.
const WINDOW: usize = 10;
/// After the items that count were published, so many units are left for the last of them to arrive.
const ON_THE_WAY: f64 = 25.0;
/// What hints should reach, of the age of plain pulling.
const HINTS_TARGET: f64 = 0.6;
/// How near the prediction should be.
const PREDICTED_WITHIN: f64 = 0.15;
/// What watching should keep to, of the sum of bare round trips.
const WATCH_TARGET: f64 = 3.0;

/// One way of cooperating.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Course {
    /// `pull`, `hints` or `pull, predicted`.
    pub name: &'static str,
    /// What was measured at each node, the first one first.
    pub hops: Vec<Hop>,
}

/// The result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// How large it was.
    pub hops: u8,
    /// Relayed and private sources of each node.
    pub sources: [usize; 2],
    /// Refreshes per source in ten minutes.
    pub budget: f64,
    /// Times as fast as real time.
    pub speed: f64,
    /// The machine's load before and after (one minute).
    pub load: [f64; 2],
    /// Pulling, with hints, and the prediction of pulling.
    pub courses: Vec<Course>,
    /// Median age at the last node, hints over pull.
    pub hints_over_pull: f64,
    /// Requests for relayed feeds, hints over pull.
    pub requests_over_pull: f64,
    /// Median age at the last node, pull over what was predicted.
    pub pull_over_predicted: f64,
    /// By `watch`, without and with a delay of the links.
    pub watched: Vec<Watched>,
}

/// Runs the benchmark.
pub fn run(args: &Args) -> Result<Report> {
    let first = load();
    let runtime = tokio::runtime::Runtime::new()?;
    let plain = runtime.block_on(chain::play(args, Cooperation::default()))?;
    let hints = Cooperation { hints: true, ..Cooperation::default() };
    let hinted = runtime.block_on(chain::play(args, hints))?;
    let predicted = prediction::play(args, &plain)?;
    let mut watched = Vec::new();
    for delay in [0, args.delay] {
        watched.push(runtime.block_on(watching::measure(args, delay))?);
    }
    let courses: Vec<Course> =
        [("pull", plain.hops), ("hints", hinted.hops), ("pull, predicted", predicted)]
            .map(|(name, hops)| Course { name, hops })
            .into();
    let at_the_end =
        |course: usize, figure: fn(&Hop) -> f64| courses[course].hops.last().map_or(0.0, figure);
    let relayed =
        |course: usize| courses[course].hops.iter().skip(1).map(|hop| hop.requests).sum::<f64>();
    let median: fn(&Hop) -> f64 = |hop| hop.median;
    Ok(Report {
        hops: args.hops,
        sources: [args.relayed, args.private],
        budget: args.budget,
        speed: args.speed,
        load: [first, load()],
        hints_over_pull: at_the_end(1, median) / at_the_end(0, median),
        requests_over_pull: relayed(1) / relayed(0),
        pull_over_predicted: at_the_end(0, median) / at_the_end(2, median),
        courses,
        watched,
    })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { hops, sources, budget, speed, load, .. } = self;
        writeln!(
            f,
            "{hops} nodes in a chain, each with {} relayed and {} private sources and {budget} refreshes per \
             source in ten minutes, {speed} × real time",
            sources[0], sources[1]
        )?;
        writeln!(f, "load of the machine: {:.1} before, {:.1} after", load[0], load[1])?;
        writeln!(
            f,
            "  {:18} {:>4} {:>10} {:>10} {:>10} {:>18}",
            "", "hop", "complete", "mean age", "median", "requests per link"
        )?;
        for Course { name, hops } in &self.courses {
            for (number, hop) in hops.iter().enumerate() {
                writeln!(
                    f,
                    "  {name:18} {:>4} {:>10.4} {:>8.0} s {:>8.0} s {:>18.3}",
                    number + 1,
                    hop.completeness,
                    hop.mean,
                    hop.median,
                    hop.requests
                )?;
            }
        }
        writeln!(
            f,
            "hints over pull: median age {:.2} (at most {HINTS_TARGET}), requests per link {:.2}",
            self.hints_over_pull, self.requests_over_pull
        )?;
        writeln!(
            f,
            "pull over what was predicted: median age {:.2} (within {PREDICTED_WITHIN} of 1)",
            self.pull_over_predicted
        )?;
        for watched in &self.watched {
            writeln!(
                f,
                "watch, links of {} ms each way: median age over {hops} hops {:.1} ms, {hops} bare round trips \
                 {:.1} ms: {:.2} (at most {WATCH_TARGET})",
                watched.delay_ms, watched.median_ms, watched.round_trips_ms, watched.ratio
            )?;
        }
        Ok(())
    }
}
