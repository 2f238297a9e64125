//! The newsroom that answers, and the node in three processes: adding, crawling, starting again.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use pergola_config::{BudgetRule, Config};
use pergola_newsroom::serve::World;
use pergola_node::node::{NewSource, Node, Running, close};
use pergola_outside::clock::Clock;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::{Adding, Again, Args, Crawling, Scene, Start, deciding};
use crate::bench::usage::Usage;
use crate::bench::{ask_at_once, roles};

/// Real time between two checks of the node's progress.
const GLANCE: Duration = Duration::from_millis(20);
/// Time that a node has to end.
const GRACE: Duration = Duration::from_secs(30);
/// What the node publishes: every item is matched with two queries over all sources.
const FEEDS: &str = r#"
    CREATE FEED Volcanoes AS RETURN OPML "all" WHERE ITEM CONTAINS "volcano";
    CREATE FEED Robots AS RETURN OPML "all" WHERE ITEM CONTAINS "robots" OR ITEM CONTAINS "rust";
"#;

/// Serves the sources; told when time began.
pub(super) fn newsroom(args: &Args) -> Result<()> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let mut tasks = JoinSet::new();
        roles::answer(async |start| {
            let clock = Clock::accelerated_since(start.parse()?, args.speed);
            let newsroom = World::uniform(args.seed, args.sources, args.items_per_day)
                .newsroom(Arc::new(move || clock.now()))
                .remember(20)
                .build()?;
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            let base = format!("http://{}", listener.local_addr()?);
            tasks.spawn(async move { newsroom.serve(listener, std::future::pending()).await });
            Ok(base.into())
        })
        .await
    })
}

/// A node that adds all sources and ends.
pub(super) fn adding(args: &Args) -> Result<()> {
    tokio::runtime::Runtime::new()?.block_on(roles::answer(async |line| {
        let scene: Scene = serde_json::from_str(line)?;
        let node = open(args, &scene).await?;
        node.run_script(FEEDS, "bench").await?;
        let watch = Clock::real();
        let began = watch.now();
        for first in (0..args.sources).step_by(args.part.max(1)) {
            let numbers = first..(first + args.part.max(1)).min(args.sources);
            let source =
                |n: usize| NewSource::feed(&format!("{}/sources/source-{n:06}", scene.base));
            node.add_sources(numbers.map(source).collect::<Result<_, _>>()?).await?;
        }
        let added = Adding { seconds: watch.now() - began, usage: Usage::now() };
        close(node).await;
        Ok(serde_json::to_value(added)?)
    }))
}

/// A node that crawls until every source was refreshed and the rate is steady, and is measured then.
pub(super) fn crawling(args: &Args) -> Result<()> {
    tokio::runtime::Runtime::new()?.block_on(roles::answer(async |line| {
        let scene: Scene = serde_json::from_str(line)?;
        let (node, start) = timed_start(args, &scene).await?;
        let began = node.clock.now();
        let running = node.start(TcpListener::bind("127.0.0.1:0").await?)?;
        let minutes = |from: f64| (running.node.clock.now() - from) / 60.0;
        while count(&running) < args.sources as u64 {
            tokio::time::sleep(GLANCE).await;
        }
        let first_pass = minutes(began);
        let resident_after_first_pass = Usage::now().resident;
        let seen = running.node.clock.now();
        while minutes(seen) < args.settling {
            tokio::time::sleep(GLANCE).await;
        }
        let watch = Clock::real();
        let mut marks = vec![after_a_cycle(&running).await];
        let (usage_before, real_before) = (Usage::now(), watch.now());
        let (from, _) = marks[0];
        for minute in 1..=args.minutes.max(1.0) as u32 {
            // Half a cycle early, because the mark is the end of the cycle.
            let due = from + f64::from(minute) * 60.0 - 0.5 * running.node.cycle();
            running.node.clock.sleep_until(due).await;
            marks.push(after_a_cycle(&running).await);
        }
        let rate = |a: (f64, u64), b: (f64, u64)| (b.1 - a.1) as f64 / ((b.0 - a.0) / 60.0);
        let usage = Usage::now();
        let (waiting, out) = running.node.queue();
        let crawled = Crawling {
            start,
            first_pass,
            resident_after_first_pass,
            rate: rate(marks[0], marks[marks.len() - 1]),
            minutes: marks.windows(2).map(|pair| rate(pair[0], pair[1])).collect(),
            failed: running.node.refresh_counts().failed,
            queue: waiting + out,
            cpu: usage.cpu_since(&usage_before),
            seconds: watch.now() - real_before,
            usage,
            threshold: running.node.threshold(),
            disk: running.node.status().store_bytes,
        };
        running.stop(GRACE).await;
        Ok(serde_json::to_value(crawled)?)
    }))
}

/// A node that starts on what the others left; then decisions over what it holds.
pub(super) fn again(args: &Args) -> Result<()> {
    tokio::runtime::Runtime::new()?.block_on(roles::answer(async |line| {
        let scene: Scene = serde_json::from_str(line)?;
        let (node, start) = timed_start(args, &scene).await?;
        let config = node.config();
        let decisions = deciding::as_stored(node.stored_schedules()?, &config, node.clock.now())?;
        close(node).await;
        Ok(serde_json::to_value(Again { start, decisions })?)
    }))
}

async fn timed_start(args: &Args, scene: &Scene) -> Result<(Arc<Node>, Start)> {
    let watch = Clock::real();
    let began = watch.now();
    let node = open(args, scene).await?;
    let start = Start { seconds: watch.now() - began, usage: Usage::now() };
    Ok((node, start))
}

async fn open(args: &Args, scene: &Scene) -> Result<Arc<Node>> {
    let mut config = Config::default();
    config.node.data = scene.data.clone();
    config.budget.rule = BudgetRule::Refreshes { per_minute: args.budget };
    ask_at_once(&mut config);
    Ok(Node::open_here(config, Clock::accelerated_since(scene.start, args.speed)).await?)
}

fn count(running: &Running) -> u64 {
    running.node.refresh_counts().all
}

/// Waits until the refreshes of a cycle are done, at most two cycles: the instant and the refreshes so far.
/// Measured from one such instant to another, no cycle counts by half.
async fn after_a_cycle(running: &Running) -> (f64, u64) {
    let node = &running.node;
    let (until, before) = (node.clock.now() + 2.0 * node.cycle(), count(running));
    while node.clock.now() < until && (count(running) == before || node.queue() != (0, 0)) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    (node.clock.now(), count(running))
}
