//! What the scheduler does by itself: the same items, the same strategy, model, budgets and cycles, but
//! no network, no store and no time passing between a decision and its refreshes.

use anyhow::Result;
use pergola_manners::budget::HORIZON_CYCLES;
use pergola_manners::roster::FIRST_THRESHOLD;
use pergola_newsroom::{Process, Publisher, Stand};
use pergola_node::node::{FIRST_RATE, FIRST_WINDOW};
use pergola_refresh::{
    Controller, ModelKind, Observation, Scheduler, Source, Sources, StrategyKind, Taste, Threshold,
};

use super::judge::Record;
use super::live::purse;
use super::{Args, Played};

/// What an aggregator knows of one source besides the scheduler's state.
struct Reader {
    stand: Stand,
    /// Items seen so far, also the number of the next one.
    seen: Option<u64>,
    delivered: f64,
}

/// Plays the scheduler over what the newsroom published.
pub(super) fn play(args: &Args, live: &Record) -> Result<Played> {
    let mut sources = Sources::new();
    let mut readers = Vec::with_capacity(live.streams.len());
    for stream in &live.streams {
        sources.add(Source {
            relevance: share(0.0),
            ..Source::new(ModelKind::Calendar.build(FIRST_RATE)?, FIRST_WINDOW)
        })?;
        let publisher = Publisher::new(Process::Recorded(stream.times.clone()), args.seed, 0)?;
        let stand = Stand::new(publisher, stream.window);
        readers.push(Reader { stand, seen: None, delivered: 0.0 });
    }
    let threshold =
        Threshold::new(FIRST_THRESHOLD, Controller::Steady { horizon: HORIZON_CYCLES })?;
    let strategy = StrategyKind::Plan.build(Taste::default());
    let mut scheduler = Scheduler::new(strategy, threshold, purse(args, 1.0).budget()?);
    let halved = args.warmup + args.before;
    let (mut refreshes, mut thresholds) = (vec![Vec::new(); readers.len()], [0.0; 2]);
    for cycle in 0..halved + args.after {
        if cycle == halved {
            thresholds[0] = scheduler.threshold().value();
            scheduler.set_budget(purse(args, 0.5).budget()?);
        }
        let now = live.start + cycle as f64 * args.cycle;
        for source in scheduler.decide(now, &sources).to_vec() {
            refreshes[source].push(now);
            let reader = &mut readers[source];
            let dates = reader.refresh(now);
            let observation = Observation {
                at: now,
                since: sources.last(source),
                new_items: dates.items,
                window: dates.window,
                censored: dates.censored,
                dates: &dates.instants,
            };
            sources.observe(source, &observation);
            scheduler.observed(source, &observation);
            reader.delivered += f64::from(dates.items);
            sources.set_relevance(source, share(reader.delivered))?;
        }
    }
    thresholds[1] = scheduler.threshold().value();
    let record = Record { start: live.start, streams: live.streams.clone(), refreshes };
    Ok(Played { record, thresholds, failed: 0 })
}

/// What a feed that keeps everything is believed to keep of a source of which it has kept so many.
fn share(kept: f64) -> f64 {
    (kept + 1.0) / (kept + 2.0)
}

/// What a refresh shows.
struct Shown {
    items: u32,
    window: u32,
    censored: bool,
    instants: Vec<f64>,
}

impl Reader {
    fn refresh(&mut self, now: f64) -> Shown {
        self.stand.advance(now);
        let seen = self.seen.replace(self.stand.published());
        let new = |number: u64| seen.is_none_or(|seen| number >= seen);
        // Documents tell whole seconds.
        let mut instants: Vec<f64> = self
            .stand
            .window()
            .filter(|shown| new(shown.number))
            .map(|shown| shown.item.at.floor())
            .collect();
        instants.reverse();
        let (items, window) = (instants.len() as u32, self.stand.window().len() as u32);
        let censored = seen.is_some() && items > 0 && items == window;
        // A document that has not changed is not sent again, and so shows no window.
        let window = if items > 0 { window } else { 0 };
        Shown { items, window, censored, instants }
    }
}
