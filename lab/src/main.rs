//! `pergola-lab`: experiments with refresh strategies in virtual time.

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

/// Exit code for input that makes no sense, as clap has it too.
const BAD_INPUT: u8 = 2;

#[expect(
    clippy::disallowed_methods,
    reason = "the edge may look at a clock, to say how fast it was"
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
