//! The command line.
//!
//! A command does not know whether a node is running: it uses a client, which goes over the network or opens
//! the data folder. Results go to standard output, as text or with `--json` as JSON; errors go to standard
//! error in the same form, with what to do next. Escape codes go only to a terminal, and a token is never printed.

mod client;
mod configuration;
mod failure;
mod feed;
mod generated;
mod keep;
mod lists;
mod log;
mod output;
mod overview;
mod presence;
mod run;
mod screen;
mod search;
mod service;
mod settings;
mod source;
#[cfg(test)]
mod tests;
mod user;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use pergola_api::ClientError;

use client::{Client, Data};
use screen::Screen;
use settings::{Options, Settings};

/// Filter your feeds and republish them for any reader, or for other nodes
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
    Run(run::Args),
    #[command(flatten)]
    OnNode(NodeCommand),
    /// Check, show or change the configuration
    #[command(subcommand)]
    Config(configuration::Command),
    Restore(keep::Restore),
    /// Move or repair the stored data: move, repair
    #[command(subcommand)]
    Store(keep::StoreCommand),
    /// Exit with 0 if the node is ready, else with 1
    #[command(after_help = "Example:\n  pergola healthcheck\n  pergola healthcheck --node \
                            http://127.0.0.1:8080/")]
    Healthcheck,
    /// Show a mesh at work: a newsroom and five nodes on this machine, in fast motion
    #[command(after_help = "Example:\n  pergola demo\n  pergola demo --speed 3600 --seconds 60")]
    Demo(crate::demo::Args),
    /// Publish made-up feeds to test with, and the truth about them
    Newsroom(crate::newsroom::Args),
    /// Check for common problems, or rate how polite the crawler is
    #[command(
        long_about = "Check for common problems, or rate how polite the crawler is. Asks the node that \
                      runs, or looks into the data folder if none does. Exits with 0 if all is well, and \
                      with 1 if something needs attention: everything marked ! or ✗.",
        after_help = "Example:\n  pergola doctor\n  pergola doctor --json\n  pergola doctor --politeness"
    )]
    Doctor(crate::doctor::Args),
    /// Benchmark nodes on this machine
    #[command(subcommand)]
    Bench(crate::bench::Command),
    Completions(generated::Completions),
    Man(generated::Man),
}

/// Commands that talk to a node, running or not.
#[derive(Debug, Subcommand)]
enum NodeCommand {
    /// Manage sources: add, list, show, set, remove, removed, restore, refresh
    #[command(subcommand)]
    Source(source::Command),
    /// Manage feeds: create, list, show, explain, suggest, readers, notify, drop, removed, restore, tail
    #[command(subcommand)]
    Feed(feed::Command),
    /// Manage users: add, list, password, role, import, export, remove
    #[command(subcommand)]
    User(user::Command),
    Search(search::Args),
    /// Write what sources and feeds are about, as topology-gen reads it
    #[command(
        after_help = "Example:\n  pergola profiles --words 8 > mesh.json\n  topology-gen stats mesh.json"
    )]
    Profiles(search::Profiles),
    /// Show the state of the node
    #[command(after_help = "Example:\n  pergola status\n  pergola status --json")]
    Status,
    Import(lists::Import),
    Export(lists::Export),
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
            Self::OnNode(command) => {
                command.check()?;
                let data = command.needs();
                Client::with(&settings, data, async |client| {
                    let screen = match client.status().await {
                        Ok(status) => screen.at(status.now.unix()),
                        Err(error @ ClientError::Unreachable { .. }) => return Err(error.into()),
                        // The command says what is wrong.
                        Err(_) => screen,
                    };
                    command.run(client, &settings, &screen).await
                })
                .await
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
            Self::Doctor(args) => overview::doctor(args, &settings).await,
            Self::Bench(command) => {
                let json = settings.options.json;
                // Its parts start runtimes of their own.
                tokio::task::spawn_blocking(move || command.run(json)).await?
            }
            Self::Completions(args) => generated::completions(&args, &screen),
            Self::Man(args) => generated::man(&args, &screen),
        }
    }
}

impl NodeCommand {
    /// Finds mistakes for which no node is needed.
    fn check(&self) -> anyhow::Result<()> {
        match self {
            Self::Feed(command) => command.check(),
            _ => Ok(()),
        }
    }

    /// Only commands that add something may begin a data folder.
    fn needs(&self) -> Data {
        match self {
            Self::Source(source::Command::Add(_))
            | Self::Feed(feed::Command::Create(_))
            | Self::User(user::Command::Add(_))
            | Self::Import(_) => Data::MayBegin,
            _ => Data::MustExist,
        }
    }

    async fn run(
        self,
        client: &Client,
        settings: &Settings,
        screen: &Screen,
    ) -> anyhow::Result<()> {
        match self {
            Self::Source(command) => source::run(command, client, screen).await,
            Self::Feed(command) => feed::run(command, client, screen).await,
            Self::User(command) => user::run(command, client, screen).await,
            Self::Profiles(args) => search::profiles(args, client, screen).await,
            Self::Search(args) => search::search(args, client, screen).await,
            Self::Status => overview::status(client, screen).await,
            Self::Import(args) => lists::import(args, client, screen).await,
            Self::Export(args) => lists::export(args, client, screen).await,
            Self::Backup(args) => keep::backup(args, client, settings, screen).await,
        }
    }
}

/// Runs the command line. Exits with 0 if it succeeds, 1 if it fails, 2 if the arguments are wrong.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::report_usage(&error),
    };
    let json = cli.options.json;
    let settings = Settings::new(cli.options);
    let done = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_or_else(
        |error| Err(error.into()),
        |runtime| {
            let done = runtime.block_on(cli.command.carry_out(settings));
            // What still runs had its time to stop.
            runtime.shutdown_background();
            done
        },
    );
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error, json),
    }
}
