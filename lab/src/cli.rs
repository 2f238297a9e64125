//! The command line: which experiment, with which seeds, and how to show the result.

mod cascades;
mod channels;
mod live;

use std::io::stdout;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Args, Parser, Subcommand};
use pergola_newsroom::Trace;
use pergola_refresh::{Invalid, ModelKind, StrategyKind};

use crate::experiments::replay::Settings;
use crate::experiments::{
    LIST, characterise, compare, convergence, demo, estimators, online, published, replay,
    robustness,
};
use crate::report::{Report, check_paths};
use crate::trials::Lab;

/// Experiments with refresh strategies in virtual time.
#[derive(Debug, Parser)]
#[command(
    name = "pergola-lab",
    version,
    after_help = "Examples:\n  pergola-lab list\n  pergola-lab table-4.1 --seeds 50\n  \
                  pergola-lab figure-4.4 --plot tau.svg\n  pergola-lab replay --trace FOLDER --budget 0.25"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the experiments, one line each.
    #[command(after_help = "Example:\n  pergola-lab list")]
    List,
    /// Completeness, freshness and cost of six strategies at b = 10, 30, 50.
    #[command(
        name = "table-4.1",
        after_help = "Example:\n  pergola-lab table-4.1 --seeds 50 --json"
    )]
    Table41(Seeds),
    /// Completeness and freshness against cost, b from 2 to 100.
    #[command(
        name = "figure-4.2-4.3",
        after_help = "Example:\n  pergola-lab figure-4.2-4.3 --plot cost.svg"
    )]
    Figure42(Seeds),
    /// τ converges from any start, and again after all rates double.
    #[command(
        name = "figure-4.4",
        after_help = "Example:\n  pergola-lab figure-4.4 --plot tau.svg"
    )]
    Figure44(Seeds),
    /// One day of one source: real divergence, constant rate, online estimate.
    #[command(
        name = "figure-7.2",
        after_help = "Example:\n  pergola-lab figure-7.2 --plot day.png"
    )]
    Figure72(Seeds),
    /// Whether the periodic model follows a source that changes its daily rhythm.
    #[command(
        name = "figure-7.6-7.7",
        after_help = "Example:\n  pergola-lab figure-7.6-7.7 --plot year.svg"
    )]
    Figure76(Seeds),
    /// Divergence error by daily shape and refresh interval.
    #[command(
        name = "figure-7.8",
        after_help = "Example:\n  pergola-lab figure-7.8 --csv errors.csv"
    )]
    Figure78(Seeds),
    /// 2Steps with offline, single and periodic models, by daily shape.
    #[command(
        name = "figure-7.9-7.10",
        after_help = "Example:\n  pergola-lab figure-7.9-7.10 --plot online.svg"
    )]
    Figure79(Seeds),
    /// Every model on what a refresh really shows, full windows included.
    #[command(after_help = "Example:\n  pergola-lab estimators --seeds 20")]
    Estimators(Seeds),
    /// Every strategy at equal cost, and the limit of any schedule.
    #[command(after_help = "Example:\n  pergola-lab compare --seeds 30 --plot compare.png")]
    Compare(Seeds),
    #[command(flatten)]
    Cascades(cascades::Command),
    #[command(flatten)]
    Channels(channels::Command),
    /// Every strategy and model over a recorded trace at equal cost.
    #[command(after_help = "Examples:\n  pergola-lab replay --trace FOLDER\n  \
                            pergola-lab replay --trace FOLDER --strategy plan --model calendar --budget 1")]
    Replay(ReplayArgs),
    /// Activity classes, regularity and daily shapes of a recorded trace.
    #[command(after_help = "Example:\n  pergola-lab characterise --trace FOLDER")]
    Characterise(CharacteriseArgs),
    /// Write a synthetic trace in the format that replay reads.
    #[command(after_help = "Example:\n  pergola-lab synthesise FOLDER --sources 200 --weeks 8")]
    Synthesise(SynthesiseArgs),
    /// In seconds: what a scheduler gains over the fixed intervals of feed readers.
    #[command(after_help = "Example:\n  pergola-lab demo --plot demo.svg")]
    Demo(Seeds),
}

/// Seeds and output.
#[derive(Debug, Args)]
struct Seeds {
    /// Number of random worlds to average over, at least 1 [default: enough for a stable mean].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    seeds: Option<u64>,
    /// The first seed; the same seed gives the same bytes.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    output: Output,
}

/// How to show the result.
#[derive(Debug, Args)]
struct Output {
    /// Print JSON instead of the table.
    #[arg(long)]
    json: bool,
    /// Also write the table as CSV.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Also draw the plot, as .svg or .png.
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct ReplayArgs {
    /// Folder with streams.tsv and items.tsv (or items.tsv.gz).
    #[arg(long, value_name = "FOLDER")]
    trace: PathBuf,
    /// Only this strategy [default: all].
    #[arg(long, value_name = "S")]
    strategy: Option<StrategyKind>,
    /// Only this model [default: all].
    #[arg(long, value_name = "M")]
    model: Option<ModelKind>,
    /// Refreshes per source and hour, on average.
    #[arg(long, value_name = "REFRESHES_PER_HOUR", default_value_t = Settings::default().budget, allow_negative_numbers = true)]
    budget: f64,
    /// Items that a source's document shows.
    #[arg(long, value_name = "W", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..))]
    window: u16,
    /// Share of the items that the query of the reader wants.
    #[arg(long, value_name = "P", default_value_t = 1.0, allow_negative_numbers = true)]
    query_share: f64,
    /// From 0 (equal weight per item: busy sources first) to 1 (equal weight per source).
    #[arg(long, value_name = "E", default_value_t = 0.0, allow_negative_numbers = true)]
    equity: f64,
    /// From 0 (a news reader: fresh) to 1 (an archive: complete).
    #[arg(long, value_name = "A", default_value_t = 0.5, allow_negative_numbers = true)]
    completeness: f64,
    /// The seed that decides which items are wanted, if not all are.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    output: Output,
}

#[derive(Debug, Args)]
struct CharacteriseArgs {
    /// Folder with streams.tsv and items.tsv (or items.tsv.gz).
    #[arg(long, value_name = "FOLDER")]
    trace: PathBuf,
    #[command(flatten)]
    output: Output,
}

#[derive(Debug, Args)]
struct SynthesiseArgs {
    /// The folder to write to; it must not hold a trace already.
    folder: PathBuf,
    /// Number of sources.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    sources: u32,
    /// Length of the trace in weeks.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=520))]
    weeks: u16,
    /// The same seed gives the same trace.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

impl Cli {
    /// Runs the command. `on_terminal` allows colours; `elapsed` tells the time since the start.
    pub(crate) fn run(self, on_terminal: bool, elapsed: impl Fn() -> Duration) -> Result<()> {
        let show = Show { on_terminal, elapsed: &elapsed };
        match self.command {
            Command::List => {
                let width = LIST.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
                LIST.iter().for_each(|(name, line)| println!("{name:width$}  {line}"));
                Ok(())
            }
            Command::Table41(seeds) => show.seeded(50, seeds, published::table_4_1),
            Command::Figure42(seeds) => show.seeded(10, seeds, published::figure_4_2_4_3),
            Command::Figure44(seeds) => show.seeded(10, seeds, convergence::figure_4_4),
            Command::Figure72(seeds) => show.seeded(10, seeds, robustness::figure_7_2),
            Command::Figure76(seeds) => show.seeded(10, seeds, robustness::figure_7_6_7_7),
            Command::Figure78(seeds) => show.seeded(5, seeds, estimators::figure_7_8),
            Command::Figure79(seeds) => show.seeded(10, seeds, online::figure_7_9_7_10),
            Command::Estimators(seeds) => show.seeded(10, seeds, estimators::estimators),
            Command::Compare(seeds) => show.seeded(10, seeds, compare::compare),
            Command::Cascades(command) => command.run(&show),
            Command::Demo(seeds) => show.seeded(1, seeds, demo::demo),
            Command::Channels(command) => command.run(&show),
            Command::Replay(args) => {
                let settings = Settings {
                    strategy: args.strategy,
                    model: args.model,
                    budget: args.budget,
                    window: usize::from(args.window),
                    query_share: args.query_share,
                    equity: args.equity,
                    completeness: args.completeness,
                };
                let lab = Lab::new(args.seed, 1);
                show.experiment(&lab, &args.output, |lab| {
                    Ok(replay::replay(lab, &read_trace(&args.trace)?, &settings)?)
                })
            }
            Command::Characterise(args) => {
                let lab = Lab::new(0, 1);
                show.experiment(&lab, &args.output, |_| {
                    Ok(characterise::characterise(&read_trace(&args.trace)?))
                })
            }
            Command::Synthesise(args) => {
                let trace =
                    demo::synthesise(args.sources as usize, usize::from(args.weeks), args.seed);
                trace.write(&args.folder)?;
                println!(
                    "wrote {} items of {} sources to {}",
                    trace.items(),
                    trace.streams.len(),
                    args.folder.display()
                );
                Ok(())
            }
        }
    }
}

/// CPU seconds of this process, which say more than real time on a shared machine.
fn cpu_time() -> f64 {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    spent.tv_sec as f64 + spent.tv_nsec as f64 / 1e9
}

/// The peak memory of this process in megabytes, if the system tells it.
fn most_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes / 1024.0)
}

fn read_trace(folder: &Path) -> Result<Trace> {
    Trace::read(folder).context("cannot use the trace")
}

/// Shows what an experiment found.
struct Show<'a> {
    on_terminal: bool,
    elapsed: &'a dyn Fn() -> Duration,
}

impl Show<'_> {
    /// Runs an experiment over `worlds` random worlds, or as many as the user wants.
    fn seeded(
        &self,
        worlds: u64,
        seeds: Seeds,
        experiment: impl FnOnce(&Lab) -> Result<Report, Invalid>,
    ) -> Result<()> {
        let lab = Lab::new(seeds.seed, seeds.seeds.unwrap_or(worlds));
        self.experiment(&lab, &seeds.output, |lab| Ok(experiment(lab)?))
    }

    fn experiment(
        &self,
        lab: &Lab,
        output: &Output,
        experiment: impl FnOnce(&Lab) -> Result<Report>,
    ) -> Result<()> {
        check_paths(output.csv.as_deref(), output.plot.as_deref())?;
        let report = experiment(lab)?;
        let seconds = (self.elapsed)().as_secs_f64();
        if output.json {
            report.write_json(&mut stdout().lock())?;
        } else {
            report.print_table(&mut stdout().lock(), self.on_terminal)?;
        }
        if let Some(path) = &output.csv {
            report.write_csv(path)?;
        }
        if let Some(path) = &output.plot {
            report.write_plot(path)?;
        }
        // On standard error, because the result itself must be the same bytes every time.
        for (what, count) in [("source-cycles", lab.source_cycles()), ("events", lab.events())] {
            if count > 0 {
                let millions = count as f64 / 1e6;
                eprintln!(
                    "{millions:.1} million {what} in {seconds:.1} s, {:.1} million per second",
                    millions / seconds
                );
            }
        }
        if lab.events() > 0
            && let Some(megabytes) = most_memory()
        {
            let spent = cpu_time();
            eprintln!("{spent:.1} s of CPU time, at most {megabytes:.0} MB of memory");
        }
        Ok(())
    }
}
