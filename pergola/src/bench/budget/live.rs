//! A node over a newsroom of mixed rhythms, in accelerated time; every refresh is noted.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use axum::extract::Request;
use axum::middleware::{self, Next};
use pergola_config::{Budget, BudgetRule, Config};
use pergola_manners::budget::Purse;
use pergola_newsroom::serve::{Newsroom, Source};
use pergola_newsroom::{Process, Rhythm};
use pergola_node::node::{NewSource, Node};
use pergola_outside::clock::Clock;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::judge::{Record, Stream};
use super::{Args, Played};
use crate::bench::ask_at_once;

const HOUR: f64 = 3_600.0;
const DAY: f64 = 86_400.0;
/// Time that the node has to end.
const GRACE: Duration = Duration::from_secs(30);

/// Plays the node and returns what was seen of it.
pub(super) async fn play(args: &Args) -> Result<Played> {
    let clock = Clock::accelerated(args.speed);
    let (time, listener) = (clock.clone(), TcpListener::bind("127.0.0.1:0").await?);
    let base = format!("http://{}", listener.local_addr()?);
    let newsroom = Newsroom::builder(Arc::new(move || time.now()))
        .seed(args.seed)
        .base_url(&base)
        .sources((0..args.sources).map(source))
        .build()?;
    let refreshes = Arc::new(Mutex::new(vec![Vec::new(); args.sources]));
    let mut tasks = JoinSet::new();
    let router = noting(&newsroom, &refreshes, &clock);
    tasks.spawn(async move { axum::serve(listener, router).await });

    let folder = std::env::temp_dir().join(format!("pergola-budget-{}", std::process::id()));
    let mut config = config(args)?;
    config.node.data = folder.clone();
    let node = Node::open_here(config, clock.clone()).await?;
    let urls = newsroom.names().map(|name| NewSource::feed(&format!("{base}/sources/{name}")));
    node.add_sources(urls.collect::<Result<_, _>>()?).await?;
    node.run_script(r#"CREATE FEED Everything AS RETURN OPML "all";"#, "bench").await?;
    let start = clock.now();
    let running = node.start(TcpListener::bind("127.0.0.1:0").await?)?;
    let threshold = || running.node.threshold();
    let until = |cycle: usize| clock.sleep_until(start + (cycle as f64 - 0.5) * args.cycle);
    until(args.warmup + args.before).await;
    let before = threshold();
    running.node.set_budget(Budget { rule: rule(args, 0.5), burst: None })?;
    until(args.warmup + args.before + args.after).await;
    let thresholds = [before, threshold()];
    let failed = running.node.refresh_counts().failed;
    running.stop(GRACE).await;
    std::fs::remove_dir_all(&folder)?;
    let refreshes = std::mem::take(&mut *refreshes.lock().unwrap_or_else(PoisonError::into_inner));
    let truth = newsroom.names().map(|name| newsroom.truth(name));
    let streams = truth.map(|truth| {
        let truth = truth?;
        let times = truth.items.iter().map(|item| item.at).collect();
        anyhow::Ok(Stream { times, window: truth.window })
    });
    let streams = streams.collect::<Result<_>>()?;
    Ok(Played { record: Record { start, streams, refreshes }, thresholds, failed })
}

/// What the node may spend: the whole budget or a share of it.
pub(super) fn purse(args: &Args, share: f64) -> Purse {
    Purse::new(rule(args, share), None, args.cycle)
}

fn rule(args: &Args, share: f64) -> BudgetRule {
    BudgetRule::Refreshes { per_minute: share * args.budget * 60.0 / args.cycle }
}

fn config(args: &Args) -> Result<Config> {
    let mut config = Config::default();
    config.schedule.cycle = Duration::try_from_secs_f64(args.cycle)?;
    let per_minute = purse(args, 1.0).per_minute();
    config.budget.rule = BudgetRule::Refreshes { per_minute };
    ask_at_once(&mut config);
    Ok(config)
}

/// The newsroom's routes, with a note of every refresh of a source.
fn noting(
    newsroom: &Newsroom,
    refreshes: &Arc<Mutex<Vec<Vec<f64>>>>,
    clock: &Clock,
) -> axum::Router {
    let (refreshes, clock) = (Arc::clone(refreshes), clock.clone());
    newsroom.router().layer(middleware::from_fn(move |request: Request, next: Next| {
        let number = request.uri().path().rsplit_once("source-").map(|(_, number)| number.parse());
        if let Some(Ok(number)) = number
            && let Some(refreshes) = noted(&refreshes).get_mut::<usize>(number)
        {
            refreshes.push(clock.now());
        }
        next.run(request)
    }))
}

fn noted(refreshes: &Mutex<Vec<Vec<f64>>>) -> std::sync::MutexGuard<'_, Vec<Vec<f64>>> {
    refreshes.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A source with a habit of its own: people by day, collectors round the clock, robots on the hour,
/// bursts, quiet blogs; from an item a week to ten an hour.
fn source(number: usize) -> Source {
    let round = number / 5;
    // 1, 2, 4, … 128 and again.
    let scale = f64::from(1 << (round % 8));
    let (process, window) = match number % 5 {
        0 => (Process::daily(Rhythm::Waves, scale, round * 5), 20),
        1 => (Process::Constant { rate: 2.0 * scale / DAY }, 20),
        2 => {
            // Slots of two minutes in one to four hours, of which only the first is busy.
            let hours = 1 + round % 4;
            let mut rates = vec![0.0; hours * 30];
            rates[0] = scale * hours as f64 * HOUR / DAY / 120.0;
            (Process::Periodic { rates, period: hours as f64 * HOUR }, 15)
        }
        3 => (Process::Bursts { rate: 0.05 * scale / DAY, size: 12.0, spread: 900.0 }, 15),
        _ => (Process::daily(Rhythm::Peaks, 0.15 * scale, round), 10),
    };
    Source::new(format!("source-{number:06}"), process).window(window)
}
