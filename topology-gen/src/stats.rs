//! A graph in numbers.

use pergola_report::{Cell, Column, Report, Table};
use pergola_wiring::graph::{Graph, Link, Vertex};
use pergola_wiring::mesh::Mesh;
use pergola_wiring::reach;
use serde::Serialize;

use crate::hosts::Hosts;
use crate::power_law::{self, PowerLaw};

/// The numbers that describe a graph.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stats {
    pub sources: usize,
    pub feeds: usize,
    pub nodes: usize,
    /// Edges of all trees.
    pub edges: usize,
    /// Pairs of a feed and what it reads, each counted once.
    pub subscriptions: usize,
    /// The most hops from a source to a feed.
    pub depth: u32,
    /// Hops over all edges.
    pub hops: Spread,
    /// How many feeds and sources a feed reads.
    pub in_degree: Spread,
    /// How many feeds read a feed.
    pub out_degree: Spread,
    /// How many feeds read a source.
    pub source_degree: Spread,
    /// The share of the feeds that no other feed reads.
    pub leaves: f64,
    /// How much of what feeds want arrives. `None` if no source has keywords.
    pub reach: Option<ReachStats>,
    /// The tail of the out-degrees of sources and feeds.
    pub tail: Option<PowerLaw>,
    /// Expected requests.
    pub load: Load,
}

/// How values are distributed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    pub mean: f64,
    pub median: f64,
    pub most: f64,
}

/// Reach over all pairs of a feed and a source whose tree it has joined.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReachStats {
    pub mean: f64,
    pub worst: f64,
    /// The feed and the source of the worst pair.
    pub worst_feed: String,
    pub worst_source: String,
    /// The share of pairs in which everything wanted arrives.
    pub whole: f64,
}

/// Requests per hour, if every subscription is refreshed equally often.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Load {
    /// How often a node refreshes each subscription.
    pub refreshes_per_hour: f64,
    /// Requests that a node sends.
    pub sent: Spread,
    /// Requests that a node answers.
    pub answered: Spread,
    /// Requests that a source answers.
    pub source_answered: Spread,
}

impl Spread {
    /// The distribution of whole numbers.
    pub fn of(values: &[u32]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_unstable();
        let Some(&most) = sorted.last() else { return Self::default() };
        let sum: u64 = sorted.iter().map(|&value| u64::from(value)).sum();
        Self {
            mean: sum as f64 / sorted.len() as f64,
            median: f64::from(sorted[(sorted.len() - 1) / 2]),
            most: f64::from(most),
        }
    }

    fn times(self, factor: f64) -> Self {
        Self { mean: self.mean * factor, median: self.median * factor, most: self.most * factor }
    }
}

/// How many feeds read each source, and how many read each feed.
pub fn out_degrees(mesh: &Mesh, links: &[Link]) -> (Vec<u32>, Vec<u32>) {
    let (mut sources, mut feeds) = (vec![0; mesh.sources.len()], vec![0; mesh.feeds.len()]);
    for link in links {
        match link.from {
            Vertex::Source(source) => sources[source as usize] += 1,
            Vertex::Feed(feed) => feeds[feed as usize] += 1,
        }
    }
    (sources, feeds)
}

impl Stats {
    /// Measures a graph.
    pub fn new(
        mesh: &Mesh,
        graph: &Graph,
        links: &[Link],
        hosts: &Hosts,
        refreshes_per_hour: f64,
    ) -> Self {
        let (source_degrees, out_degrees) = out_degrees(mesh, links);
        let mut in_degrees = vec![0; mesh.feeds.len()];
        links.iter().for_each(|link| in_degrees[link.to as usize] += 1);
        let hops: Vec<u32> = graph.edges.iter().map(|edge| edge.hops).collect();
        let leaves = out_degrees.iter().filter(|&&degree| degree == 0).count();
        Self {
            sources: mesh.sources.len(),
            feeds: mesh.feeds.len(),
            nodes: hosts.names.len(),
            edges: graph.edges.len(),
            subscriptions: links.len(),
            depth: hops.iter().copied().max().unwrap_or(0),
            hops: Spread::of(&hops),
            in_degree: Spread::of(&in_degrees),
            out_degree: Spread::of(&out_degrees),
            source_degree: Spread::of(&source_degrees),
            leaves: leaves as f64 / mesh.feeds.len().max(1) as f64,
            reach: ReachStats::new(mesh, graph),
            tail: power_law::fit(&[source_degrees, out_degrees].concat()),
            load: Load::new(mesh, links, hosts, refreshes_per_hour),
        }
    }

    /// The numbers as a table.
    pub fn report(&self) -> Report {
        let number = |value: f64, decimals| Cell::Number { value, decimals };
        let count = |name: &str, value: usize| {
            vec![Cell::Text(name.to_owned()), Cell::Integer(value as i64)]
        };
        let spread = |name: &str, spread: &Spread| {
            let Spread { mean, median, most } = *spread;
            let values = [mean, median, most].map(|value| number(value, 2));
            [vec![Cell::Text(name.to_owned()), Cell::Empty], values.into()].concat()
        };
        let share = |name: &str, value: f64| vec![Cell::Text(name.to_owned()), number(value, 4)];
        let reach = |name: &str, value: fn(&ReachStats) -> f64| {
            let value = self.reach.as_ref().map_or(Cell::Empty, |reach| number(value(reach), 4));
            vec![Cell::Text(name.to_owned()), value]
        };
        let rows = vec![
            count("sources", self.sources),
            count("feeds", self.feeds),
            count("nodes", self.nodes),
            count("edges of all trees", self.edges),
            count("subscriptions", self.subscriptions),
            count("depth", self.depth as usize),
            spread("hops", &self.hops),
            spread("subscriptions of a feed", &self.in_degree),
            spread("readers of a feed", &self.out_degree),
            spread("readers of a source", &self.source_degree),
            share("leaves, share of the feeds", self.leaves),
            reach("reach, mean", |reach| reach.mean),
            reach("reach, worst", |reach| reach.worst),
            reach("reach is whole, share", |reach| reach.whole),
            spread("requests per hour by a node", &self.load.sent),
            spread("requests per hour to a node", &self.load.answered),
            spread("requests per hour to a source", &self.load.source_answered),
        ];
        let columns = vec![
            Column::left(""),
            Column::right("number"),
            Column::right("mean"),
            Column::right("median"),
            Column::right("most"),
        ];
        let mut notes = vec![tail_note(self.tail.as_ref())];
        match &self.reach {
            Some(reach) if reach.worst < 1.0 => notes.push(format!(
                "Worst reach: {} misses part of what it wants from {}. --keep-reach avoids that.",
                reach.worst_feed, reach.worst_source
            )),
            Some(_) => {}
            None => notes.push("No source has keywords, so the reach is not known.".to_owned()),
        }
        notes.push(format!(
            "Requests: with {} refreshes per hour of every subscription of a node.",
            self.load.refreshes_per_hour
        ));
        Report {
            title: "The mesh in numbers".to_owned(),
            notes,
            table: Table { columns, rows },
            json: serde_json::json!(self),
            charts: Vec::new(),
        }
    }
}

/// The fitted tail as a sentence.
pub(crate) fn tail_note(tail: Option<&PowerLaw>) -> String {
    match tail {
        Some(PowerLaw { exponent, from, values, distance }) => format!(
            "The number of readers has a power-law tail with exponent {exponent:.2} from {from} on \
             ({values} values, at most {distance:.3} from the fit)."
        ),
        None => "The numbers of readers are too few or too similar to fit a tail.".to_owned(),
    }
}

impl ReachStats {
    /// `None` if no source has keywords.
    fn new(mesh: &Mesh, graph: &Graph) -> Option<Self> {
        if mesh.sources.iter().all(|source| source.profile.is_empty()) {
            return None;
        }
        let (mut sum, mut whole, mut worst) = (0.0, 0_usize, (f64::INFINITY, 0, 0));
        reach::each(mesh, graph, |reach| {
            let share = reach.share();
            sum += share;
            whole += usize::from(reach.arrive == reach.wanted);
            if share < worst.0 {
                worst = (share, reach.feed, reach.source);
            }
        });
        let pairs = graph.edges.len().max(1) as f64;
        let name = |vertex| match graph.edges.is_empty() {
            true => String::new(),
            false => mesh.name(vertex).to_owned(),
        };
        Some(Self {
            mean: sum / pairs,
            worst: worst.0.min(1.0),
            worst_feed: name(Vertex::Feed(worst.1)),
            worst_source: name(Vertex::Source(worst.2)),
            whole: whole as f64 / pairs,
        })
    }
}

impl Load {
    fn new(mesh: &Mesh, links: &[Link], hosts: &Hosts, refreshes_per_hour: f64) -> Self {
        let (mut sent, mut answered) = (vec![0; hosts.names.len()], vec![0; hosts.names.len()]);
        let mut sources = vec![0; mesh.sources.len()];
        for (node, from) in hosts.fetches(links) {
            sent[node as usize] += 1;
            match from {
                Vertex::Source(source) => sources[source as usize] += 1,
                Vertex::Feed(feed) => answered[hosts.of[feed as usize] as usize] += 1,
            }
        }
        let spread = |fetches: &[u32]| Spread::of(fetches).times(refreshes_per_hour);
        Self {
            refreshes_per_hour,
            sent: spread(&sent),
            answered: spread(&answered),
            source_answered: spread(&sources),
        }
    }
}

#[cfg(test)]
mod tests {
    use pergola_wiring::graph::Edge;
    use pergola_wiring::mesh::{Feed, Source};
    use pergola_wiring::profile::{Dictionary, Profile};

    use super::*;
    use crate::forest::Forest;

    /// s {a,b,c} → wide {a,b} → other {a,c} and narrow {b}. `other` reads t {a,b,c}, too.
    fn small() -> (Mesh, Graph) {
        let mut dictionary = Dictionary::default();
        ["a", "b", "c"].iter().for_each(|word| _ = dictionary.add(word));
        let feed = |name: &str, words: &[u32]| Feed {
            name: name.to_owned(),
            profile: Profile::new(words.to_vec()),
            ..Feed::default()
        };
        let source = |name: &str| Source {
            name: name.to_owned(),
            profile: Profile::new(vec![0, 1, 2]),
            ..Source::default()
        };
        let mesh = Mesh {
            dictionary,
            sources: vec![source("s"), source("t")],
            feeds: vec![feed("wide", &[0, 1]), feed("other", &[0, 2]), feed("narrow", &[1])],
            nodes: Vec::new(),
        };
        let edge = |from, to, source, hops| Edge { from, to, source, hops };
        let edges = vec![
            edge(Vertex::Source(0), 0, 0, 1),
            edge(Vertex::Feed(0), 1, 0, 2),
            edge(Vertex::Feed(0), 2, 0, 2),
            edge(Vertex::Source(1), 1, 1, 1),
        ];
        (mesh, Graph { edges, order: vec![0, 1, 2] })
    }

    #[test]
    fn a_small_graph_has_the_numbers_computed_by_hand() {
        let (mut mesh, graph) = small();
        let links = graph.links();
        let forest = Forest::new(&links);
        let hosts = Hosts::new(&mesh, &forest, None).unwrap();
        let stats = Stats::new(&mesh, &graph, &links, &hosts, 2.0);
        assert_eq!((stats.edges, stats.subscriptions, stats.depth), (4, 4, 2));
        assert_eq!(stats.hops, Spread { mean: 1.5, median: 1.0, most: 2.0 });
        assert_eq!(stats.in_degree, Spread { mean: 4.0 / 3.0, median: 1.0, most: 2.0 });
        assert_eq!(stats.out_degree, Spread { mean: 2.0 / 3.0, median: 0.0, most: 2.0 });
        assert_eq!(stats.leaves, 2.0 / 3.0);
        // `other` wants a and c of s, and `wide` lets only a through.
        let reach = stats.reach.unwrap();
        assert_eq!((reach.worst, reach.whole), (0.5, 0.75));
        assert_eq!((reach.worst_feed.as_str(), reach.mean), ("other", 0.875));
        assert_eq!(stats.load.answered, Spread { mean: 4.0 / 3.0, median: 0.0, most: 4.0 });
        // With `wide` and `other` on one node, only `narrow` sends requests to it.
        mesh.feeds[1].node = Some("wide".to_owned());
        let hosts = Hosts::new(&mesh, &forest, None).unwrap();
        let load = Stats::new(&mesh, &graph, &links, &hosts, 2.0).load;
        assert_eq!(load.answered, Spread { mean: 1.0, median: 0.0, most: 2.0 });
        assert_eq!(load.sent, Spread { mean: 3.0, median: 2.0, most: 4.0 });
    }
}
