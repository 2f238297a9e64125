//! The command line: what a person types, and what the program says back.
//!
//! A command never knows whether a node is running: it asks a client, which goes over the network or
//! opens the data folder itself. What is for people goes to standard output as aligned text, what is for
//! programs as JSON (`--json`), and what goes wrong to standard error, with what to do next. Escape codes
//! never reach anything but a terminal, and a token never reaches any output.

mod client;
mod configuration;
mod failure;
mod feed;
mod keep;
mod lists;
mod log;
mod overview;
mod presence;
mod run;
mod screen;
mod search;
mod service;
mod settings;
mod source;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use client::Client;
use screen::Screen;
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
    #[command(flatten)]
    Ask(Question),
    /// What the node was told: check, show
    #[command(subcommand)]
    Config(configuration::Command),
    /// Make the data folder hold what a backup holds
    Restore(keep::Restore),
    /// The engine that keeps the data: move
    #[command(subcommand)]
    Store(keep::StoreCommand),
    /// Say by the exit code whether the node is ready
    #[command(after_help = "Example:\n  pergola healthcheck\n  pergola healthcheck --node \
                            http://127.0.0.1:8080/")]
    Healthcheck,
    /// Show a mesh at work: a newsroom and five nodes on loopback, in fast time
    #[command(after_help = "Example:\n  pergola demo\n  pergola demo --speed 3600 --seconds 60")]
    Demo(crate::demo::Args),
    /// Be the sources: publish made-up items, and the truth about them
    Newsroom(crate::newsroom::Args),
    /// Refresh for what commonly goes wrong, or score this crawler's manners
    #[command(after_help = "Example:\n  pergola doctor\n  pergola doctor --politeness")]
    Doctor(crate::doctor::Args),
    /// Measure how quick this node is: crawl, serve
    #[command(subcommand)]
    Bench(crate::bench::Command),
}

/// What is asked of a node, running or not.
#[derive(Debug, Subcommand)]
enum Question {
    /// What is crawled: add, list, show, remove, refresh
    #[command(subcommand)]
    Source(source::Command),
    /// What is published: create, list, show, explain, suggest, readers, drop, tail
    #[command(subcommand)]
    Feed(feed::Command),
    /// Find sources and feeds by what they are about, here and at peers
    Search(search::Args),
    /// Write what sources and feeds are about, as topology-gen reads it
    #[command(
        after_help = "Example:\n  pergola profiles --words 8 > mesh.json\n  topology-gen stats mesh.json"
    )]
    Profiles(search::Profiles),
    /// Show how the node stands
    #[command(after_help = "Example:\n  pergola status\n  pergola status --json")]
    Status,
    /// Crawl everything that an OPML file names
    Import(lists::Import),
    /// Write the sources as OPML
    Export(lists::Export),
    /// Write everything that is kept into one file, also while the node runs
    Backup(keep::Backup),
}

impl Command {
    async fn carry_out(self, settings: Settings) -> anyhow::Result<()> {
        if !matches!(self, Self::Run(_)) {
            log::start_if_wanted(&settings)?;
        }
        let screen = Screen::new(&settings);
        match self {
            Self::Run(args) => run::run(args, settings).await,
            Self::Ask(question) => {
                Client::with(&settings, async |client| question.ask(client, &screen).await).await
            }
            Self::Config(command) => configuration::run(command, &settings, &screen).await,
            Self::Restore(args) => keep::restore(args, &settings, &screen),
            Self::Store(command) => keep::store(command, &settings, &screen),
            Self::Healthcheck => overview::healthcheck(&settings, &screen).await,
            Self::Demo(args) => {
                crate::demo::run(crate::demo::Args { json: settings.options.json, ..args }).await
            }
            Self::Newsroom(args) => {
                let json = settings.options.json;
                crate::newsroom::run(crate::newsroom::Args { json, ..args }).await
            }
            Self::Doctor(args) => {
                let args = crate::doctor::Args { json: settings.options.json, ..args };
                match crate::doctor::run(args, settings.load()?).await? {
                    crate::doctor::Verdict::Ill => anyhow::bail!("something is wrong; see above"),
                    _ => Ok(()),
                }
            }
            Self::Bench(command) => {
                let json = settings.options.json;
                // Its parts have runtimes of their own.
                tokio::task::spawn_blocking(move || command.run(json)).await?
            }
        }
    }
}

impl Question {
    async fn ask(self, client: &Client, screen: &Screen) -> anyhow::Result<()> {
        match self {
            Self::Source(command) => source::run(command, client, screen).await,
            Self::Feed(command) => feed::run(command, client, screen).await,
            Self::Profiles(args) => search::profiles(args, client, screen).await,
            Self::Search(args) => search::search(args, client, screen).await,
            Self::Status => overview::status(client, screen).await,
            Self::Import(args) => lists::import(args, client, screen).await,
            Self::Export(args) => lists::export(args, client, screen).await,
            Self::Backup(args) => keep::backup(args, client, screen).await,
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
