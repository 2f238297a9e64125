//! `pergola-sim`: simulated meshes from seeds.

use std::process::ExitCode;

use clap::Parser;
use pergola_sim::cli::{Arguments, main as run};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
