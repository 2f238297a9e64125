//! The chain in accelerated time: a newsroom, and nodes that read it and each other.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use pergola_config::{BudgetRule, Config};
use pergola_manners::Cooperation;
use pergola_newsroom::serve::{Newsroom, Source};
use pergola_newsroom::{Process, random_stream};
use pergola_node::node::{NewSource, Node, Running};
use pergola_outside::clock::Clock;
use rand::RngExt;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::record::{Hop, Span};
use super::{Args, HIGHEST_RATE, UNIT, WINDOW};
use crate::bench::ask_at_once;

/// Time that a node has to end.
const GRACE: Duration = Duration::from_secs(30);
/// Random streams that belong to no source.
const PHASES: u64 = 1 << 40;
const RATES: u64 = 1 << 41;

/// What a chain has shown.
pub(super) struct Played {
    /// The time that was measured.
    pub(super) span: Span,
    /// When each node made its first decision.
    pub(super) starts: Vec<f64>,
    /// What each relayed source published, and each private one of each node.
    pub(super) relayed: Vec<Vec<f64>>,
    pub(super) private: Vec<Vec<Vec<f64>>>,
    /// What was measured.
    pub(super) hops: Vec<Hop>,
}

/// Plays the chain.
pub(super) async fn play(args: &Args, cooperation: Cooperation) -> Result<Played> {
    let clock = Clock::accelerated(args.speed);
    let folder = tempfile::tempdir()?;
    let (time, listener) = (clock.clone(), TcpListener::bind("127.0.0.1:0").await?);
    let press = format!("http://{}", listener.local_addr()?);
    let newsroom = Newsroom::builder(Arc::new(move || time.now()))
        .seed(args.seed)
        .base_url(&press)
        .remember(1 << 20)
        .sources(sources(args))
        .build()?;
    let mut tasks = JoinSet::new();
    let router = newsroom.router();
    tasks.spawn(async move { axum::serve(listener, router).await });

    let mut random = random_stream(args.seed, PHASES);
    let (mut nodes, mut starts, mut before) = (Vec::<Link>::new(), Vec::new(), None::<String>);
    for hop in 0..args.hops {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = format!("http://{}", listener.local_addr()?);
        let mut config = config(args, cooperation)?;
        config.node.data = folder.path().join(format!("node-{hop}"));
        let node = Node::open_here(config, clock.clone()).await?;
        let relayed: Vec<String> = (0..args.relayed)
            .map(|source| match &before {
                Some(before) => format!("{before}/feeds/{}.atom", feed(source)),
                None => format!("{press}/sources/{}", relayed_name(source)),
            })
            .collect();
        let private: Vec<String> = (0..args.private)
            .map(|source| format!("{press}/sources/{}", private_name(hop, source)))
            .collect();
        let all = relayed.iter().chain(&private).map(|url| NewSource::feed(url));
        node.add_sources(all.collect::<Result<_, _>>()?).await?;
        node.run_script(&script(&relayed, &private), "bench").await?;
        // Independent of each other: nodes in step would show perfect hops.
        clock.sleep_until(clock.now() + random.random::<f64>() * args.cycle).await;
        starts.push(clock.now());
        nodes.push(Link { running: node.start(listener)?, relayed });
        before = Some(address);
    }
    let span = Span::of(args, clock.now());
    clock.sleep_until(span.from).await;
    let asked_before = nodes.iter().map(Link::requests).collect::<Result<Vec<_>>>()?;
    clock.sleep_until(span.to).await;
    let asked_after = nodes.iter().map(Link::requests).collect::<Result<Vec<_>>>()?;
    clock.sleep_until(span.end()).await;
    let truth = |name: String| -> Result<Vec<f64>> {
        Ok(newsroom.truth(&name)?.items.iter().map(|item| item.at).collect())
    };
    let published: Vec<Vec<f64>> =
        (0..args.relayed).map(|n| truth(relayed_name(n))).collect::<Result<_>>()?;
    let private = (0..args.hops)
        .map(|hop| (0..args.private).map(|n| truth(private_name(hop, n))).collect())
        .collect::<Result<_>>()?;
    let mut hops = Vec::new();
    for (node, (before, after)) in nodes.iter().zip(asked_before.into_iter().zip(asked_after)) {
        let all = published.iter().flatten().copied();
        hops.push(span.hop(all, node.arrivals()?.into_iter(), after - before, args.relayed));
    }
    // From the end of the chain, so that nobody waits for a node that has gone.
    while let Some(node) = nodes.pop() {
        node.running.stop(GRACE).await;
    }
    Ok(Played { span, starts, relayed: published, private, hops })
}

/// One node of the chain.
struct Link {
    running: Running,
    /// The addresses of its relayed sources.
    relayed: Vec<String>,
}

impl Link {
    /// Requests for relayed sources so far.
    fn requests(&self) -> Result<u64> {
        let node = &self.running.node;
        let mut all = 0;
        for url in &self.relayed {
            let id = node.find_source(url).context("a source is gone")?;
            all += node.source(id)?.0.requests;
        }
        Ok(all)
    }

    /// The items of its relayed feeds: when they were published at their source, and when here.
    fn arrivals(&self) -> Result<Vec<(f64, f64)>> {
        let node = &self.running.node;
        let mut all = Vec::new();
        for source in 0..self.relayed.len() {
            let card = node.feed(&feed(source)).context("a feed is gone")?;
            for published in node.items_from(card.id, 0, usize::MAX)? {
                let at = published.item.published.context("the newsroom dates its items")?;
                all.push((at.unix() as f64, published.entry.at));
            }
        }
        Ok(all)
    }
}

fn relayed_name(source: usize) -> String {
    format!("relayed-{source}")
}

fn private_name(hop: u8, source: usize) -> String {
    format!("private-{hop}-{source}")
}

fn feed(source: usize) -> String {
    format!("Relayed{source}")
}

/// A feed for each relayed source, and one for all private ones.
fn script(relayed: &[String], private: &[String]) -> String {
    let mut script = String::new();
    for (source, url) in relayed.iter().enumerate() {
        script += &format!("CREATE FEED {} AS RETURN \"{url}\" WINDOW {WINDOW};\n", feed(source));
    }
    if !private.is_empty() {
        let all: Vec<String> = private.iter().map(|url| format!("\"{url}\"")).collect();
        script += &format!("CREATE FEED Private AS RETURN {};\n", all.join(" | "));
    }
    script
}

/// Sources of all rates up to the highest, those of the chain first.
fn sources(args: &Args) -> Vec<Source> {
    let relayed = (0..args.relayed).map(relayed_name);
    let private = (0..args.hops)
        .flat_map(|hop| (0..args.private).map(move |source| private_name(hop, source)));
    let mut random = random_stream(args.seed, RATES);
    relayed
        .chain(private)
        .map(|name| {
            let rate = (random.random::<f64>() * HIGHEST_RATE).max(0.02) / UNIT;
            Source::new(name, Process::Constant { rate }).window(WINDOW)
        })
        .collect()
}

/// A node that may ask everybody at once, and has only its budget to keep.
fn config(args: &Args, cooperation: Cooperation) -> Result<Config> {
    let mut config = Config::default();
    config.schedule.cycle = Duration::try_from_secs_f64(args.cycle)?;
    config.budget.rule = BudgetRule::Refreshes { per_minute: per_minute(args) };
    config.peers.cooperate = cooperation;
    ask_at_once(&mut config);
    Ok(config)
}

/// What a node may spend.
pub(super) fn per_minute(args: &Args) -> f64 {
    args.budget * (args.relayed + args.private) as f64 / UNIT * 60.0
}
