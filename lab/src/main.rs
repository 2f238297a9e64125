//! `pergola-lab`: experiments with refresh strategies in virtual time.
//!
//! # Modules, from the bottom up
//!
//! - `world`: what every source publishes during an experiment
//! - `simulate`: one run of one strategy through one world
//! - `hindsight`: the bound of a schedule that knows the future
//! - `estimate`: how well a model follows one source
//! - `trials`: the same experiment for many seeds, on all cores
//! - `rows`: rows of figures as a table and as JSON
//! - `channels`: channels with text, refreshed under a policy
//! - `mesh`: nodes that read each other's feeds, in virtual time
//! - `live`: real nodes beside the prediction of the lab
//! - `experiments`: the experiments by name
//! - `cli`: the command line

mod channels;
mod cli;
mod estimate;
mod experiments;
mod hindsight;
mod live;
mod mesh;
mod rows;
mod simulate;
mod trials;
mod world;

use std::io::{ErrorKind, IsTerminal, stdout};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use pergola_report as report;

use crate::cli::Cli;
use crate::report::ReportError;

/// Exit code for wrong input, the same as clap's.
const BAD_INPUT: u8 = 2;

#[expect(
    clippy::disallowed_methods,
    reason = "a program may read the clock, to say how fast it was"
)]
fn main() -> ExitCode {
    let started = Instant::now();
    let outcome = Cli::parse().run(stdout().is_terminal(), || started.elapsed());
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        // `pergola-lab … | head` closes the pipe: nothing is wrong.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(BAD_INPUT)
        }
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    matches!(
        error.downcast_ref(),
        Some(ReportError::Print(source)) if source.kind() == ErrorKind::BrokenPipe
    )
}
