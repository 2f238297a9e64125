//! What lies between the nodes: delays, lost requests, nodes that are away.

use pergola_newsroom::random_stream;
use pergola_refresh::Invalid;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::CYCLE;
use super::origins::DRAWN;

/// The network as it is asked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Network {
    /// Seconds that a message takes one way, on average; each takes from half to one and a half of it.
    pub(crate) delay: f64,
    /// The chance that a look fails.
    pub(crate) loss: f64,
    /// Nodes that are away for a time.
    pub(crate) outages: Vec<Outage>,
}

/// A node that neither looks nor answers for a time. What it knew it knows afterwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Outage {
    /// The node.
    pub(crate) node: usize,
    /// From which instant, in cycles.
    pub(crate) from: f64,
    /// Until when.
    pub(crate) until: f64,
}

impl Network {
    /// Whether every number makes sense.
    pub(crate) fn check(&self, nodes: usize) -> Result<(), Invalid> {
        Invalid::unless_not_negative("network delay in seconds", self.delay)?;
        let sane = (0.0..1.0).contains(&self.loss);
        Invalid::unless(sane, "share of looks lost", self.loss, "at least 0 and below 1")?;
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

/// A look that gets no answer is given up after so long.
pub(super) const TIMEOUT: f64 = 30.0;

impl Wires {
    pub(super) fn new(network: Network, seed: u64) -> Self {
        Self { network, random: random_stream(seed, DRAWN - 1) }
    }

    /// Whether messages arrive at once and always.
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

    /// Seconds that a look takes on average, there and back.
    pub(super) fn round_trip(&self) -> f64 {
        2.0 * self.network.delay
    }

    /// Whether the next look is lost.
    pub(super) fn loses(&mut self) -> bool {
        self.network.loss > 0.0 && self.random.random::<f64>() < self.network.loss
    }

    /// Until when a node is away, if it is.
    pub(super) fn away_until(&self, node: usize, now: f64) -> Option<f64> {
        let cycle = now / CYCLE;
        let away =
            |outage: &&Outage| outage.node == node && (outage.from..outage.until).contains(&cycle);
        self.network.outages.iter().find(away).map(|outage| outage.until * CYCLE)
    }

    /// When nodes come back, in seconds.
    pub(super) fn returns(&self) -> impl Iterator<Item = (usize, f64)> {
        self.network.outages.iter().map(|outage| (outage.node, outage.until * CYCLE))
    }
}
