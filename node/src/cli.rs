//! The command line: what a person types, and what the program says back.
//!
//! A command never knows whether a node is running: it asks a client, which goes over the network or
//! opens the data folder itself. What is for people goes to standard output as aligned text, what is for
//! programs as JSON (`--json`), and what goes wrong to standard error, with what to do next. Escape codes
//! never reach anything but a terminal, and a token never reaches any output.

mod failure;
mod log;
mod presence;
mod run;
mod service;
mod settings;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use settings::{Options, Settings};

/// A node that crawls feeds, keeps what your queries ask for and publishes it as feeds of its own.
#[derive(Debug, Parser)]
#[command(
    name = "pergola",
    version,
    max_term_width = 100,
    after_help = "Example:\n  pergola run\n  pergola source add https://example.org/feed.xml\n  \
                  pergola status"
)]
struct Cli {
    #[command(flatten)]
    options: Options,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Crawl, select and publish, until stopped
    Run(run::Args),
}

impl Command {
    async fn carry_out(self, settings: Settings) -> anyhow::Result<()> {
        match self {
            Self::Run(args) => run::run(args, settings).await,
        }
    }
}

/// Carries out what the arguments ask for: 0 if that was done, 1 if it failed, 2 if it made no sense.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let settings = Settings::new(cli.options);
    let done = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_or_else(
        |error| Err(error.into()),
        |runtime| {
            let done = runtime.block_on(cli.command.carry_out(settings));
            // What still runs has been given its time.
            runtime.shutdown_background();
            done
        },
    );
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error),
    }
}
