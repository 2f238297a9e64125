//! What a cascade did to the items, hop by hop.

use pergola_refresh::quality::{Delay, completeness};

use super::node::Node;
use super::{CYCLE, Chain, Log};

/// What was measured at one node.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hop {
    /// Of the items published while measuring, the share that came here.
    pub(crate) completeness: f64,
    /// From publication to arrival here, in cycles.
    pub(crate) delay: Delay,
    /// Share of the source's window that came here, a mean over sources and time.
    pub(crate) held: f64,
    /// Requests per relayed source and cycle, pages included.
    pub(crate) requests: f64,
}

/// Items published in the last cycles are not counted: they may still be on their way.
const ON_THE_WAY: usize = 50;

/// Keeps books of all hops.
pub(super) struct Record<'a> {
    chain: &'a Chain,
    origins: &'a [Log],
    held: Vec<f64>,
}

impl<'a> Record<'a> {
    pub(super) fn new(chain: &'a Chain, origins: &'a [Log]) -> Self {
        Self { chain, origins, held: vec![0.0; chain.depth] }
    }

    /// Notes what is held at the end of a cycle.
    pub(super) fn sample(&mut self, cycle: usize, nodes: &[Node]) {
        if cycle < self.chain.warmup {
            return;
        }
        let now = (cycle + 1) as f64 * CYCLE;
        for (source, origin) in self.origins.iter().enumerate() {
            let end = origin.partition_point(|item| item.at <= now);
            let first = end.saturating_sub(self.chain.window);
            for (held, node) in self.held.iter_mut().zip(nodes) {
                let feed = &node.feeds()[source];
                let known = feed.partition_point(|item| (item.number as usize) < first);
                let share = (feed.len() - known) as f64 / (end - first).max(1) as f64;
                *held += if end == 0 { 1.0 } else { share };
            }
        }
    }

    pub(super) fn hops(&self, nodes: &[Node]) -> Vec<Hop> {
        let from = self.chain.warmup as f64 * CYCLE;
        let to = from + self.chain.measured.saturating_sub(ON_THE_WAY) as f64 * CYCLE;
        let counts = |at: f64| at > from && at <= to;
        let link_cycles = (self.chain.relayed * self.chain.measured) as f64;
        let measured = |origin: &&Log| origin.iter().filter(|item| counts(item.at)).count() as u64;
        let published: u64 = self.origins.iter().map(|origin| measured(&origin)).sum();
        let hop = |(node, held): (&Node, &f64)| {
            let mut delays = Vec::new();
            for (feed, origin) in node.feeds().iter().zip(self.origins) {
                let published = |number: u32| origin[number as usize].at;
                let counted = feed.iter().filter(|item| counts(published(item.number)));
                delays.extend(counted.map(|item| (item.at - published(item.number)) / CYCLE));
            }
            Hop {
                completeness: completeness(delays.len() as u64, published),
                delay: Delay::of(delays),
                held: held / link_cycles,
                requests: node.requests() as f64 / link_cycles,
            }
        };
        nodes.iter().zip(&self.held).map(hop).collect()
    }
}
