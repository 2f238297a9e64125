//! `topology-gen`: decides who subscribes to whom in a mesh.

mod cli;

use std::io::{ErrorKind, Write, stdout};
use std::process::ExitCode;

use clap::Parser;
use pergola_report::ReportError;

use crate::cli::{Cli, Outcome};

/// The exit code for invalid input. clap uses it, too.
const BAD_INPUT: u8 = 2;
/// The exit code for an incomplete answer.
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
        // `topology-gen … | head` closes the pipe, which is no error.
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
