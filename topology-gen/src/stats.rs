//! A graph in numbers.

use pergola_report::{Cell, Column, Report, Table};
use serde::Serialize;

use crate::graph::{Graph, Link, Vertex};
use crate::hosts::Hosts;
use crate::mesh::Mesh;
use crate::power_law::{self, PowerLaw};
use crate::reach;

/// What there is to say about a graph.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stats {
    /// How many sources.
    pub sources: usize,
    /// How many feeds.
    pub feeds: usize,
    /// How many nodes host them.
    pub nodes: usize,
    /// Edges of all trees.
    pub edges: usize,
    /// Pairs of a feed and what it reads, each once.
    pub subscriptions: usize,
    /// The most hops from a source to a feed.
    pub depth: u32,
    /// Hops over all edges.
    pub hops: Spread,
    /// What a feed reads.
    pub in_degree: Spread,
    /// Who reads a feed.
    pub out_degree: Spread,
    /// Who reads a source.
    pub source_degree: Spread,
    /// The share of the feeds that nobody reads.
    pub leaves: f64,
    /// How much of what is wanted arrives; nothing if nobody knows what the sources write about.
    pub reach: Option<ReachStats>,
    /// The tail of the out-degrees of sources and feeds.
    pub tail: Option<PowerLaw>,
    /// What nodes and sources have to do.
    pub load: Load,
}

/// How values are spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// Their mean.
    pub mean: f64,
    /// Half of them are no larger.
    pub median: f64,
    /// The largest.
    pub most: f64,
}

/// Reach over all feeds and the sources whose trees they have joined.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReachStats {
    /// Its mean.
    pub mean: f64,
    /// The least.
    pub worst: f64,
    /// A feed that has it.
    pub worst_feed: String,
    /// From this source.
    pub worst_source: String,
    /// The share of pairs in which everything wanted arrives.
    pub whole: f64,
}

/// Requests an hour, every subscription being looked at so often.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Load {
    /// Looks an hour at whatever a node reads.
    pub looks_per_hour: f64,
    /// What a node asks others.
    pub asked: Spread,
    /// What others ask a node.
    pub answered: Spread,
    /// What nodes ask a source.
    pub sources_asked: Spread,
}

impl Spread {
    /// Of whole numbers.
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

/// How many read each source, and how many each feed.
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
    /// Counts everything.
    pub fn new(mesh: &Mesh, graph: &Graph, links: &[Link], hosts: &Hosts, looks: f64) -> Self {
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
            reach: mesh
                .sources
                .iter()
                .any(|source| !source.profile.is_empty())
                .then(|| ReachStats::new(mesh, graph)),
            tail: power_law::fit(&[source_degrees, out_degrees].concat()),
            load: Load::new(mesh, links, hosts, looks),
        }
    }

    /// As people read it.
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
            spread("requests an hour by a node", &self.load.asked),
            spread("requests an hour to a node", &self.load.answered),
            spread("requests an hour to a source", &self.load.sources_asked),
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
                "Least arrives at {} of what it wants from {}; --keep-reach lets everything through.",
                reach.worst_feed, reach.worst_source
            )),
            Some(_) => {}
            None => notes.push("What the sources write about is not known, so reach is not.".to_owned()),
        }
        notes.push(format!(
            "Requests: every node looks {} times an hour at whatever its feeds read elsewhere.",
            self.load.looks_per_hour
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

/// The fitted tail in a sentence.
pub(crate) fn tail_note(tail: Option<&PowerLaw>) -> String {
    match tail {
        Some(PowerLaw { exponent, from, values, distance }) => format!(
            "Readers fall off with exponent {exponent:.2} from {from} on ({values} in that tail, at \
             most {distance:.3} from the fit)."
        ),
        None => "Too few different numbers of readers for a tail to be fitted.".to_owned(),
    }
}

impl ReachStats {
    fn new(mesh: &Mesh, graph: &Graph) -> Self {
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
        Self {
            mean: sum / pairs,
            worst: worst.0.min(1.0),
            worst_feed: name(Vertex::Feed(worst.1)),
            worst_source: name(Vertex::Source(worst.2)),
            whole: whole as f64 / pairs,
        }
    }
}

impl Load {
    fn new(mesh: &Mesh, links: &[Link], hosts: &Hosts, looks_per_hour: f64) -> Self {
        let (mut asked, mut answered) = (vec![0; hosts.names.len()], vec![0; hosts.names.len()]);
        let mut sources = vec![0; mesh.sources.len()];
        for (node, from) in hosts.looks(links) {
            asked[node as usize] += 1;
            match from {
                Vertex::Source(source) => sources[source as usize] += 1,
                Vertex::Feed(feed) => answered[hosts.of[feed as usize] as usize] += 1,
            }
        }
        let spread = |looks: &[u32]| Spread::of(looks).times(looks_per_hour);
        Self {
            looks_per_hour,
            asked: spread(&asked),
            answered: spread(&answered),
            sources_asked: spread(&sources),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forest::Forest;
    use crate::graph::Edge;
    use crate::mesh::{Feed, Source};
    use crate::profile::{Dictionary, Profile};

    /// source {a,b,c} → wide {a,b} → {a,c} and {b}; the second also reads the source directly.
    fn small() -> (Mesh, Graph) {
        let mut dictionary = Dictionary::default();
        ["a", "b", "c"].iter().for_each(|word| _ = dictionary.add(word));
        let feed = |name: &str, words: &[u32]| Feed {
            name: name.to_owned(),
            profile: Profile::new(words.to_vec()),
            query: None,
            node: None,
        };
        let source = |name: &str| Source {
            name: name.to_owned(),
            url: None,
            profile: Profile::new(vec![0, 1, 2]),
            items_per_day: None,
            unknown: false,
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
    fn a_small_graph_has_the_numbers_counted_by_hand() {
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
        // With `wide` and `other` on one node, only `narrow` asks it.
        mesh.feeds[1].node = Some("wide".to_owned());
        let hosts = Hosts::new(&mesh, &forest, None).unwrap();
        let load = Stats::new(&mesh, &graph, &links, &hosts, 2.0).load;
        assert_eq!(load.answered, Spread { mean: 1.0, median: 0.0, most: 2.0 });
        assert_eq!(load.asked, Spread { mean: 3.0, median: 2.0, most: 4.0 });
    }
}
