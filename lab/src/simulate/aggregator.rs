//! The simulated aggregators: one that knows the truth, as in the published experiments, and one that learns from
//! its own refreshes, like a node.

use pergola_refresh::quality::{Delivery, Ledger};
use pergola_refresh::{Exact, Invalid, Knowledge, Model, Observation, Source, Sources};

use crate::world::{Stream, World};

/// A simulated aggregator: what it knows, and how a refresh changes that.
pub(super) trait Aggregator {
    type Known: Knowledge;

    fn known(&self) -> &Self::Known;

    /// The truth before a decision; an aggregator that estimates ignores it.
    fn shown_truth(&mut self, _ledgers: &[Ledger]) {}

    /// A source was refreshed, having published `unread` items since the last time.
    fn refreshed<'a>(
        &mut self,
        source: usize,
        now: f64,
        unread: u32,
        delivery: &'a Delivery,
    ) -> Observation<'a>;
}

impl Aggregator for Exact {
    type Known = Self;

    fn known(&self) -> &Self {
        self
    }

    fn shown_truth(&mut self, ledgers: &[Ledger]) {
        for (source, ledger) in ledgers.iter().enumerate() {
            self.unread[source] = ledger.stream_divergence();
            self.relevant[source] = ledger.window_divergence();
            self.relevant_shown[source] = ledger.shown_relevant();
        }
    }

    fn refreshed<'a>(
        &mut self,
        source: usize,
        now: f64,
        _: u32,
        delivery: &'a Delivery,
    ) -> Observation<'a> {
        let since = std::mem::replace(&mut self.last[source], now);
        observe(now, Some(since), delivery.new.len() as u32, delivery)
    }
}

/// Learns rates and selectivities from refreshes alone, as a node does.
pub(super) struct Learner {
    sources: Sources,
    /// Relevant items and all items seen of each source; `None` if selectivities are known.
    selectivity: Option<Vec<(f64, f64)>>,
    sees_lost: bool,
}

impl Learner {
    pub(super) fn new(sources: Sources, knows_selectivity: bool, sees_lost: bool) -> Self {
        let count = sources.len();
        // A prior of one item, half relevant; it is soon outweighed.
        let selectivity = (!knows_selectivity).then(|| vec![(0.5, 1.0); count]);
        Self { sources, selectivity, sees_lost }
    }
}

impl Aggregator for Learner {
    type Known = Sources;

    fn known(&self) -> &Sources {
        &self.sources
    }

    fn refreshed<'a>(
        &mut self,
        source: usize,
        now: f64,
        unread: u32,
        delivery: &'a Delivery,
    ) -> Observation<'a> {
        let since = self.sources.last(source);
        let mut observed = observe(now, since, delivery.new.len() as u32, delivery);
        if self.sees_lost {
            observed.new_items = unread;
            observed.censored = false;
        }
        self.sources.observe(source, &observed);
        if let Some(counts) = &mut self.selectivity {
            let (relevant, all) = &mut counts[source];
            *relevant += delivery.relevant.iter().filter(|&&relevant| relevant).count() as f64;
            *all += delivery.new.len() as f64;
            let share = *relevant / *all;
            self.sources.set_relevance(source, share).expect("a share is a valid relevance");
        }
        observed
    }
}

fn observe(at: f64, since: Option<f64>, new_items: u32, delivery: &Delivery) -> Observation<'_> {
    let Delivery { censored, shown, ref new, .. } = *delivery;
    Observation { at, since, new_items, window: shown, censored, dates: new }
}

/// The sources of a learner at the start.
pub(super) fn sources(
    world: &World,
    knows_selectivity: bool,
    model: impl Fn(&Stream) -> Result<Model, Invalid>,
) -> Result<Sources, Invalid> {
    let mut sources = Sources::new();
    for stream in &world.streams {
        let mut source = Source::new(model(stream)?, world.window as u32);
        if knows_selectivity {
            source.relevance = stream.selectivity;
        }
        sources.add(source)?;
    }
    Ok(sources)
}

/// Sources with known divergence, all just refreshed.
pub(super) fn exact(world: &World) -> Exact {
    let count = world.streams.len();
    Exact {
        last: vec![0.0; count],
        unread: vec![0; count],
        relevant: vec![0; count],
        relevant_shown: vec![0; count],
        rate: world.streams.iter().map(|stream| stream.rate).collect(),
        relevant_rate: world.streams.iter().map(|s| s.rate * s.selectivity).sum(),
        window: world.window as u32,
        cycle: world.cycle,
    }
}
