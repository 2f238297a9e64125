//! A cascade in virtual time: nodes that read each other's feeds, in a chain.
//!
//! Every node has its own scheduler, its own τ, private sources besides the feeds it relays, and decides at
//! moments of its own: identical nodes in step would show perfect hops. The nodes' schedulers and
//! models are the product's own; what is played here is who publishes what, and what a look shows.
//!
//! Never: an item at a hop before it was at the hop before; an item twice at one hop.

mod node;
mod record;

use pergola_newsroom::{Process, random_stream};
use pergola_refresh::{Invalid, ModelKind, StrategyKind};
use rand::RngExt;

use self::node::Node;
pub(crate) use self::record::Hop;
use self::record::Record;
use crate::world::publisher;

/// The unit of time, seconds: rates, budgets and delays are given per cycle.
pub(crate) const CYCLE: f64 = 300.0;

/// What two neighbours do for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Nothing: a feed is pulled as any other source.
    Pull,
    /// Each answer says when the upstream will look at its own sources.
    Hints,
    /// The upstream tells at once how many items wait.
    Notice,
    /// What has left the window can be paged back to, one request a page.
    Archive,
    /// Both of these.
    NoticeArchive,
    /// The upstream sends the items themselves.
    Push,
}

impl Mode {
    /// All of them, in the order in which tables list them.
    pub(crate) const ALL: [Self; 6] =
        [Self::Pull, Self::Hints, Self::Notice, Self::Archive, Self::NoticeArchive, Self::Push];

    /// The name used in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pull => "pull",
            Self::Hints => "hints",
            Self::Notice => "notice",
            Self::Archive => "archive",
            Self::NoticeArchive => "notice + archive",
            Self::Push => "push",
        }
    }

    fn notices(self) -> bool {
        matches!(self, Self::Notice | Self::NoticeArchive)
    }

    fn pages_back(self) -> bool {
        matches!(self, Self::Archive | Self::NoticeArchive)
    }
}

/// A chain of nodes and what flows through it.
#[derive(Debug, Clone)]
pub(crate) struct Chain {
    /// Nodes, one behind the other.
    pub(crate) depth: usize,
    /// Sources whose items the first node reads, and every other from the node before it.
    pub(crate) relayed: usize,
    /// Sources that each node has for itself.
    pub(crate) private: usize,
    /// Items that a document shows.
    pub(crate) window: usize,
    /// Rates are uniform up to so many items per cycle.
    pub(crate) highest_rate: f64,
    /// Refreshes per source and cycle that a node may spend.
    pub(crate) budget: f64,
    /// Decisions of each node in a cycle.
    pub(crate) decisions: usize,
    /// Cycles before measuring starts.
    pub(crate) warmup: usize,
    /// Cycles that are measured.
    pub(crate) measured: usize,
    /// Every node's strategy.
    pub(crate) strategy: StrategyKind,
    /// Every node's model.
    pub(crate) model: ModelKind,
}

/// An item where it can be read: its number at its source, and since when.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Arrival {
    number: u32,
    at: f64,
}

/// What can be read at one place, in the order it came there.
type Log = Vec<Arrival>;

/// Random streams of the chain; those of its sources lie below.
const CHAIN: u64 = 1 << 41;

impl Chain {
    /// Source-cycles that one play takes.
    pub(crate) fn work(&self) -> usize {
        self.depth * (self.relayed + self.private) * self.cycles() * self.decisions
    }

    fn cycles(&self) -> usize {
        self.warmup + self.measured
    }

    /// Plays the chain; what was measured at each hop, the first node first. The same seed gives the same
    /// items and the same phases in every mode.
    pub(crate) fn play(&self, mode: Mode, seed: u64) -> Result<Vec<Hop>, Invalid> {
        let mut random = random_stream(seed, CHAIN);
        let mut stream = 0;
        let mut logs = |count: usize| -> Vec<Log> {
            (0..count)
                .map(|_| {
                    stream += 1;
                    self.log(seed, stream)
                })
                .collect()
        };
        let origins = logs(self.relayed);
        let mut nodes = (0..self.depth)
            .map(|_| Node::new(self, logs(self.private), random.random::<f64>()))
            .collect::<Result<Vec<_>, _>>()?;
        if mode == Mode::Push {
            nodes.iter_mut().skip(1).for_each(Node::rely_on_push);
        }
        let mut order: Vec<usize> = (0..self.depth).collect();
        order.sort_by(|&a, &b| nodes[a].phase().total_cmp(&nodes[b].phase()));
        let mut record = Record::new(self, &origins);
        for cycle in 0..self.cycles() {
            for decision in 0..self.decisions {
                let share = decision as f64 / self.decisions as f64;
                for &hop in &order {
                    self.decide(&mut nodes, hop, &origins, mode, cycle as f64 + share);
                }
            }
            record.sample(cycle, &nodes);
        }
        Ok(record.hops(&nodes))
    }

    /// One decision of one node, and the looks that follow from it.
    fn decide(&self, nodes: &mut [Node], hop: usize, origins: &[Log], mode: Mode, cycle: f64) {
        let (before, rest) = nodes.split_at_mut(hop);
        let Some((node, after)) = rest.split_first_mut() else { return };
        let now = (cycle + node.phase()) * CYCLE;
        let mut upstream = before.last_mut();
        if let Some(upstream) = &upstream
            && mode.notices()
        {
            node.notice(upstream.feeds(), now);
        }
        let measured = cycle >= self.warmup as f64;
        for source in node.choose(now) {
            let log = match &upstream {
                _ if source >= self.relayed => None,
                Some(upstream) => Some(&upstream.feeds()[source]),
                None => Some(&origins[source]),
            };
            let news = node.look(source, log, now, mode.pages_back() && hop > 0, measured);
            if let Some(upstream) = &mut upstream
                && mode == Mode::Hints
                && source < self.relayed
            {
                let plan = upstream.planned(source, now);
                node.relay(source, now, plan);
            }
            if mode == Mode::Push && source < self.relayed {
                after.iter_mut().for_each(|node| node.receive(source, &news));
            }
        }
    }

    /// Everything that a source will ever publish.
    fn log(&self, seed: u64, stream: u64) -> Log {
        let rate = random_stream(seed, CHAIN + stream).random::<f64>() * self.highest_rate / CYCLE;
        let end = self.cycles() as f64 * CYCLE;
        let items = publisher(Process::Constant { rate }, seed, stream).until(end);
        items.iter().zip(0..).map(|(item, number)| Arrival { number, at: item.at }).collect()
    }
}
