//! Benchmarks: how quick the node is, as a ratio to a limit or a peer measured in the same run.
//!
//! `pergola bench crawl` plays full passes over many sources beside a bare client loop, `serve` serves
//! beside nginx, `scale` runs a hundred thousand sources, `budget` halves a budget at run time, `peers`
//! gives a feed to other nodes, `cascade` sends items through a chain of them, `overload` troubles a node in every
//! way at once, `soak` lets a node run for long, with faults, `search` searches a million items, `pages` asks for every page of a large node. Each part whose CPU time is
//! measured runs in a process of its own.

pub mod budget;
pub mod cascade;
pub mod client;
pub mod crawl;
pub mod overload;
pub mod pages;
pub mod peers;
pub mod roles;
pub mod scale;
pub mod search;
pub mod serve;
pub mod soak;
mod stock;
pub mod usage;

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::time::Duration;

use clap::Subcommand;
use serde::Serialize;

use pergola_config::{Config, HostRule};

/// What is measured.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Full passes over many sources, beside a bare loop of reqwest and feed-rs
    #[command(after_help = "Example:\n  pergola bench crawl\n  pergola bench crawl --store sled")]
    Crawl(crawl::Args),
    /// Requests per second for one feed, beside nginx; needs nginx and wrk
    #[command(after_help = "Example:\n  pergola bench serve")]
    Serve,
    /// A hundred thousand sources in one node: memory, cycles, and the budget held
    #[command(after_help = "Example:\n  pergola bench scale")]
    Scale(scale::Args),
    /// The budget halved at run time, beside what the laboratory predicts
    #[command(after_help = "Example:\n  pergola bench budget")]
    Budget(budget::Args),
    /// Nodes in a chain: how old items are at its end, by pulling, with hints and by watching
    #[command(
        after_help = "Examples:\n  pergola bench cascade\n  pergola bench cascade --speed 1200 --json"
    )]
    Cascade(cascade::Args),
    /// Feeds given to other nodes, beside a bare tonic server with the same messages
    #[command(after_help = "Example:\n  pergola bench peers\n  pergola bench peers --rounds 1")]
    Peers(peers::Args),
    /// Every kind of trouble at once, beside the same node while it is idle; fails if a promise is broken
    #[command(
        after_help = "Examples:\n  pergola bench overload\n  pergola bench overload --connections 1000 --slow 100 --seconds 20"
    )]
    Overload(overload::Args),
    /// Full-text search over a million items: how long searches take, how large the index is, what indexing costs
    #[command(
        after_help = "Examples:\n  pergola bench search\n  pergola bench search --items 50000 --store sled --json"
    )]
    Search(search::Args),
    /// Every page of a node with a million items, and what reader apps ask for; fails if a page is too slow or too large
    #[command(
        after_help = "Examples:\n  pergola bench pages\n  pergola bench pages --items 20000 --sources 500 --json"
    )]
    Pages(pages::Args),
    /// A long run with faults: memory, descriptors, disk and τ stay as they are, and no item is lost
    #[command(
        after_help = "Examples:\n  pergola bench soak\n  pergola bench soak --minutes 6 --store sled\n\n\
                            Exits with 1 if a condition is not met. A run that is too short for the node to settle \
                            (less than an hour) may well miss some."
    )]
    Soak(soak::Args),
}

impl Command {
    /// Measures and prints.
    pub fn run(self, json: bool) -> anyhow::Result<()> {
        match self {
            Self::Crawl(args) => crawl::run(&args)?.map_or(Ok(()), |report| print(&report, json)),
            Self::Serve => print(&serve::run(&serve::Settings::default())?, json),
            Self::Scale(args) => scale::run(&args)?.map_or(Ok(()), |report| print(&report, json)),
            Self::Cascade(args) => print(&cascade::run(&args)?, json),
            Self::Budget(args) => budget::run(&args)?.map_or(Ok(()), |report| print(&report, json)),
            Self::Peers(args) => peers::run(&args)?.map_or(Ok(()), |report| print(&report, json)),
            Self::Overload(args) => overload::run(&args)?.map_or(Ok(()), |report| {
                print(&report, json)?;
                report.verdict()
            }),
            Self::Search(args) => print(&search::run(&args)?, json),
            Self::Pages(args) => {
                let report = pages::run(&args)?;
                print(&report, json)?;
                report.verdict()
            }
            Self::Soak(args) => soak::run(&args)?.map_or(Ok(()), |report| {
                print(&report, json)?;
                report.verdict()
            }),
        }
    }
}

/// Lets a node ask this machine as often as its budget allows.
fn ask_at_once(config: &mut Config) {
    let usual = HostRule::usual(&config.crawl);
    let instantly = HostRule {
        spacing: Duration::ZERO,
        floor: Duration::ZERO,
        floor_known: Duration::ZERO,
        per_domain: NonZeroUsize::new(64).unwrap_or(usual.per_domain),
        private: true,
        ..usual
    };
    config.hosts.named.insert("127.0.0.1".to_owned(), instantly);
}

fn print(report: &(impl Serialize + Display), json: bool) -> anyhow::Result<()> {
    match json {
        true => println!("{}", serde_json::to_string_pretty(report)?),
        false => print!("{report}"),
    }
    Ok(())
}
