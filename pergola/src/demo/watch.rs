//! What arrives at each node and by which way, beside what the newsroom knows: the truth that a node in the
//! world never learns.

use std::collections::HashMap;

use pergola_api::Instant;
use pergola_store::archive::{ArchiveError, FeedId, Published, SourceId};
use serde::Serialize;

use super::ledger::Ledger;
use super::tally::Tally;
use super::world::Stage;

/// Items read at a time.
const AT_ONCE: usize = 500;

/// An item that has arrived at a node.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Arrival {
    /// When, in the demonstration's time.
    pub at: Instant,
    /// The node, and its feed.
    pub node: String,
    /// What the source is called that published it.
    pub source: String,
    /// The item's title.
    pub title: String,
    /// The page of the item.
    pub link: String,
    /// Seconds from its publication.
    pub delay: f64,
    /// The nodes it has passed, this one last.
    pub way: Vec<Stop>,
}

/// A node on the way of an item.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stop {
    /// The node.
    pub node: String,
    /// Seconds from where it came from to here.
    pub age: f64,
}

/// How everything stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct State {
    /// The demonstration's time.
    pub at: Instant,
    /// Seconds of that time since the beginning.
    pub lasted: f64,
    /// Items that were published since the beginning and that a node wants.
    pub published: u64,
    /// … of which arrived at the node that asks their source.
    pub delivered: u64,
    /// … of which left their documents unseen.
    pub lost: u64,
    /// Requests to sources.
    pub requests: u64,
    /// Share of them answered by 304.
    pub not_modified: f64,
    /// Half of the items arrived at the first node within so many minutes …
    pub median_delay: Option<f64>,
    /// … and at the last node, by way of others.
    pub median_delay_at_the_end: Option<f64>,
    /// The nodes.
    pub nodes: Vec<NodeState>,
    /// Who reads whom, and what came of it.
    pub links: Vec<LinkState>,
}

/// How a node stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeState {
    /// Its name, and that of its feed.
    pub name: String,
    /// Items in its feed.
    pub items: u64,
    /// τ.
    pub threshold: f64,
    /// Refreshes per minute allowed.
    pub budget: f64,
    /// Requests made.
    pub requests: u64,
    /// Share of its sources' items that it got, as it estimates.
    pub completeness: Option<f64>,
    /// Half of the items were no older when they arrived, in seconds.
    pub median_age: Option<f64>,
}

/// What came over a link.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LinkState {
    /// The source or node that is read.
    pub from: String,
    /// The node that reads.
    pub to: String,
    /// Items that came by this way.
    pub items: u64,
    /// Half of them took no longer from there, in seconds.
    pub median_age: Option<f64>,
    /// Whether an item came since the last check.
    pub lit: bool,
}

/// Follows what arrives.
pub(super) struct Watch {
    began: f64,
    nodes: Vec<Followed>,
    /// The names of nodes by what items carry.
    names: HashMap<String, String>,
    ledger: Ledger,
    /// In the order of the wiring's links.
    links: Vec<Tally>,
}

/// A node that is followed.
struct Followed {
    feed: FeedId,
    next: u64,
    /// By whom items are delivered, as links of the wiring.
    deliverers: HashMap<SourceId, usize>,
    tally: Tally,
}

impl Watch {
    pub(super) fn new(stage: &Stage) -> anyhow::Result<Self> {
        let wiring = &stage.wiring;
        let mut nodes = Vec::new();
        let mut names = HashMap::new();
        for (number, running) in stage.nodes.iter().enumerate() {
            let name = &wiring.mesh.feeds[number].name;
            let card = running.node.feed(name);
            let card = card.ok_or_else(|| anyhow::anyhow!("feed {name} was not created"))?;
            let read = wiring.links.iter().enumerate();
            let read = read.filter(|(_, link)| link.to as usize == number);
            let known = |from| running.node.find_source(&stage.address_of(from)).ok();
            let deliverers =
                read.filter_map(|(index, link)| Some((known(link.from)?, index))).collect();
            names.insert(running.node.id().0, name.clone());
            nodes.push(Followed { feed: card.id, next: 0, deliverers, tally: Tally::default() });
        }
        Ok(Self {
            began: stage.clock.now(),
            nodes,
            names,
            ledger: Ledger::new(stage),
            links: vec![Tally::default(); wiring.links.len()],
        })
    }

    /// What has arrived since the last time, at one node after the other, oldest first; items older than
    /// the demonstration are counted and not shown.
    pub(super) fn arrivals(&mut self, stage: &Stage) -> Result<Vec<Arrival>, ArchiveError> {
        self.links.iter_mut().for_each(|link| link.lit = false);
        self.ledger.update(stage);
        let mut arrivals = Vec::new();
        for number in 0..self.nodes.len() {
            let node = &stage.nodes[number].node;
            loop {
                let (feed, next) = (self.nodes[number].feed, self.nodes[number].next);
                let items = node.items_from(feed, next, AT_ONCE)?;
                let last = items.len() < AT_ONCE;
                for published in items {
                    self.nodes[number].next = published.sequence + 1;
                    arrivals.extend(self.arrival(stage, number, &published));
                }
                if last {
                    break;
                }
            }
        }
        Ok(arrivals)
    }

    fn arrival(&mut self, stage: &Stage, number: usize, published: &Published) -> Option<Arrival> {
        let item = &published.item;
        let link = item.link.as_deref().unwrap_or_default();
        let (source, place) = self.ledger.place(link)?;
        let deliverer = self.nodes[number].deliverers.get(&published.entry.source).copied();
        let ages: Vec<f64> =
            item.ages().map(|age| age.unwrap_or(0).max(0) as f64 / 1000.0).collect();
        let appeared = item.published.map_or(published.entry.at, |at| at.unix() as f64);
        let delay = (published.entry.at - appeared).max(0.0);
        // Older than the demonstration: on the first pages that were read.
        let counts = self.ledger.arrived(stage, source, place, number);
        if let Some(deliverer) = deliverer {
            let age = counts.then(|| ages.last().copied()).flatten();
            self.links[deliverer].count(age);
        }
        self.nodes[number].tally.count(counts.then_some(delay));
        if !counts {
            return None;
        }
        let stops = item.hops.iter().zip(ages).map(|(hop, age)| {
            let name = self.names.get(&hop.node.0);
            Stop { node: name.unwrap_or(&hop.node.0).clone(), age }
        });
        Some(Arrival {
            at: Instant::from_unix(published.entry.at),
            node: stage.wiring.mesh.feeds[number].name.clone(),
            source: stage.wiring.titles[source].clone(),
            title: item.title.as_ref().map(ToString::to_string).unwrap_or_default(),
            link: link.to_owned(),
            delay,
            way: stops.collect(),
        })
    }

    /// How everything stands now.
    pub(super) fn state(&mut self, stage: &Stage) -> State {
        self.ledger.update(stage);
        let counters = stage.newsroom.total_counters();
        let feeds = &stage.wiring.mesh.feeds;
        let nodes: Vec<NodeState> = stage
            .nodes
            .iter()
            .zip(&self.nodes)
            .zip(feeds)
            .map(|((running, followed), feed)| {
                let status = running.node.status();
                NodeState {
                    name: feed.name.clone(),
                    items: followed.next,
                    threshold: status.threshold,
                    budget: status.budget_per_minute,
                    requests: status.refreshes,
                    completeness: status.completeness,
                    median_age: followed.tally.median(),
                }
            })
            .collect();
        let links = stage.wiring.links.iter().zip(&self.links).map(|(link, tally)| LinkState {
            from: stage.wiring.mesh.name(link.from).to_owned(),
            to: feeds[link.to as usize].name.clone(),
            items: tally.items,
            median_age: tally.median(),
            lit: tally.lit,
        });
        let minutes = |node: Option<&NodeState>| Some(node?.median_age? / 60.0);
        let (published, delivered, lost) = self.ledger.sums();
        State {
            at: Instant::from_unix(stage.clock.now()),
            lasted: (stage.clock.now() - self.began).max(1.0),
            published,
            delivered,
            lost,
            requests: counters.requests,
            not_modified: counters.not_modified as f64 / (counters.requests.max(1)) as f64,
            median_delay: minutes(nodes.first()),
            median_delay_at_the_end: minutes(nodes.last()),
            links: links.collect(),
            nodes,
        }
    }
}
