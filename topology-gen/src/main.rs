//! `topology-gen`: who subscribes to whom.

mod cli;

use std::io::{ErrorKind, Write, stdout};
use std::process::ExitCode;

use clap::Parser;
use pergola_report::ReportError;

use crate::cli::{Cli, Outcome};

/// Exit code for input that makes no sense, as clap has it too.
const BAD_INPUT: u8 = 2;
/// Exit code for an answer that is not the whole one.
const PARTIAL: u8 = 3;

fn main() -> ExitCode {
    let mut out = std::io::BufWriter::with_capacity(1 << 16, stdout().lock());
    let outcome = Cli::parse().run(&mut out).and_then(|outcome| {
        out.flush()?;
        Ok(outcome)
    });
    match outcome {
        Ok(Outcome::Whole) => ExitCode::SUCCESS,
        Ok(Outcome::Partial) => ExitCode::from(PARTIAL),
        // `topology-gen … | head` closes the pipe: nothing is wrong.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(BAD_INPUT)
        }
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let source = match error.downcast_ref() {
        Some(ReportError::Print(source)) => Some(source),
        _ => error.downcast_ref::<std::io::Error>(),
    };
    source.is_some_and(|source| source.kind() == ErrorKind::BrokenPipe)
}
