//! The network between the nodes: delays, lost requests, nodes that are down.

use pergola_newsroom::random_stream;
use pergola_refresh::Invalid;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::CYCLE;
use super::origins::DRAWN;

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Network {
    /// Mean seconds of a message one way; each takes from half to one and a half of that.
    pub(crate) delay: f64,
    /// The chance that a refresh fails.
    pub(crate) loss: f64,
    pub(crate) outages: Vec<Outage>,
}

/// A node that is down for a time: it neither refreshes nor answers. It keeps what it knows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Outage {
    pub(crate) node: usize,
    /// In cycles.
    pub(crate) from: f64,
    pub(crate) until: f64,
}

impl Network {
    pub(crate) fn check(&self, nodes: usize) -> Result<(), Invalid> {
        Invalid::unless_not_negative("network delay in seconds", self.delay)?;
        let sane = (0.0..1.0).contains(&self.loss);
        Invalid::unless(sane, "share of refreshes lost", self.loss, "at least 0 and below 1")?;
        for outage in &self.outages {
            let known = outage.node < nodes;
            Invalid::unless(known, "node of an outage", outage.node, "a node of the mesh")?;
            let sane = outage.from >= 0.0 && outage.from < outage.until && outage.until.is_finite();
            let given = format!("{} to {}", outage.from, outage.until);
            Invalid::unless(sane, "outage", given, "from one cycle to a later one")?;
        }
        Ok(())
    }
}

/// The network at work.
pub(super) struct Wires {
    network: Network,
    random: ChaCha8Rng,
}

/// Seconds after which a refresh without an answer fails.
pub(super) const TIMEOUT: f64 = 30.0;

impl Wires {
    pub(super) fn new(network: Network, seed: u64) -> Self {
        Self { network, random: random_stream(seed, DRAWN - 1) }
    }

    /// Whether every message arrives, and at once.
    pub(super) fn is_ideal(&self) -> bool {
        self.network == Network::default()
    }

    /// Seconds that the next message takes.
    pub(super) fn delay(&mut self) -> f64 {
        match self.network.delay {
            0.0 => 0.0,
            mean => mean * (0.5 + self.random.random::<f64>()),
        }
    }

    /// Mean seconds of a refresh, there and back.
    pub(super) fn round_trip(&self) -> f64 {
        2.0 * self.network.delay
    }

    /// Whether the next refresh is lost.
    pub(super) fn loses(&mut self) -> bool {
        self.network.loss > 0.0 && self.random.random::<f64>() < self.network.loss
    }

    /// Until when a node is down, if it is.
    pub(super) fn away_until(&self, node: usize, now: f64) -> Option<f64> {
        let cycle = now / CYCLE;
        let away =
            |outage: &&Outage| outage.node == node && (outage.from..outage.until).contains(&cycle);
        self.network.outages.iter().find(away).map(|outage| outage.until * CYCLE)
    }

    /// When nodes come up again, in seconds.
    pub(super) fn returns(&self) -> impl Iterator<Item = (usize, f64)> {
        self.network.outages.iter().map(|outage| (outage.node, outage.until * CYCLE))
    }
}
