//! What the schedulers do by themselves with plain pulling: the same items, strategy, model, budgets and
//! moments of decision, but no network, no store and no time passing between a decision and its refreshes.

use anyhow::{Context, Result};
use pergola_config::BudgetRule;
use pergola_manners::budget::{HORIZON_CYCLES, Purse};
use pergola_manners::roster::FIRST_THRESHOLD;
use pergola_node::node::{FIRST_RATE, FIRST_WINDOW};
use pergola_refresh::{
    Controller, ModelKind, Observation, Scheduler, Source, Sources, StrategyKind, Taste, Threshold,
};

use super::chain::{Played, per_minute};
use super::record::Hop;
use super::{Args, WINDOW};

/// An item where it can be read: when it was published at its source, and when it came here.
type Arrival = (f64, f64);

/// A node: its scheduler, what it has read of each source (relayed ones first), and what it relays.
struct Node {
    scheduler: Scheduler<Sources>,
    sources: Sources,
    read: Vec<Option<usize>>,
    kept: Vec<f64>,
    private: Vec<Vec<Arrival>>,
    feeds: Vec<Vec<Arrival>>,
    requests: u64,
}

/// Plays the schedulers over what the newsroom published.
pub(super) fn play(args: &Args, live: &Played) -> Result<Vec<Hop>> {
    let origins: Vec<Vec<Arrival>> = live.relayed.iter().map(|stream| log(stream)).collect();
    let mut nodes = live
        .private
        .iter()
        .map(|private| Node::new(args, private.iter().map(|stream| log(stream)).collect()))
        .collect::<Result<Vec<_>>>()?;
    // Decisions of all nodes in the order of time.
    let mut next = live.starts.clone();
    loop {
        let hop = (0..next.len())
            .min_by(|&a, &b| next[a].total_cmp(&next[b]))
            .context("a chain has nodes")?;
        let now = next[hop];
        if now > live.span.end() {
            break;
        }
        next[hop] += args.cycle;
        let (before, rest) = nodes.split_at_mut(hop);
        let upstream = before.last().map_or(&origins, |node| &node.feeds);
        let counts = now > live.span.from && now <= live.span.to;
        rest[0].decide(now, upstream, counts)?;
    }
    let published = || live.relayed.iter().flatten().copied();
    let hop = |node: &Node| {
        let came = node.feeds.iter().flatten().copied();
        live.span.hop(published(), came, node.requests, args.relayed)
    };
    Ok(nodes.iter().map(hop).collect())
}

/// What can be read at a source itself: each item since it was published.
fn log(stream: &[f64]) -> Vec<Arrival> {
    stream.iter().map(|&at| (at, at)).collect()
}

impl Node {
    fn new(args: &Args, private: Vec<Vec<Arrival>>) -> Result<Self> {
        let count = args.relayed + args.private;
        let mut sources = Sources::new();
        for _ in 0..count {
            let model = ModelKind::Calendar.build(FIRST_RATE)?;
            sources.add(Source { relevance: share(0.0), ..Source::new(model, FIRST_WINDOW) })?;
        }
        let rule = BudgetRule::Refreshes { per_minute: per_minute(args) };
        let purse = Purse::new(rule, None, args.cycle);
        let controller = Controller::Steady { horizon: HORIZON_CYCLES };
        let threshold = Threshold::new(FIRST_THRESHOLD, controller)?;
        let strategy = StrategyKind::Plan.build(Taste::default());
        Ok(Self {
            scheduler: Scheduler::new(strategy, threshold, purse.budget()?),
            sources,
            read: vec![None; count],
            kept: vec![0.0; count],
            private,
            feeds: vec![Vec::new(); args.relayed],
            requests: 0,
        })
    }

    /// One decision, and its refreshes.
    fn decide(&mut self, now: f64, upstream: &[Vec<Arrival>], counts: bool) -> Result<()> {
        for source in self.scheduler.decide(now, &self.sources).to_vec() {
            let relayed = source < upstream.len();
            let log = match relayed {
                true => &upstream[source],
                false => &self.private[source - upstream.len()],
            };
            let end = log.partition_point(|&(_, came)| came <= now);
            let shown = end.saturating_sub(WINDOW);
            let read = self.read[source].replace(end);
            let from = read.unwrap_or(0).max(shown);
            let news: Vec<Arrival> = log[from..end].iter().map(|&(at, _)| (at, now)).collect();
            // Documents tell whole seconds.
            let dates: Vec<f64> = news.iter().map(|(at, _)| at.floor()).collect();
            let observation = Observation {
                at: now,
                since: self.sources.last(source),
                new_items: news.len() as u32,
                // What has not changed is not sent again, and so shows no window.
                window: if news.is_empty() { 0 } else { (end - shown) as u32 },
                censored: read.is_some_and(|read| read < shown || (read == shown && end > shown)),
                dates: &dates,
            };
            self.sources.observe(source, &observation);
            self.scheduler.observed(source, &observation);
            self.kept[source] += news.len() as f64;
            self.sources.set_relevance(source, share(self.kept[source]))?;
            if relayed {
                self.feeds[source].extend(news);
                self.requests += u64::from(counts);
            }
        }
        Ok(())
    }
}

/// What a feed that keeps everything is believed to keep of a source of which it has kept so many.
fn share(kept: f64) -> f64 {
    (kept + 1.0) / (kept + 2.0)
}
