//! The commands that study channels with text.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Subcommand};
use pergola_refresh::Invalid;

use super::{Seeds, Show, read_trace};
use crate::channels::TextWorld;
use crate::experiments::channels::Origin;
use crate::experiments::{channels, dynamo};
use crate::report::Report;
use crate::trials::Lab;

/// Profiles of channels, and pages.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Monitoring rates learnt on-line against those of the whole stream, by the printed rule and ours.
    #[command(
        after_help = "Example:\n  pergola-lab channels-convergence --trace FOLDER --plot rates.svg"
    )]
    ChannelsConvergence(TextArgs),
    /// What the novelty filter costs in quality and saves in refreshes, by its threshold β.
    #[command(after_help = "Example:\n  pergola-lab channels-beta --trace FOLDER --plot beta.svg")]
    ChannelsBeta(TextArgs),
    /// What the novelty filter costs, by the size of a profile's window.
    #[command(after_help = "Example:\n  pergola-lab channels-window --csv window.csv")]
    ChannelsWindow(TextArgs),
    /// Quality of profiles against the budget, content-free and content-based, greedy and fair.
    #[command(
        after_help = "Example:\n  pergola-lab channels-policies --trace FOLDER --plot policies.svg"
    )]
    ChannelsPolicies(TextArgs),
    /// Whether monitoring rates refined by those of similar channels keep better profiles.
    #[command(after_help = "Example:\n  pergola-lab channels-similarity --trace FOLDER --json")]
    ChannelsSimilarity(TextArgs),
    /// Dynamo's smoothed interval: mean squared error against its weight, and the search for the best.
    #[command(after_help = "Example:\n  pergola-lab dynamo-mse --plot mse.svg")]
    DynamoMse(TextArgs),
}

#[derive(Debug, Args)]
pub(super) struct TextArgs {
    /// Folder with streams.tsv and items.tsv (or items.tsv.gz) [default: a synthetic newsroom].
    #[arg(long, value_name = "FOLDER")]
    trace: Option<PathBuf>,
    /// Sources of the synthetic newsroom.
    #[arg(long, value_name = "N", default_value_t = 132, conflicts_with = "trace", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    sources: u32,
    /// Weeks of the synthetic newsroom.
    #[arg(long, value_name = "N", default_value_t = 8, conflicts_with = "trace", value_parser = clap::value_parser!(u16).range(1..=52))]
    weeks: u16,
    #[command(flatten)]
    seeds: Seeds,
}

impl Command {
    pub(super) fn run(self, show: &Show<'_>) -> Result<()> {
        match self {
            Self::ChannelsConvergence(args) => args.whole(show, channels::convergence),
            Self::ChannelsBeta(args) => args.whole(show, channels::beta),
            Self::ChannelsWindow(args) => args.whole(show, channels::window),
            Self::ChannelsPolicies(args) => args.worlds(show, 10, channels::policies),
            Self::ChannelsSimilarity(args) => args.worlds(show, 5, channels::similarity),
            Self::DynamoMse(args) => {
                let lab = Lab::new(args.seeds.seed, 1);
                show.experiment(&lab, &args.seeds.output, |lab| {
                    let trace = args.trace.as_deref().map(read_trace).transpose()?;
                    Ok(dynamo::dynamo(lab, trace.as_ref())?)
                })
            }
        }
    }
}

impl TextArgs {
    fn origin(&self) -> Result<Origin> {
        Ok(match &self.trace {
            Some(folder) => Origin::Recorded(read_trace(folder)?),
            None => {
                Origin::Newsroom { sources: self.sources as usize, weeks: usize::from(self.weeks) }
            }
        })
    }

    /// Runs an experiment with all channels of one world.
    fn whole(
        &self,
        show: &Show<'_>,
        experiment: impl FnOnce(&Lab, &TextWorld) -> Result<Report, Invalid>,
    ) -> Result<()> {
        let lab = Lab::new(self.seeds.seed, 1);
        show.experiment(&lab, &self.seeds.output, |lab| {
            Ok(experiment(lab, &self.origin()?.whole(lab.seed))?)
        })
    }

    /// Runs an experiment over `worlds` worlds, or as many as the user wants.
    fn worlds(
        &self,
        show: &Show<'_>,
        worlds: u64,
        experiment: impl FnOnce(&Lab, &Origin) -> Result<Report, Invalid>,
    ) -> Result<()> {
        let lab = Lab::new(self.seeds.seed, self.seeds.seeds.unwrap_or(worlds));
        show.experiment(&lab, &self.seeds.output, |lab| Ok(experiment(lab, &self.origin()?)?))
    }
}
