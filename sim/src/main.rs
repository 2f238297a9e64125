//! `pergola-sim`: simulated meshes from seeds.

use std::process::ExitCode;

use clap::Parser;
use pergola_sim::cli::{Arguments, main as run};

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
