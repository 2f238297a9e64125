//! What a seed means: the world, and the list of everything that will go wrong in it.
//!
//! The faults are drawn up front, so that a run that fails can be repeated with fewer of them.

use std::fmt;

use crate::chance::Chance;
use crate::disk::Engine;
use crate::host::Death;

const MINUTE: f64 = 60.0;
const HOUR: f64 = 3_600.0;

/// The seconds in which things go wrong, from the beginning.
const TROUBLED: f64 = 20.0 * HOUR;
/// The sources go on publishing for so long after the last fault.
const AFTERMATH: f64 = HOUR;
/// The run is over then at the latest; earlier if everything has arrived everywhere.
const LATEST: f64 = 10.0 * 24.0 * HOUR;

/// What a seed means.
#[derive(Debug, Clone)]
pub struct Plan {
    pub seed: u64,
    pub engine: Engine,
    pub nodes: Vec<NodePlan>,
    pub sources: Vec<SourcePlan>,
    pub faults: Vec<Fault>,
    /// Seconds that most messages take.
    pub delay: (f64, f64),
    /// Seconds between two requests to one site.
    pub spacing: f64,
    /// Seconds between two refreshes of one source.
    pub floor: f64,
    /// Refreshes per minute of each node.
    pub budget: f64,
    /// The last fault is over, and nothing is published any more.
    pub calm: f64,
    /// The run is over.
    pub latest: f64,
}

/// One node.
#[derive(Debug, Clone)]
pub struct NodePlan {
    /// The sources of its feed `Own`.
    pub sources: Vec<usize>,
    /// The source of its feed `Closed`.
    pub secret: usize,
    /// The nodes whose feed `Mesh` is in its own.
    pub upstream: Vec<usize>,
    /// What it asks of them.
    pub cooperate: &'static str,
    /// Seconds between two decisions of its scheduler.
    pub cycle: f64,
}

/// One source.
#[derive(Debug, Clone)]
pub struct SourcePlan {
    pub site: usize,
    /// Items in its document.
    pub window: usize,
    /// When it publishes.
    pub times: Vec<f64>,
    /// Whether it has validators.
    pub validators: bool,
    /// Whether only named readers may read it.
    pub secret: bool,
}

/// Something that goes wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    pub at: f64,
    pub what: Trouble,
}

/// What goes wrong. Durations are seconds.
#[derive(Debug, Clone, PartialEq)]
pub enum Trouble {
    /// A machine dies, and is down for a while; its clock is off by `clock` more after that.
    Death { node: usize, moment: Moment, death: Death, down: f64, clock: f64 },
    /// Nothing gets from one machine to the other.
    Cut { from: usize, to: usize, time: f64 },
    /// The connections between two machines break.
    Reset { one: usize, other: usize },
    /// Whatever uses the disk takes so long.
    SlowDisk { node: usize, delay: f64, time: f64 },
    /// The disk has no space left.
    FullDisk { node: usize, time: f64 },
    /// A source misbehaves.
    Source { source: usize, how: Misbehaviour, time: f64 },
    /// The name of a source leads into a private network.
    Lie { source: usize, time: f64 },
}

/// When a machine dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Once it has done so many more things: sent or received something, read or written its disk.
    After(u32),
    /// In the midst of a commit, after so many others.
    InCommit(u32),
}

/// How a source misbehaves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Misbehaviour {
    /// It answers with this status.
    Status(u16),
    /// It wants quiet for so many seconds, with 429 or 503.
    Busy(u16, u32),
    /// Its answer breaks off.
    Truncated,
    /// It shows something that is no feed.
    Garbage,
    /// It shows an empty feed.
    Empty,
    /// Every item is in its document twice.
    Repeats,
    /// The dates of its items are wrong.
    WrongDates,
    /// It takes so many seconds to answer.
    Slow(u32),
    /// It answers that nothing has changed, whatever it is asked.
    NotModified,
}

impl Plan {
    /// What a seed means.
    pub fn draw(seed: u64) -> Self {
        let mut chance = Chance::new(seed, "plan", 0);
        let count = 3 + chance.below(3);
        let open = 20 - count;
        let sources: Vec<_> = (0..20).map(|number| source(&mut chance, number >= open)).collect();
        let nodes = (0..count).map(|node| self::node(&mut chance, node, count, open)).collect();
        let engine = if chance.happens(0.15) { Engine::Redb } else { Engine::Model };
        let least = chance.between(0.001, 0.05);
        let mut plan = Self {
            seed,
            engine,
            nodes,
            sources,
            faults: Vec::new(),
            delay: (least, least + chance.between(0.001, 0.3)),
            spacing: chance.between(1.0, 5.0),
            floor: (chance.between(5.0, 15.0) * MINUTE).round(),
            budget: chance.between(1.0, 3.0),
            calm: TROUBLED + AFTERMATH,
            latest: LATEST,
        };
        plan.draw_faults(&mut Chance::new(seed, "faults", 0));
        plan
    }

    /// The same world with its trouble over after so many hours.
    #[must_use]
    pub fn within(mut self, hours: f64) -> Self {
        let end = (hours * HOUR).min(TROUBLED);
        self.calm = end + AFTERMATH;
        for source in &mut self.sources {
            source.times.retain(|at| *at < self.calm);
        }
        self.faults.retain_mut(|fault| {
            fault.last_until(end);
            fault.at < end
        });
        self
    }

    fn draw_faults(&mut self, chance: &mut Chance) {
        let (nodes, sources) = (self.nodes.len(), self.sources.len());
        // Machines are numbered: the nodes first, then the one on which all readers are.
        let machines = nodes + 1;
        for kind in 0..7 {
            // Some seeds have none of a kind, others many.
            let many = match chance.below(3) {
                0 => continue,
                1 => chance.between(1.0, 6.0),
                _ => chance.between(6.0, 24.0),
            };
            let mut at = 0.0;
            loop {
                at += chance.wait(TROUBLED / many);
                if at >= TROUBLED {
                    break;
                }
                let time = chance.wait(20.0 * MINUTE).min(TROUBLED - at);
                let node = chance.below(nodes);
                let what = match kind {
                    0 => death(chance, node, TROUBLED - at),
                    1 => {
                        let (from, to) = (chance.below(machines), chance.below(machines));
                        Trouble::Cut { from, to, time }
                    }
                    2 => Trouble::Reset { one: node, other: chance.below(machines) },
                    3 => Trouble::SlowDisk { node, delay: chance.between(0.01, 3.0), time },
                    4 => Trouble::FullDisk { node, time },
                    5 => {
                        let (source, how) = (chance.below(sources), misbehaviour(chance));
                        Trouble::Source { source, how, time: (3.0 * time).min(TROUBLED - at) }
                    }
                    _ => Trouble::Lie { source: chance.below(sources), time },
                };
                self.faults.push(Fault { at, what });
            }
        }
        self.faults.sort_by(|a, b| a.at.total_cmp(&b.at));
    }
}

fn source(chance: &mut Chance, secret: bool) -> SourcePlan {
    let site = chance.below(12);
    let window = 5 + chance.below(25);
    let mean = 24.0 * HOUR / chance.between(2.0, 30.0);
    let mut times = Vec::new();
    // Some items are there from the beginning.
    let mut at = -HOUR * chance.between(0.0, 24.0);
    loop {
        // Now and then several at once.
        for _ in 0..1 + if chance.happens(0.1) { chance.below(4) } else { 0 } {
            times.push(at);
        }
        at += chance.wait(mean);
        if at >= TROUBLED + AFTERMATH {
            break;
        }
    }
    SourcePlan { site, window, times, validators: chance.happens(0.7), secret }
}

fn node(chance: &mut Chance, node: usize, count: usize, open: usize) -> NodePlan {
    let sources = (0..open).filter(|_| chance.happens(0.35)).collect();
    // A ring, so that everything gets everywhere and comes back, and some ways across it.
    let next = (node + 1) % count;
    let others = (0..count).filter(|other| *other != node);
    let upstream = others.filter(|other| *other == next || chance.happens(0.25)).collect();
    let cooperate = ["\"hints\", \"archive\"", "\"hints\", \"archive\", \"watch\"", "\"archive\""];
    let cooperate = cooperate[chance.below(cooperate.len())];
    let cycle = chance.between(10.0, 60.0).round();
    NodePlan { sources, secret: open + node, upstream, cooperate, cycle }
}

fn death(chance: &mut Chance, node: usize, left: f64) -> Trouble {
    let death = if chance.happens(0.5) { Death::Killed } else { Death::PowerCut };
    // Soon in some cases and in the midst of some work in others.
    let most = if chance.happens(0.5) { 5 } else { 200 };
    let moment = match chance.below(3) {
        0 => Moment::InCommit(chance.below(4) as u32),
        _ => Moment::After(chance.below(most) as u32),
    };
    // Long enough to leave sites alone, as the next life does not know when they were asked last.
    let down = 6.0 + chance.wait(5.0 * MINUTE).min(left);
    let clock = match chance.below(4) {
        0 => chance.between(-2.0, 2.0) * HOUR,
        1 => chance.between(-5.0, 5.0),
        _ => 0.0,
    };
    Trouble::Death { node, moment, death, down, clock }
}

fn misbehaviour(chance: &mut Chance) -> Misbehaviour {
    match chance.below(12) {
        0 => Misbehaviour::Status(500),
        1 => Misbehaviour::Status(404),
        2 => Misbehaviour::Status(403),
        3 => Misbehaviour::Busy(429, 60 + chance.below(7_200) as u32),
        4 => Misbehaviour::Busy(503, 60 + chance.below(7_200) as u32),
        5 => Misbehaviour::Truncated,
        6 => Misbehaviour::Garbage,
        7 => Misbehaviour::Empty,
        8 => Misbehaviour::Repeats,
        9 => Misbehaviour::WrongDates,
        10 => Misbehaviour::Slow(1 + chance.below(60) as u32),
        _ => Misbehaviour::NotModified,
    }
}

impl Fault {
    /// It is over by then.
    fn last_until(&mut self, end: f64) {
        let left = end - self.at;
        match &mut self.what {
            Trouble::Cut { time, .. }
            | Trouble::SlowDisk { time, .. }
            | Trouble::FullDisk { time, .. }
            | Trouble::Source { time, .. }
            | Trouble::Lie { time, .. } => *time = time.min(left),
            Trouble::Death { .. } | Trouble::Reset { .. } => {}
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:>10.1} {:?}", self.at, self.what)
    }
}
