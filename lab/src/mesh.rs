//! A mesh in virtual time: nodes that read each other's feeds, wired in any way without cycles.
//!
//! Every node has its own scheduler, τ and budget, and decides at moments of its own: nodes that decide in step
//! would give figures that are too good. Schedulers, models and the exchange of budget are the code of the product.
//! Only the sources, what a refresh shows and the network are simulated.
//!
//! The same seed gives the same items and the same moments in every mode, and the same figures on every
//! machine. [`Mesh::play`] is also the prediction for a mesh of real nodes with the same graph.

mod cooperation;
mod figures;
pub(crate) mod graph_file;
mod network;
mod node;
mod origins;
pub(crate) mod picture;
mod play;
mod queue;
mod shelf;
#[cfg(test)]
mod tests;
mod wiring;

use std::collections::HashMap;

use pergola_refresh::{Invalid, ModelKind, StrategyKind};

pub(crate) use self::cooperation::Cooperation;
pub(crate) use self::figures::{Figures, Outcome, Record, Spent};
pub(crate) use self::network::{Network, Outage};
pub(crate) use self::node::Tuning;
pub(crate) use self::origins::{Burst, Origins, Publishing};
use self::play::Play;
use self::wiring::Reached;
pub(crate) use self::wiring::{Channel, Feed, Load, Origin, Wiring};

/// The unit of time, seconds: rates, budgets and delays are given per cycle.
pub(crate) const CYCLE: f64 = 300.0;

/// How nodes share a budget; see [`pergola_refresh::collective`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Collective {
    /// Whether readers tell upstream what an item is worth to them and to their own readers.
    pub(crate) worth: bool,
    /// The share of a budget that moves per cycle where prices differ by a factor of e; 0 moves nothing.
    pub(crate) eagerness: f64,
    /// The share of its first budget that a node always keeps.
    pub(crate) least: f64,
}

impl Collective {
    pub(crate) const BOTH: Self = Self { worth: true, eagerness: 0.01, least: 0.1 };
}

/// Where readers are, for nodes that share their budgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Readers {
    /// One at every feed.
    #[default]
    Everywhere,
    /// One at every feed that no node reads.
    AtTheEnds,
}

/// Items whose arrivals are recorded one by one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Follow {
    /// Of this source, or of all.
    pub(crate) source: Option<usize>,
    /// Published in these cycles.
    pub(crate) from: f64,
    pub(crate) until: f64,
}

/// How a mesh is played.
#[derive(Debug, Clone)]
pub(crate) struct Settings<'a> {
    /// Items that a source's document shows.
    pub(crate) window: usize,
    /// Items that a feed's document shows.
    pub(crate) feed_window: usize,
    pub(crate) publishing: Publishing<'a>,
    /// Items that one source publishes in addition.
    pub(crate) burst: Option<Burst>,
    /// Refreshes per subscription and cycle, averaged over the mesh.
    pub(crate) budget: f64,
    /// Refreshes per cycle of each node; replaces `budget`.
    pub(crate) budgets: Option<Vec<f64>>,
    /// Budget per subscription of a node, divided by that of a node one hop nearer to the sources.
    pub(crate) skew: f64,
    /// Decisions of each node in a cycle.
    pub(crate) decisions: usize,
    /// When each node decides, from 0 to 1 of the time between two decisions; random if not given.
    pub(crate) moments: Option<Vec<f64>>,
    /// Cycles before measuring starts.
    pub(crate) warmup: usize,
    /// Cycles that are measured.
    pub(crate) measured: usize,
    pub(crate) strategy: StrategyKind,
    /// Whether τ and the second step are exactly as published.
    pub(crate) literal: bool,
    pub(crate) model: ModelKind,
    pub(crate) tuning: Tuning,
    pub(crate) cooperation: Cooperation,
    /// How nodes share their budgets, if they do.
    pub(crate) collective: Option<Collective>,
    pub(crate) readers: Readers,
    pub(crate) network: Network,
    /// How often freshness and τ are sampled while measuring.
    pub(crate) samples: usize,
    pub(crate) follow: Option<Follow>,
}

impl Default for Settings<'_> {
    /// The chain of the contract between nodes: rates below three items per cycle, windows of ten, .35
    /// refreshes per subscription and cycle, one decision a cycle.
    fn default() -> Self {
        Self {
            window: 10,
            feed_window: 10,
            publishing: Publishing::Uniform(3.0),
            burst: None,
            budget: 0.35,
            budgets: None,
            skew: 1.0,
            decisions: 1,
            moments: None,
            warmup: 400,
            measured: 600,
            strategy: StrategyKind::TwoSteps,
            literal: false,
            model: ModelKind::Gamma,
            tuning: Tuning::LAB,
            cooperation: Cooperation::NONE,
            collective: None,
            readers: Readers::default(),
            network: Network::default(),
            samples: 600,
            follow: None,
        }
    }
}

impl Settings<'_> {
    /// Cycles in all.
    pub(crate) fn cycles(&self) -> usize {
        self.warmup + self.measured
    }

    /// Cycles from one sample to the next.
    pub(crate) fn sample_every(&self) -> f64 {
        self.measured as f64 / self.samples as f64
    }

    fn window_of(&self, channel: Channel) -> usize {
        match channel {
            Channel::Source(_) => self.window,
            Channel::Feed(_) => self.feed_window,
        }
    }

    /// The weight of a feed's own readers. A feed that is not studied always has a reader.
    fn readers_of(&self, feed: &Feed, is_read: bool) -> f64 {
        let at_an_end = !is_read || !feed.studied;
        f64::from(u8::from(self.readers == Readers::Everywhere || at_an_end))
    }

    fn check(&self, nodes: usize) -> Result<(), Invalid> {
        Invalid::unless_positive("budget", self.budget)?;
        Invalid::unless_positive("skew of the budget", self.skew)?;
        for (what, number) in [
            ("window", self.window),
            ("window of feeds", self.feed_window),
            ("decisions per cycle", self.decisions),
            ("cycles measured", self.measured),
            ("samples", self.samples),
        ] {
            Invalid::unless(number > 0, what, number, "at least 1")?;
        }
        if let Some(budgets) = &self.budgets {
            let (given, all) = (budgets.len(), budgets.len() == nodes);
            Invalid::unless(all, "number of budgets", given, "one for each node")?;
        }
        self.network.check(nodes)
    }

    /// Refreshes per cycle that each node may spend: in proportion to its subscriptions, skewed towards the
    /// sources or towards the readers, always with the same total.
    fn budgets(&self, mesh: &Mesh, subscriptions: &[usize]) -> Vec<f64> {
        if let Some(budgets) = &self.budgets {
            return budgets.clone();
        }
        let weight = |(node, &count): (usize, &usize)| {
            count as f64 * self.skew.powi(mesh.depths[node] as i32 - 1)
        };
        let weights: Vec<f64> = subscriptions.iter().enumerate().map(weight).collect();
        let total = self.budget * subscriptions.iter().sum::<usize>() as f64;
        let share = total / weights.iter().sum::<f64>();
        weights.iter().map(|weight| share * weight).collect()
    }
}

/// A mesh that can be played.
pub(crate) struct Mesh {
    pub(crate) wiring: Wiring,
    /// What can arrive at each feed.
    reach: Vec<Vec<Reached>>,
    /// For each feed whether another feed reads it.
    read: Vec<bool>,
    /// Hops of each node from its nearest source, over its studied feeds.
    pub(crate) depths: Vec<u32>,
    /// Subscriptions of one node to another.
    links: HashMap<(u32, u32), u32>,
}

impl Mesh {
    pub(crate) fn new(wiring: Wiring) -> Self {
        let reach = wiring.reach();
        let mut depths = vec![u32::MAX; wiring.nodes.len()];
        let mut links: HashMap<(u32, u32), Vec<Channel>> = HashMap::new();
        for (feed, reached) in wiring.feeds.iter().zip(&reach) {
            let depth = &mut depths[feed.node as usize];
            if feed.studied {
                *depth = reached.iter().map(|reached| reached.hops).min().unwrap_or(1).min(*depth);
            }
            for &input in &feed.inputs {
                if let Some(host) = wiring.host(input)
                    && host != feed.node
                {
                    links.entry((feed.node, host)).or_default().push(input);
                }
            }
        }
        depths.iter_mut().filter(|depth| **depth == u32::MAX).for_each(|depth| *depth = 1);
        let count = |mut inputs: Vec<Channel>| {
            inputs.sort_unstable();
            inputs.dedup();
            inputs.len() as u32
        };
        let links = links.into_iter().map(|(pair, inputs)| (pair, count(inputs))).collect();
        Self { read: wiring.is_read(), reach, depths, links, wiring }
    }

    /// How many feeds of `host` a node reads.
    fn links(&self, node: usize, host: usize) -> u32 {
        self.links.get(&(node as u32, host as u32)).copied().unwrap_or(1)
    }

    /// Plays the mesh with items drawn from the seed, and measures it.
    pub(crate) fn play(&self, settings: &Settings<'_>, seed: u64) -> Result<Outcome, Invalid> {
        settings.check(self.wiring.nodes.len())?;
        let origins = Origins::draw(
            &self.wiring,
            &settings.publishing,
            settings.burst,
            settings.cycles(),
            seed,
        )?;
        self.play_over(settings, &origins, seed)
    }

    /// Plays the mesh with these items, and measures it. The seed decides when nodes decide.
    pub(crate) fn play_over(
        &self,
        settings: &Settings<'_>,
        origins: &Origins,
        seed: u64,
    ) -> Result<Outcome, Invalid> {
        settings.check(self.wiring.nodes.len())?;
        let mut play = Play::new(self, settings, origins, seed)?;
        play.run();
        let outcome = figures::measure(self, settings, &play.record());
        Ok(Outcome {
            thresholds: play.thresholds,
            budgets: play.budgets,
            events: play.events,
            weighed: play.weighed,
            ..outcome
        })
    }

    /// Measures a record from elsewhere, by the same rules.
    pub(crate) fn measure(&self, settings: &Settings<'_>, record: &Record<'_>) -> Outcome {
        figures::measure(self, settings, record)
    }

    /// Whether an item can arrive at a feed.
    pub(crate) fn can_have(&self, feed: usize, origins: &Origins, item: u32) -> bool {
        let source = origins.source(item);
        let topic = origins.topics[item as usize];
        self.reach[feed].iter().any(|reached| reached.source == source && reached.has(topic))
    }
}
