//! The budget is halved while the node runs: how soon the rate follows, and what it costs in quality,
//! beside what the scheduler alone does with the same sources in virtual time.
//!
//! A node crawls a newsroom of mixed rhythms over real sockets in accelerated time. Every request is
//! noted by the newsroom, so the node is judged from outside: by what was published when, and when it
//! came to refresh. The prediction is played afterwards over the very same items, and judged alike.

mod judge;
mod live;
mod prediction;

use std::fmt;

use anyhow::Result;
use clap::Args as ClapArgs;
use serde::Serialize;

use super::scale::load;
pub use judge::Quality;
use judge::Record;

/// How large the benchmark is.
#[derive(Debug, Clone, ClapArgs)]
pub struct Args {
    /// Sources.
    #[arg(long, default_value_t = 200)]
    pub sources: usize,
    /// Refreshes per cycle at first.
    #[arg(long, default_value_t = 20.0)]
    pub budget: f64,
    /// Seconds between two decisions, in accelerated time.
    #[arg(long, default_value_t = 60.0)]
    pub cycle: f64,
    /// Times as fast as real time.
    #[arg(long, default_value_t = 600.0)]
    pub speed: f64,
    /// Cycles before anything is measured.
    #[arg(long, default_value_t = 1_440)]
    pub warmup: usize,
    /// Cycles measured before the budget is halved.
    #[arg(long, default_value_t = 720)]
    pub before: usize,
    /// Cycles after it was halved.
    #[arg(long, default_value_t = 720)]
    pub after: usize,
    /// The seed of everything random.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// After the budget was halved, quality is measured from this cycle on.
const FOLLOWED: usize = 150;
/// The rate is a mean over this many cycles …
const OVER: usize = 10;
/// … and is right within this share.
const CLOSE: f64 = 0.05;

/// One way of crawling the sources.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Course {
    /// Cycles from the start until the rate was that of the budget.
    pub found: Option<usize>,
    /// Cycles from the halving until the rate was that of the new budget.
    pub followed: Option<usize>,
    /// Before the halving.
    pub before: Quality,
    /// After it.
    pub after: Quality,
    /// τ just before the halving, and at the end.
    pub thresholds: [f64; 2],
}

/// The result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Sources.
    pub sources: usize,
    /// Refreshes per cycle at first; half of it later.
    pub budget: f64,
    /// Seconds of a cycle.
    pub cycle: f64,
    /// Times as fast as real time.
    pub speed: f64,
    /// The machine's load before and after (one minute).
    pub load: [f64; 2],
    /// The node.
    pub node: Course,
    /// The scheduler alone, over the same items.
    pub predicted: Course,
    /// Refreshes of the node that failed.
    pub failed: u64,
    /// How long after its cycle had begun a request of the node came, in cycles, on average.
    pub late: f64,
}

/// Runs the benchmark.
pub fn run(args: &Args) -> Result<Option<Report>> {
    let first = load();
    let played = tokio::runtime::Runtime::new()?.block_on(live::play(args))?;
    let foreseen = prediction::play(args, &played.record)?;
    let Args { sources, budget, cycle, speed, .. } = *args;
    let record = &played.record;
    let late = record.refreshes.iter().flatten().map(|at| ((at - record.start) / cycle).fract());
    let refreshes = record.refreshes.iter().flatten().count().max(1) as f64;
    Ok(Some(Report {
        sources,
        budget,
        cycle,
        speed,
        load: [first, load()],
        node: course(args, record, played.thresholds),
        predicted: course(args, &foreseen.record, foreseen.thresholds),
        failed: played.failed,
        late: late.sum::<f64>() / refreshes,
    }))
}

/// What was recorded of one way of crawling, and τ before the halving and at the end.
struct Played {
    record: Record,
    thresholds: [f64; 2],
    failed: u64,
}

fn course(args: &Args, record: &Record, thresholds: [f64; 2]) -> Course {
    let halved = args.warmup + args.before;
    let counts = record.counts(args.cycle, halved + args.after);
    let judged = |from: usize, to: usize| {
        let at = |cycle: usize| record.start + cycle as f64 * args.cycle;
        Quality { rate: mean(&counts[from..to]), ..record.quality(at(from), at(to)) }
    };
    Course {
        found: cycles_until(&counts[..halved], args.budget),
        followed: cycles_until(&counts[halved..], 0.5 * args.budget),
        before: judged(args.warmup, halved),
        after: judged(halved + FOLLOWED.min(args.after), halved + args.after),
        thresholds,
    }
}

/// Cycles until the mean over the next ten is that of the budget.
fn cycles_until(counts: &[u32], budget: f64) -> Option<usize> {
    counts.windows(OVER).position(|some| (mean(some) / budget - 1.0).abs() <= CLOSE)
}

fn mean(counts: &[u32]) -> f64 {
    counts.iter().map(|&count| f64::from(count)).sum::<f64>() / counts.len().max(1) as f64
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sources, budget, cycle, speed, load, node, predicted, .. } = self;
        writeln!(
            f,
            "{sources} sources, {budget} then {} refreshes a cycle of {cycle} s, {speed} × real time",
            0.5 * budget
        )?;
        writeln!(f, "load of the machine: {:.1} before, {:.1} after", load[0], load[1])?;
        writeln!(
            f,
            "{} refreshes failed; a refresh came {:.2} cycles late on average",
            self.failed, self.late
        )?;
        writeln!(f, "  {:40} {:>12} {:>12}", "", "node", "predicted")?;
        let mut row = |what: &str, of: &dyn Fn(&Course) -> String| {
            writeln!(f, "  {what:40} {:>12} {:>12}", of(node), of(predicted))
        };
        let cycles = |cycles: Option<usize>| cycles.map_or("never".into(), |n| n.to_string());
        row("cycles until the budget is met", &|c| cycles(c.found))?;
        row("cycles until half of it is met", &|c| cycles(c.followed))?;
        for (when, of) in
            [("before", (|c| &c.before) as fn(&Course) -> &Quality), ("after", |c| &c.after)]
        {
            let mut part = |what: &str, figure: &dyn Fn(&Quality) -> String| {
                row(&format!("{what}, {when}"), &|course| figure(of(course)))
            };
            part("refreshes per cycle", &|q| format!("{:.2}", q.rate))?;
            part("completeness", &|q| format!("{:.4}", q.completeness))?;
            part("freshness", &|q| format!("{:.4}", q.freshness))?;
            part("mean delay", &|q| format!("{:.0} s", q.delay.mean))?;
            part("median delay", &|q| format!("{:.0} s", q.delay.median))?;
        }
        row("τ, before", &|c| format!("{:.3e}", c.thresholds[0]))?;
        row("τ, after", &|c| format!("{:.3e}", c.thresholds[1]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_met_once_ten_cycles_together_are_within_five_per_cent() {
        let mut counts = vec![40; 20];
        counts.extend([10; 20]);
        assert_eq!(cycles_until(&counts, 10.0), Some(20));
        assert_eq!(cycles_until(&counts, 40.0), Some(0));
        assert_eq!(cycles_until(&counts, 20.0), None);
    }
}
