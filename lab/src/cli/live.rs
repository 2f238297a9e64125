//! `live`: real nodes of a bundle beside the lab. Its settings are in hours of the nodes' time, not in cycles.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;

use super::{Output, Show};
use crate::live::Live;
use crate::mesh::Cooperation;
use crate::trials::Lab;

#[derive(Debug, Args)]
pub(super) struct LiveArgs {
    /// The folder of a bundle that `topology-gen bundle --local --newsroom` has written.
    #[arg(long, value_name = "FOLDER")]
    mesh: PathBuf,
    /// How neighbours cooperate: none, or some of hints, watch and archive, joined by + [default: none,
    /// hints, watch, archive].
    #[arg(long, value_name = "MODE")]
    mode: Vec<Cooperation>,
    /// The program of the nodes [default: the one beside this program, or on the PATH].
    #[arg(long, value_name = "PROGRAM")]
    pergola: Option<PathBuf>,
    /// Hours of the nodes' time before measuring starts [default: what passes in a minute].
    #[arg(long, value_name = "HOURS", allow_negative_numbers = true)]
    warmup: Option<f64>,
    /// Hours of the nodes' time that are measured [default: what passes in a minute and a half].
    #[arg(long, value_name = "HOURS", allow_negative_numbers = true)]
    measured: Option<f64>,
    /// Plays of the lab to average over; they differ in when nodes decide.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1000))]
    plays: u64,
    /// The seed of the first play.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    output: Output,
}

impl LiveArgs {
    pub(super) fn run(self, show: &Show<'_>) -> Result<()> {
        for (name, hours) in [("--warmup", self.warmup), ("--measured", self.measured)] {
            let valid = hours.is_none_or(|hours| (0.0..=10_000.0).contains(&hours));
            ensure!(
                valid,
                "{name} is {}, but it must be hours from 0 to 10000",
                hours.unwrap_or_default()
            );
        }
        for mode in &self.mode {
            ensure!(mode.is_of_nodes(), "--mode {mode}: nodes have only hints, watch and archive");
        }
        let modes = match self.mode.as_slice() {
            [] => vec![
                Cooperation::NONE,
                Cooperation::HINTS,
                Cooperation::WATCH,
                Cooperation::ARCHIVE,
            ],
            modes => modes.to_vec(),
        };
        let live = Live {
            folder: self.mesh,
            modes,
            program: self.pergola,
            warmup: self.warmup,
            measured: self.measured,
        };
        show.experiment(&Lab::new(self.seed, self.plays), &self.output, |lab| live.compare(lab))
    }
}
