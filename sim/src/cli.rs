//! The command line.

use std::process::ExitCode;

use clap::Parser;

use crate::plan::Plan;
use crate::run::{Outcome, run};
use crate::shrink::shrink;
use crate::trace::Shown;
use crate::world::Planted;

/// Runs whole meshes in one process, under simulated time, network and disks. Everything follows from a seed.
#[derive(Debug, Parser)]
#[command(
    name = "pergola-sim",
    version,
    after_help = "\
Examples:
  pergola-sim --seeds 300
  pergola-sim --seeds 1000 --first 5000
  pergola-sim --seed 17 --trace
  pergola-sim --seed 17 --shrink"
)]
pub struct Arguments {
    /// Runs so many seeds, one after the other.
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "seed")]
    seeds: u64,
    /// The first of them.
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    first: u64,
    /// Runs this seed only, twice, and checks that both runs are the same.
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    /// Ends the trouble after so many virtual hours.
    #[arg(long, value_name = "H", default_value_t = 20.0)]
    hours: f64,
    /// Prints everything that happens, with its instant in seconds.
    #[arg(long, requires = "seed")]
    trace: bool,
    /// Prints every message, too.
    #[arg(long, requires = "trace")]
    all: bool,
    /// Leaves out faults for as long as the seed still fails, and prints those that are left.
    #[arg(long, requires = "seed", conflicts_with = "trace")]
    shrink: bool,
}

/// Does what the command line asks for.
pub fn main(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    match arguments.seed {
        Some(seed) if arguments.shrink => small(seed, arguments.hours),
        Some(seed) => {
            let shown = match (arguments.trace, arguments.all) {
                (false, _) => Shown::Nothing,
                (true, false) => Shown::Lines,
                (true, true) => Shown::All,
            };
            one(seed, arguments.hours, shown)
        }
        None => many(arguments.first, arguments.seeds, arguments.hours),
    }
}

fn many(first: u64, count: u64, hours: f64) -> anyhow::Result<ExitCode> {
    let mut failed = Vec::new();
    let (mut days, mut requests, mut told) = (0.0, 0, 0);
    for seed in first..first.saturating_add(count) {
        let outcome = run(&Plan::draw(seed).within(hours), Planted::default(), Shown::Nothing)?;
        days += outcome.time / 86_400.0;
        requests += outcome.requests;
        told += outcome.told;
        if !outcome.broken.is_empty() {
            tell(&outcome, hours);
            failed.push(seed);
        }
    }
    println!(
        "{count} seeds from {first}: {} failed; {days:.0} virtual days, {requests} requests, {told} items told",
        failed.len()
    );
    Ok(if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn one(seed: u64, hours: f64, shown: Shown) -> anyhow::Result<ExitCode> {
    let plan = Plan::draw(seed).within(hours);
    let outcome = run(&plan, Planted::default(), shown)?;
    if shown == Shown::Nothing && run(&plan, Planted::default(), Shown::Nothing)? != outcome {
        println!("seed {seed} is not deterministic: two runs differ");
        return Ok(ExitCode::FAILURE);
    }
    tell(&outcome, hours);
    Ok(if outcome.broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn small(seed: u64, hours: f64) -> anyhow::Result<ExitCode> {
    let plan = Plan::draw(seed).within(hours);
    let (small, outcome) =
        shrink(&plan, Planted::default(), |left| eprintln!("{left} faults are enough"))?;
    tell(&outcome, hours);
    if outcome.broken.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    println!("{} of {} faults are enough:", small.faults.len(), plan.faults.len());
    small.faults.iter().for_each(|fault| println!("{fault}"));
    Ok(ExitCode::FAILURE)
}

fn tell(outcome: &Outcome, hours: f64) {
    let Outcome { seed, digest, lines, broken, time, requests, told } = outcome;
    let how = if broken.is_empty() { "passed" } else { "FAILED" };
    println!(
        "seed {seed} {how}: {:.1} virtual hours, {requests} requests, {told} items told, digest \
         {digest:016x} of {lines} lines",
        time / 3_600.0
    );
    for broken in broken {
        println!("  {broken}");
    }
    if !broken.is_empty() {
        println!("  repeat it with: pergola-sim --seed {seed} --hours {hours} --trace");
    }
}
