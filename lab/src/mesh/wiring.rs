//! Who reads whom in a simulated mesh: sources, nodes, and the feeds that nodes publish.
//!
//! A feed selects from its inputs, which are sources or other feeds. Feeds of one node read each other for free;
//! every other input costs refreshes. An item is about one topic, and a feed wants some topics or all of them, so
//! it is known in advance what can arrive where ([`Wiring::reach`]).
//!
//! Never: a cycle; a feed without inputs.

use pergola_wiring::graph::{Graph, Vertex};

/// What a node can subscribe to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Channel {
    /// A source outside the mesh.
    Source(u32),
    /// A feed of a node.
    Feed(u32),
}

/// A source outside the mesh.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Origin {
    pub(crate) name: String,
    /// The topics of its items, one for each item.
    pub(crate) topics: Vec<u32>,
}

/// A feed that a node publishes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Feed {
    /// The node that publishes it.
    pub(crate) node: u32,
    pub(crate) inputs: Vec<Channel>,
    /// The topics it wants, in order; by default all.
    pub(crate) wants: Option<Vec<u32>>,
    /// Whether it counts in the figures; a feed that is not studied only uses budget.
    pub(crate) studied: bool,
}

/// Who reads whom.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Wiring {
    pub(crate) sources: Vec<Origin>,
    /// The names of the nodes.
    pub(crate) nodes: Vec<String>,
    /// Each feed after its inputs.
    pub(crate) feeds: Vec<Feed>,
}

/// What of a source can arrive at a feed if nothing is lost.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reached {
    pub(crate) source: u32,
    /// The shortest way from the source to the feed.
    pub(crate) hops: u32,
    /// Which topics of the source arrive, one bit each.
    pub(crate) topics: Box<[u64]>,
}

impl Reached {
    /// Whether an item about the source's topic number `topic` can arrive.
    pub(crate) fn has(&self, topic: u32) -> bool {
        self.topics[topic as usize / 64] & (1 << (topic % 64)) != 0
    }
}

/// The sources of a mesh in which every node relays the same ones, feed by feed, and has some of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Load {
    /// Sources whose items travel through the mesh.
    pub(crate) relayed: usize,
    /// Sources of its own that each node has.
    pub(crate) private: usize,
    /// Relayed sources per feed.
    pub(crate) fan_in: usize,
}

impl Load {
    /// A feed for each relayed source.
    pub(crate) const fn new(relayed: usize, private: usize) -> Self {
        Self { relayed, private, fan_in: 1 }
    }
}

impl Wiring {
    /// `depth` nodes in a row.
    pub(crate) fn chain(depth: usize, load: Load) -> Self {
        let parents: Vec<Vec<usize>> =
            (0..depth).map(|node| node.checked_sub(1).into_iter().collect()).collect();
        Self::of_parents(&parents, load)
    }

    /// A tree: one node reads the sources, and `fan_out` nodes read each node above depth `depth`.
    pub(crate) fn tree(fan_out: usize, depth: usize, load: Load) -> Self {
        let mut parents: Vec<Vec<usize>> = vec![Vec::new()];
        let mut level = 0..1;
        for _ in 1..depth {
            let next = parents.len();
            for parent in level {
                parents.extend((0..fan_out).map(|_| vec![parent]));
            }
            level = next..parents.len();
        }
        Self::of_parents(&parents, load)
    }

    /// One node reads the sources, two nodes read that one, and the last node reads both.
    pub(crate) fn diamond(load: Load) -> Self {
        Self::of_parents(&[vec![], vec![0], vec![0], vec![1, 2]], load)
    }

    /// Nodes by the nodes that they read, which must be earlier ones. A node that reads none reads the sources.
    pub(crate) fn of_parents(parents: &[Vec<usize>], load: Load) -> Self {
        let mut wiring = Self::default();
        let source = |name: String| Origin { name, topics: vec![0] };
        wiring.sources.extend((0..load.relayed).map(|n| source(format!("source-{n}"))));
        let mut first = Vec::with_capacity(parents.len());
        for (node, parents) in parents.iter().enumerate() {
            first.push(wiring.feeds.len());
            wiring.nodes.push(format!("node-{node}"));
            for (group, from) in (0..load.relayed).step_by(load.fan_in).enumerate() {
                let above = |&parent: &usize| Channel::Feed((first[parent] + group) as u32);
                let joined = from..(from + load.fan_in).min(load.relayed);
                let inputs = match parents.as_slice() {
                    [] => joined.map(|source| Channel::Source(source as u32)).collect(),
                    parents => parents.iter().map(above).collect(),
                };
                wiring.feeds.push(Feed { node: node as u32, inputs, wants: None, studied: true });
            }
            if load.private > 0 {
                let from = wiring.sources.len();
                let own = (0..load.private).map(|n| source(format!("node-{node}-{n}")));
                wiring.sources.extend(own);
                let inputs = (from..wiring.sources.len()).map(|n| Channel::Source(n as u32));
                wiring.feeds.push(Feed {
                    node: node as u32,
                    inputs: inputs.collect(),
                    wants: None,
                    studied: false,
                });
            }
        }
        wiring
    }

    /// A graph of topology-gen, each feed on a node of its own.
    pub(crate) fn of_graph(mesh: &pergola_wiring::mesh::Mesh, graph: &Graph) -> Self {
        let mut position = vec![0; mesh.feeds.len()];
        graph.order.iter().zip(0..).for_each(|(&feed, at)| position[feed as usize] = at);
        let mut inputs: Vec<Vec<Channel>> = vec![Vec::new(); mesh.feeds.len()];
        for link in graph.links() {
            inputs[position[link.to as usize] as usize].push(match link.from {
                Vertex::Source(source) => Channel::Source(source),
                Vertex::Feed(feed) => Channel::Feed(position[feed as usize]),
            });
        }
        let source = |source: &pergola_wiring::mesh::Source| Origin {
            name: source.name.clone(),
            topics: source.profile.keywords().to_vec(),
        };
        // A graph holds every feed of the mesh.
        let feeds = graph.order.iter().map(|&feed| &mesh.feeds[feed as usize]).zip(inputs);
        let mut wiring =
            Self { sources: mesh.sources.iter().map(source).collect(), ..Self::default() };
        for (node, (feed, inputs)) in feeds.enumerate() {
            wiring.nodes.push(feed.name.clone());
            let wants = Some(feed.profile.keywords().to_vec());
            wiring.feeds.push(Feed { node: node as u32, inputs, wants, studied: true });
        }
        wiring
    }

    /// The node that publishes a channel; nothing for a source.
    pub(crate) fn host(&self, channel: Channel) -> Option<u32> {
        match channel {
            Channel::Source(_) => None,
            Channel::Feed(feed) => Some(self.feeds[feed as usize].node),
        }
    }

    /// Whether a feed's input costs a refresh. Feeds of the same node read each other for free.
    pub(crate) fn is_refreshed(&self, feed: &Feed, input: Channel) -> bool {
        self.host(input) != Some(feed.node)
    }

    /// For each feed whether another feed reads it.
    pub(crate) fn is_read(&self) -> Vec<bool> {
        let mut read = vec![false; self.feeds.len()];
        for input in self.feeds.iter().flat_map(|feed| &feed.inputs) {
            if let Channel::Feed(feed) = input {
                read[*feed as usize] = true;
            }
        }
        read
    }

    /// What can arrive at each feed, by source.
    pub(crate) fn reach(&self) -> Vec<Vec<Reached>> {
        let mut reach: Vec<Vec<Reached>> = Vec::with_capacity(self.feeds.len());
        for feed in &self.feeds {
            let mut arrived: Vec<Reached> = Vec::new();
            for &input in &feed.inputs {
                let hop = u32::from(self.is_refreshed(feed, input));
                match input {
                    Channel::Source(source) => {
                        arrived.push(self.wanted(feed, source, hop, |_| true));
                    }
                    Channel::Feed(parent) => {
                        arrived.extend(reach[parent as usize].iter().map(|above| {
                            let hops = above.hops + hop;
                            self.wanted(feed, above.source, hops, |topic| above.has(topic))
                        }));
                    }
                }
            }
            arrived.sort_by_key(|reached| reached.source);
            arrived.dedup_by(|next, kept| {
                let same = next.source == kept.source;
                if same {
                    kept.topics.iter_mut().zip(&next.topics).for_each(|(a, b)| *a |= b);
                    kept.hops = kept.hops.min(next.hops);
                }
                same
            });
            arrived.retain(|reached| reached.topics.iter().any(|&bits| bits != 0));
            reach.push(arrived);
        }
        reach
    }

    /// What a feed takes of a source if these topics arrive.
    fn wanted(&self, feed: &Feed, source: u32, hops: u32, comes: impl Fn(u32) -> bool) -> Reached {
        let all = &self.sources[source as usize].topics;
        let mut topics = vec![0; all.len().div_ceil(64)].into_boxed_slice();
        for (number, topic) in all.iter().enumerate() {
            let wants = feed.wants.as_ref().is_none_or(|wants| wants.binary_search(topic).is_ok());
            if wants && comes(number as u32) {
                topics[number / 64] |= 1 << (number % 64);
            }
        }
        Reached { source, hops, topics }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOAD: Load = Load::new(2, 1);

    #[test]
    fn shapes_have_the_nodes_and_hops_that_their_names_say() {
        let chain = Wiring::chain(3, LOAD);
        assert_eq!((chain.nodes.len(), chain.sources.len(), chain.feeds.len()), (3, 5, 9));
        let hops = |wiring: &Wiring, feed: usize| wiring.reach()[feed][0].hops;
        // Two relayed feeds and a private one a node.
        assert_eq!([0, 3, 6].map(|feed| hops(&chain, feed)), [1, 2, 3]);
        assert_eq!(hops(&chain, 8), 1);
        let tree = Wiring::tree(3, 3, Load::new(1, 0));
        assert_eq!(tree.nodes.len(), 1 + 3 + 9);
        assert_eq!(tree.feeds[12].inputs, [Channel::Feed(3)]);
        assert_eq!(tree.is_read(), [vec![true; 4], vec![false; 9]].concat());
        let diamond = Wiring::diamond(Load::new(1, 0));
        assert_eq!(diamond.feeds[3].inputs, [Channel::Feed(1), Channel::Feed(2)]);
        assert_eq!(diamond.reach()[3].len(), 1, "one source, however many ways");
    }

    #[test]
    fn only_topics_that_every_feed_on_the_way_wants_arrive() {
        let origin = Origin { name: "s".to_owned(), topics: (0..70).collect() };
        let feed = |node, input, wants: &[u32]| Feed {
            node,
            inputs: vec![input],
            wants: Some(wants.to_vec()),
            studied: true,
        };
        let wiring = Wiring {
            sources: vec![origin],
            nodes: vec!["a".to_owned(), "b".to_owned()],
            feeds: vec![
                feed(0, Channel::Source(0), &[1, 2, 69]),
                // On the same node: no refresh, no hop.
                feed(0, Channel::Feed(0), &[2, 3, 69]),
                feed(1, Channel::Feed(1), &[69]),
            ],
        };
        let reach = wiring.reach();
        let arrive = |feed: usize| -> Vec<u32> {
            (0..70).filter(|&topic| reach[feed][0].has(topic)).collect()
        };
        assert_eq!([arrive(0), arrive(1), arrive(2)], [vec![1, 2, 69], vec![2, 69], vec![69]]);
        assert_eq!([0, 1, 2].map(|feed| reach[feed][0].hops), [1, 1, 2]);
    }
}
