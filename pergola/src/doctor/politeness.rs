//! `pergola doctor --politeness`: this node's crawler against a server that scores it.
//!
//! A real node in a folder of its own asks a scripted server on loopback as often as its manners let
//! it: everything is always due, and the clock runs so fast that weeks pass in a minute. What the server
//! saw is judged rule by rule. Nothing leaves the machine, and the user's own data is not touched.

mod judge;
mod reply;
mod score;
mod server;
mod trials;

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use pergola_refresh::StrategyKind;

pub use judge::Facts;
pub use score::{Mark, Score};
pub use server::{Seen, Server};
pub use trials::{Trial, of_seconds, of_weeks};

use pergola_api::source::SourceStatus;
use pergola_config::{Budget, BudgetRule, Choice, Config, Hosts, PrivateException};
use pergola_node::node::{NewSource, Node, Running, SourceError};
use pergola_outside::clock::Clock;
use pergola_store::Backend;
use trials::DAY;

/// Weeks pass in a minute: a day takes a second and a half.
const SPEED_OF_WEEKS: f64 = 60_000.0;
/// Seconds take a quarter of themselves.
const SPEED_OF_SECONDS: f64 = 4.0;
/// What the longest trials take.
const WEEKS: f64 = 31.5 * DAY;
/// When the node is stopped and started again.
const RESTART: f64 = 3.5 * DAY;
/// When somebody tries to refresh by hand.
const BY_HAND: f64 = DAY;
/// Trials that have not seen enough by then are judged as they are.
const PATIENCE: Duration = Duration::from_secs(90);
/// A slow answer is given less time than usual, so that the trial is short.
const TIMEOUT: Duration = Duration::from_secs(3);
const GRACE: Duration = Duration::from_secs(10);
const GLANCE: Duration = Duration::from_millis(100);

/// Runs all trials against a node with these manners.
///
/// # Errors
/// When the node or the server cannot be started.
pub async fn score(config: &Config) -> anyhow::Result<Score> {
    let folder = tempfile::Builder::new()
        .prefix("pergola-doctor-")
        .tempdir()
        .context("no temporary folder could be made")?;
    let (weeks, seconds) = (of_weeks(), of_seconds());
    let (over_weeks, over_seconds) = tokio::try_join!(
        run(config, &weeks, folder.path().join("weeks"), Pace::WEEKS),
        run(config, &seconds, folder.path().join("seconds"), Pace::SECONDS),
    )?;
    let log: Vec<Seen> = over_weeks.0.iter().chain(&over_seconds.0).cloned().collect();
    let score = Score::of(&weeks, &over_weeks.0, &over_weeks.1)
        .and(Score::of(&seconds, &over_seconds.0, &over_seconds.1))
        .with_what_always_holds(&log);
    Ok(score)
}

/// How long a run lasts and what happens in it.
#[derive(Clone, Copy)]
struct Pace {
    speed: f64,
    /// By the clock.
    at_least: f64,
    disturbed: bool,
    /// Seconds by the clock between two decisions.
    cycle: Duration,
}

impl Pace {
    const WEEKS: Self = Self {
        speed: SPEED_OF_WEEKS,
        at_least: WEEKS,
        disturbed: true,
        cycle: Duration::from_secs(300),
    };
    const SECONDS: Self = Self {
        speed: SPEED_OF_SECONDS,
        at_least: 0.0,
        disturbed: false,
        cycle: Duration::from_millis(200),
    };
}

/// One node against one server, until all trials have seen enough.
async fn run(
    config: &Config,
    trials: &[Trial],
    folder: std::path::PathBuf,
    pace: Pace,
) -> anyhow::Result<(Vec<Seen>, Facts)> {
    let clock = Clock::accelerated(pace.speed);
    let server = Server::start(clock.clone(), trials).await?;
    let config = scored(config, &folder, &server, pace);
    let mut facts = Facts {
        speed: pace.speed,
        floor: 3_600.0,
        floor_known: 900.0,
        spacing: 2.0,
        max_body: 10 << 20,
        timeout: config.crawl.timeout.as_secs_f64(),
        max_redirects: 5,
        ..Facts::default()
    };
    let started = clock.now();
    let mut running = start(&config, &clock).await?;
    let mut sources = Vec::new();
    for url in trials.iter().flat_map(|trial| server.sources(trial)) {
        sources.push(NewSource::feed(url.as_str())?);
    }
    running.node.add_sources(sources).await?;
    if pace.disturbed {
        clock.sleep_until(started + BY_HAND).await;
        first_refreshes(&running.node).await?;
        facts.refused_by_hand = try_by_hand(&running.node, &server, trials).await?;
        clock.sleep_until(started + RESTART).await;
        let stopped = clock.now();
        running.stop(GRACE).await;
        running = start(&config, &clock).await?;
        facts.restart = Some((stopped, clock.now()));
    }
    let seen_enough = || {
        let counts = server.counts();
        let enough = |trial: &Trial| counts.get(trial.name).is_some_and(|n| *n >= trial.needs);
        clock.now() > started + pace.at_least && trials.iter().all(enough)
    };
    let patience = clock.now() + PATIENCE.as_secs_f64() * pace.speed;
    while !seen_enough() && clock.now() < patience {
        tokio::time::sleep(GLANCE).await;
    }
    for source in running.node.source_list()? {
        let path = url::Url::parse(&source.url).map(|url| url.path()[1..].to_owned())?;
        facts.sources.insert(path, source);
    }
    let log = server.log();
    running.stop(GRACE).await;
    Ok((log, facts))
}

/// Waits until the sources of the disturbed trials were refreshed once; not for ever.
async fn first_refreshes(node: &Arc<Node>) -> anyhow::Result<()> {
    let refreshing = async {
        let waiting = |source: &SourceStatus| {
            let disturbed = source.url.ends_with("/by-hand") || source.url.ends_with("/restart");
            disturbed && source.last_refresh.is_none()
        };
        while node.source_list()?.iter().any(waiting) {
            tokio::time::sleep(GLANCE).await;
        }
        Ok(())
    };
    tokio::time::timeout(PATIENCE, refreshing).await.unwrap_or(Ok(()))
}

async fn start(config: &Config, clock: &Clock) -> anyhow::Result<Running> {
    let node = Node::open_here(config.clone(), clock.clone()).await?;
    let listener = Node::listen(config.node.listen).await?;
    Ok(node.start(listener)?)
}

/// Whether a refresh by hand at a source that wants quiet is refused.
async fn try_by_hand(
    node: &Arc<Node>,
    server: &Server,
    trials: &[Trial],
) -> anyhow::Result<Option<bool>> {
    let Some(trial) = trials.iter().find(|trial| trial.name == "by-hand") else { return Ok(None) };
    let Some(url) = server.sources(trial).pop() else { return Ok(None) };
    let source = node.find_source(url.as_str())?;
    match node.refresh_now(source, true).await {
        Err(SourceError::TooEarly { .. }) => Ok(Some(true)),
        Err(other) => Err(other.into()),
        Ok(_) => Ok(Some(false)),
    }
}

/// The user's manners in a world of their own: everything is due at all times, whatever the budget.
fn scored(config: &Config, folder: &Path, server: &Server, pace: Pace) -> Config {
    let mut scored = config.clone();
    scored.node.data = folder.to_owned();
    scored.node.listen = (std::net::Ipv4Addr::LOCALHOST, 0).into();
    scored.store.backend = Some(Backend::Redb);
    scored.budget = Budget { rule: BudgetRule::Refreshes { per_minute: 1_000.0 }, burst: None };
    scored.schedule.strategy = Choice::Fixed(StrategyKind::Reference);
    scored.schedule.cycle = pace.cycle;
    scored.crawl.timeout = config.crawl.timeout.min(TIMEOUT);
    scored.crawl.parallel = config.crawl.parallel.max(NonZeroUsize::MIN.saturating_add(15));
    scored.crawl.proxy = None;
    scored.crawl.extra_ca = Vec::new();
    scored.crawl.allow_private =
        server.hosts().filter_map(|host| host.parse::<PrivateException>().ok()).collect();
    scored.hosts = Hosts::default();
    scored.sources = Vec::new();
    scored.declared = Vec::new();
    scored
}
