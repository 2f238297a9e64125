//! Completeness, freshness, delay and cost of a mesh: by hop, by node, and at its ends.

use pergola_refresh::quality::{Delay, completeness};

use super::wiring::{Channel, Reached};
use super::{CYCLE, Mesh, Origins, Settings};

/// The figures of some feeds.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Figures {
    /// The share of the possible items that arrived.
    pub(crate) completeness: f64,
    /// The share of the source's window that the feed holds, averaged over sources and time.
    pub(crate) freshness: f64,
    /// From publication to arrival, in cycles.
    pub(crate) delay: Delay,
    /// Requests per subscription and cycle, pages included.
    pub(crate) requests: f64,
    pub(crate) requests_per_item: f64,
    /// Items delivered while measuring.
    pub(crate) delivered: u64,
}

/// What a play returns.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outcome {
    /// By hops from the source, beginning with the first hop.
    pub(crate) hops: Vec<Figures>,
    pub(crate) nodes: Vec<Figures>,
    /// Of the feeds that no node reads.
    pub(crate) leaves: Figures,
    pub(crate) all: Figures,
    /// Requests per subscription and cycle, including feeds that are not studied.
    pub(crate) cost: f64,
    /// τ of each node at each sample, warm-up included.
    pub(crate) thresholds: Vec<Vec<f64>>,
    /// Refreshes per cycle that each node may spend, at each sample.
    pub(crate) budgets: Vec<Vec<f64>>,
    /// Freshness of each node at each sample while measuring.
    pub(crate) courses: Vec<Vec<f64>>,
    /// The followed items at each feed that can have them.
    pub(crate) followed: Vec<Followed>,
    pub(crate) events: u64,
    /// Subscriptions that decisions have considered.
    pub(crate) weighed: u64,
}

/// Items of one source at one feed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Followed {
    /// The node of the feed, and its hops from the source.
    pub(crate) node: usize,
    pub(crate) hops: u32,
    /// For each item the cycle of its publication and of its arrival; infinite if it never arrived.
    pub(crate) items: Vec<(f64, f64)>,
}

/// Items of the last cycles do not count: they may still be on their way.
const ON_THE_WAY: usize = 50;

/// Sums over feeds that belong together.
#[derive(Default, Clone)]
struct Tally {
    expected: u64,
    /// In cycles. `f32`, because there are many.
    delays: Vec<f32>,
    /// Sum of shares held, and how many.
    held: (f64, u64),
    /// Requests and subscriptions; one that serves several hops is split among them.
    requests: f64,
    subscriptions: f64,
    /// Items that arrived while measuring, whenever they were published.
    delivered: u64,
}

impl Tally {
    fn figures(self, cycles: usize) -> Figures {
        let per = |part: f64, of: f64| if of > 0.0 { part / of } else { 0.0 };
        Figures {
            completeness: completeness(self.delays.len() as u64, self.expected),
            freshness: if self.held.1 == 0 { 1.0 } else { self.held.0 / self.held.1 as f64 },
            delay: Delay::of(self.delays.iter().map(|&delay| f64::from(delay)).collect()),
            requests: per(self.requests, self.subscriptions * cycles as f64),
            requests_per_item: per(self.requests, self.delivered as f64),
            delivered: self.delivered,
        }
    }

    fn add(&mut self, pair: &Pair<'_>) {
        self.expected += pair.expected;
        self.delays.extend(pair.delays.iter().map(|&delay| delay as f32));
        self.held.0 += pair.held.iter().sum::<f64>();
        self.held.1 += pair.held.len() as u64;
        self.delivered += pair.delivered;
    }

    fn spend(&mut self, requests: f64, subscriptions: f64) {
        self.requests += requests;
        self.subscriptions += subscriptions;
    }
}

/// One source at one feed.
struct Pair<'a> {
    expected: u64,
    delays: &'a [f64],
    /// Share held at each sample.
    held: &'a [f64],
    delivered: u64,
}

/// What happened to the items, in virtual time or on real nodes.
pub(crate) struct Record<'a> {
    pub(crate) origins: &'a Origins,
    /// For each feed the numbers of the items that arrived, and when.
    pub(crate) came: Vec<Vec<(u32, f64)>>,
    /// What each node has requested while measuring.
    pub(crate) spent: Vec<Vec<Spent>>,
}

/// Requests for one subscription.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spent {
    pub(crate) channel: Channel,
    /// The feeds that take from it.
    pub(crate) feeds: Vec<u32>,
    /// Pages included.
    pub(crate) requests: u64,
}

/// Measures a record. Figures that only a play knows stay empty.
pub(super) fn measure(mesh: &Mesh, settings: &Settings<'_>, record: &Record<'_>) -> Outcome {
    let mut tallies = Tallies::new(mesh, settings.samples);
    let mut followed = Vec::new();
    let mut desk = Desk::new(settings, record.origins);
    for (number, feed) in mesh.wiring.feeds.iter().enumerate().filter(|(_, feed)| feed.studied) {
        let mut came = record.came[number].clone();
        came.sort_unstable_by_key(|&(item, _)| item);
        for reached in &mesh.reach[number] {
            let items = record.origins.items(reached.source);
            let from = came.partition_point(|&(item, _)| (item as usize) < items.start);
            let to = came.partition_point(|&(item, _)| (item as usize) < items.end);
            desk.read(reached, &came[from..to]);
            if let Some(follow) = settings.follow
                && follow.source.is_none_or(|source| source == reached.source as usize)
            {
                let items = desk.between(follow.from, follow.until);
                followed.push(Followed { node: feed.node as usize, hops: reached.hops, items });
            }
            tallies.deliver(number, reached.hops, &desk.pair());
        }
    }
    for (node, subscriptions) in record.spent.iter().enumerate() {
        subscriptions.iter().for_each(|subscription| tallies.spend(node, subscription));
    }
    Outcome { followed, ..tallies.outcome(settings.measured) }
}

/// All tallies of a mesh.
struct Tallies<'a> {
    mesh: &'a Mesh,
    hops: Vec<Tally>,
    nodes: Vec<Tally>,
    leaves: Tally,
    all: Tally,
    /// For each node the sum of shares held at each sample, and how many shares.
    courses: Vec<(Vec<f64>, u64)>,
    /// Requests and subscriptions of all feeds, studied or not.
    spent: (u64, usize),
}

impl<'a> Tallies<'a> {
    fn new(mesh: &'a Mesh, samples: usize) -> Self {
        let deepest = mesh.reach.iter().flatten().map(|reached| reached.hops).max().unwrap_or(0);
        let nodes = mesh.wiring.nodes.len();
        Self {
            mesh,
            hops: vec![Tally::default(); deepest as usize],
            nodes: vec![Tally::default(); nodes],
            leaves: Tally::default(),
            all: Tally::default(),
            courses: vec![(vec![0.0; samples], 0); nodes],
            spent: (0, 0),
        }
    }

    /// Adds a source as a feed has it, so many hops away.
    fn deliver(&mut self, feed: usize, hops: u32, pair: &Pair<'_>) {
        let node = self.mesh.wiring.feeds[feed].node as usize;
        let (course, count) = &mut self.courses[node];
        course.iter_mut().zip(pair.held).for_each(|(sum, held)| *sum += held);
        *count += 1;
        self.hops[hops as usize - 1].add(pair);
        self.nodes[node].add(pair);
        self.all.add(pair);
        if !self.mesh.read[feed] {
            self.leaves.add(pair);
        }
    }

    /// Adds what a node has requested for a subscription.
    fn spend(&mut self, node: usize, subscription: &Spent) {
        let Self { mesh, spent, .. } = self;
        *spent = (spent.0 + subscription.requests, spent.1 + 1);
        let studied = |feed: &&u32| mesh.wiring.feeds[**feed as usize].studied;
        let Some(&feed) = subscription.feeds.iter().find(studied) else { return };
        let served: Vec<usize> = match subscription.channel {
            Channel::Source(_) => vec![0],
            Channel::Feed(parent) => {
                mesh.reach[parent as usize].iter().map(|reached| reached.hops as usize).collect()
            }
        };
        let requests = subscription.requests as f64;
        let share = 1.0 / served.len() as f64;
        for hop in served {
            if let Some(tally) = self.hops.get_mut(hop) {
                tally.spend(requests * share, share);
            }
        }
        self.nodes[node].spend(requests, 1.0);
        self.all.spend(requests, 1.0);
        if !mesh.read[feed as usize] {
            self.leaves.spend(requests, 1.0);
        }
    }

    fn outcome(self, cycles: usize) -> Outcome {
        let mean = |(course, count): (Vec<f64>, u64)| {
            let share = |sum: f64| if count == 0 { 1.0 } else { sum / count as f64 };
            course.into_iter().map(share).collect()
        };
        let (requests, subscriptions) = self.spent;
        Outcome {
            hops: self.hops.into_iter().map(|tally| tally.figures(cycles)).collect(),
            nodes: self.nodes.into_iter().map(|tally| tally.figures(cycles)).collect(),
            leaves: self.leaves.figures(cycles),
            all: self.all.figures(cycles),
            cost: requests as f64 / (subscriptions * cycles).max(1) as f64,
            courses: self.courses.into_iter().map(mean).collect(),
            ..Outcome::default()
        }
    }
}

/// Measures one source at one feed at a time; its buffers are used again.
struct Desk<'a> {
    origins: &'a Origins,
    /// In seconds: when measuring begins, after when items do not count any more, when measuring ends.
    from: f64,
    counted: f64,
    end: f64,
    window: usize,
    samples: Vec<f64>,
    /// When each item of the source was published and arrived: infinite if it never did, NaN if it cannot.
    arrivals: Vec<(f64, f64)>,
    expected: u64,
    delivered: u64,
    delays: Vec<f64>,
    held: Vec<f64>,
}

impl<'a> Desk<'a> {
    fn new(settings: &Settings<'_>, origins: &'a Origins) -> Self {
        let from = settings.warmup as f64 * CYCLE;
        let counted = settings.measured.saturating_sub(ON_THE_WAY.min(settings.measured / 4));
        let every = settings.sample_every();
        let sample = |n: usize| from + (n + 1) as f64 * every * CYCLE;
        Self {
            origins,
            from,
            counted: from + counted as f64 * CYCLE,
            end: settings.cycles() as f64 * CYCLE,
            window: settings.window,
            samples: (0..settings.samples).map(sample).collect(),
            arrivals: Vec::new(),
            expected: 0,
            delivered: 0,
            delays: Vec::new(),
            held: Vec::new(),
        }
    }

    /// Reads a source as a feed has it: the numbers of its items, and when they arrived.
    fn read(&mut self, reached: &Reached, came: &[(u32, f64)]) {
        let Self { origins, from, counted, end, .. } = *self;
        (self.expected, self.delivered) = (0, 0);
        self.delays.clear();
        self.arrivals.clear();
        let mut came = came.iter().peekable();
        for item in origins.items(reached.source) {
            let published = origins.times[item];
            let arrived = came.next_if(|&&(next, _)| next as usize == item);
            let arrived = match arrived {
                Some(&(_, at)) => at,
                None if reached.has(origins.topics[item]) => f64::INFINITY,
                None => f64::NAN,
            };
            self.arrivals.push((published, arrived));
            self.delivered += u64::from(arrived > from && arrived <= end);
            if published > from && published <= counted && !arrived.is_nan() {
                self.expected += 1;
                if arrived <= end {
                    self.delays.push((arrived - published) / CYCLE);
                }
            }
        }
        self.hold();
    }

    /// The share of the source's window that is held at each sample.
    fn hold(&mut self) {
        self.held.clear();
        let mut shown = 0;
        for &now in &self.samples {
            shown += self.arrivals[shown..].iter().take_while(|(at, _)| *at <= now).count();
            let window = &self.arrivals[shown.saturating_sub(self.window)..shown];
            let (mut expected, mut held) = (0_u32, 0_u32);
            // Items from before the start depend on the first refresh alone: they do not count.
            for (_, arrived) in window.iter().filter(|(at, _)| *at >= 0.0) {
                expected += u32::from(!arrived.is_nan());
                held += u32::from(*arrived <= now);
            }
            self.held.push(if expected == 0 { 1.0 } else { f64::from(held) / f64::from(expected) });
        }
    }

    fn pair(&self) -> Pair<'_> {
        let Self { expected, delivered, .. } = *self;
        Pair { expected, delays: &self.delays, held: &self.held, delivered }
    }

    /// The items published between two cycles: when, and when they arrived.
    fn between(&self, from: f64, to: f64) -> Vec<(f64, f64)> {
        let cycles = self.arrivals.iter().map(|(at, came)| (at / CYCLE, came / CYCLE));
        cycles.filter(|(at, came)| (from..to).contains(at) && !came.is_nan()).collect()
    }
}
