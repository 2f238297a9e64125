//! `live`: real nodes beside the prediction of the lab.
//!
//! The nodes of a bundle run as processes in accelerated time, once for each mode. The newsroom says what it has
//! published, the APIs of the nodes say what has arrived, and the rules of the lab measure both. Then the lab plays
//! the same wiring with the same items and budgets, and shows the two side by side.

mod answers;
mod bundle;
mod comparison;
mod record;
mod running;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use pergola_refresh::HOUR;

use self::bundle::Bundle;
use self::comparison::Compared;
use self::record::{Recorded, Seen};
use self::running::{Running, Stopping};
use crate::mesh::{CYCLE, Cooperation, Network, Settings, Tuning};
use crate::report::Report;
use crate::report::progress::Progress;
use crate::trials::Lab;

/// Real seconds of warm-up and of measuring, by default.
const WARMING: f64 = 60.0;
const MEASURING: f64 = 90.0;
/// The program of a node.
const PROGRAM: &str = "pergola";
/// How often freshness is sampled.
const SAMPLES: usize = 600;

/// What to compare.
#[derive(Debug)]
pub(crate) struct Live {
    /// The folder of the bundle.
    pub(crate) folder: PathBuf,
    /// The modes to run, one after the other.
    pub(crate) modes: Vec<Cooperation>,
    /// The program of the nodes; by default the one beside this program, or on the PATH.
    pub(crate) program: Option<PathBuf>,
    /// In hours of the nodes' time.
    pub(crate) warmup: Option<f64>,
    pub(crate) measured: Option<f64>,
}

impl Live {
    /// Runs the nodes and plays the lab.
    pub(crate) fn compare(&self, lab: &Lab) -> Result<Report> {
        let bundle = Bundle::read(&self.folder)?;
        let program = program(self.program.as_deref())?;
        let cycles = |hours: Option<f64>, usual: f64| {
            (hours.unwrap_or(usual * bundle.speed / HOUR) * HOUR / CYCLE).round() as usize
        };
        let (warmup, measured) = (cycles(self.warmup, WARMING), cycles(self.measured, MEASURING));
        ensure!(
            measured > 0,
            "at {} times real time that measures less than {CYCLE} seconds; give --measured in hours, or \
             make the bundle with a higher --speed",
            bundle.speed
        );
        let settings = Settings {
            window: bundle.window,
            feed_window: bundle.feed_window,
            budgets: Some(bundle.nodes.iter().map(|node| node.budget * CYCLE / 60.0).collect()),
            decisions: (CYCLE / bundle.cycle).round().max(1.0) as usize,
            warmup,
            measured,
            samples: SAMPLES,
            strategy: bundle.strategy,
            model: bundle.model,
            tuning: Tuning::NODE,
            ..Settings::default()
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let mut all = Vec::new();
        for &mode in &self.modes {
            let seen = runtime.block_on(watch(&bundle, mode, &program, &settings))?;
            all.push(compared(lab, &bundle, mode, &settings, &seen)?);
        }
        Ok(comparison::report(&bundle, &settings, lab, &all))
    }
}

/// Runs a mesh and records what it does.
async fn watch(
    bundle: &Bundle,
    mode: Cooperation,
    program: &Path,
    settings: &Settings<'_>,
) -> Result<Seen> {
    let mut stopping = Stopping::new()?;
    let running = Running::start(bundle, mode, program, &mut stopping).await?;
    let start = running.now().await?;
    let (warmup, all) = (settings.warmup as f64 * CYCLE, settings.cycles() as f64 * CYCLE);
    let seconds = (all / bundle.speed).ceil();
    eprintln!(
        "{mode}: {} nodes are ready; {:.1} hours of warm-up and {:.1} measured take {seconds} s",
        bundle.nodes.len(),
        warmup / HOUR,
        (all - warmup) / HOUR
    );
    let progress = Progress::new(seconds as u64, mode.to_string());
    let recording = async {
        let mut clock =
            Clock { running: &running, speed: bundle.speed, start, progress, told: 0.0 };
        clock.wait(warmup).await?;
        let before = read(bundle, &running).await?;
        clock.wait(all).await?;
        let after = read(bundle, &running).await?;
        let mut items = Vec::new();
        for feed in &bundle.feeds {
            items.push(running.items(&bundle.nodes[feed.node], &feed.name).await?);
        }
        let truths = running.truths().await?;
        Ok(Seen { start, truths, items, before, after })
    };
    stopping.unless(recording).await?
}

/// The state of everything that the nodes read.
async fn read(bundle: &Bundle, running: &Running<'_>) -> Result<Vec<answers::Sources>> {
    let mut all = Vec::new();
    for node in &bundle.nodes {
        all.push(running.sources(node).await?);
    }
    Ok(all)
}

/// Waits by the clock of the newsroom, and shows the progress.
struct Clock<'a> {
    running: &'a Running<'a>,
    speed: f64,
    start: f64,
    progress: Progress,
    /// Real seconds that the progress bar has shown.
    told: f64,
}

impl Clock<'_> {
    /// Waits until `until` seconds after the start.
    async fn wait(&mut self, until: f64) -> Result<()> {
        loop {
            let passed = self.running.now().await? - self.start;
            while self.told < (passed / self.speed).floor() {
                self.told += 1.0;
                self.progress.step();
            }
            if passed >= until {
                return Ok(());
            }
            let left = (until - passed) / self.speed;
            tokio::time::sleep(Duration::from_secs_f64(left.clamp(0.001, 1.0))).await;
        }
    }
}

/// Measures what the nodes did, and plays the same in the lab.
fn compared(
    lab: &Lab,
    bundle: &Bundle,
    mode: Cooperation,
    settings: &Settings<'_>,
    seen: &Seen,
) -> Result<Compared> {
    let recorded = Recorded::new(bundle, seen)?;
    // With `watch`, a step from node to node is a notice, a request and an answer, and nothing else. How long
    // that takes on this machine cannot be predicted, so it is measured. In other modes it is small compared to
    // the wait for a refresh.
    let delay = if mode.is_told() { recorded.step / 3.0 } else { 0.0 };
    let settings = Settings {
        cooperation: mode,
        network: Network { delay, ..Network::default() },
        ..settings.clone()
    };
    let live = recorded.mesh.measure(&settings, &recorded.record());
    let played = lab.for_each_seed(|seed| {
        let outcome = recorded.mesh.play_over(&settings, &recorded.origins, seed)?;
        lab.count(outcome.weighed as usize);
        lab.count_events(outcome.events);
        Ok(outcome)
    })?;
    let Recorded { mesh, step, failures, unknown, .. } = recorded;
    Ok(Compared { mode, nodes: mesh.wiring.nodes, live, played, step, failures, unknown })
}

/// The program of the nodes: the named one, or the one beside this program, or on the PATH.
fn program(named: Option<&Path>) -> Result<PathBuf> {
    if let Some(named) = named {
        ensure!(named.is_file(), "--pergola {}: there is no such file", named.display());
        return std::path::absolute(named).context("--pergola");
    }
    let beside = std::env::current_exe().ok().map(|own| own.with_file_name(PROGRAM));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|folder| folder.join(PROGRAM));
    match beside.into_iter().chain(on_path).find(|program| program.is_file()) {
        Some(program) => Ok(program),
        None => bail!(
            "there is no program `{PROGRAM}` beside this one or on the PATH; name it with --pergola"
        ),
    }
}
