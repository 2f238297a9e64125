//! Which feed subscribes to what: the union of all trees.

use crate::mesh::Mesh;

/// A source or a feed, by its number in the mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Vertex {
    Source(u32),
    Feed(u32),
}

/// A feed receives the items of one source from a feed or from the source itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub from: Vertex,
    /// The feed that reads.
    pub to: u32,
    /// The source whose tree this edge belongs to.
    pub source: u32,
    /// Hops from that source to the feed that reads.
    pub hops: u32,
}

/// One subscription: all edges between the same two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    pub from: Vertex,
    /// The feed that reads.
    pub to: u32,
    /// How many sources' items it carries.
    pub sources: u32,
}

/// All trees together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// Tree after tree. Within a tree a parent's edge comes before those of its children.
    pub edges: Vec<Edge>,
    /// All feeds in the order in which they joined the trees.
    pub order: Vec<u32>,
}

impl Graph {
    /// The subscriptions, sorted by the feed that reads.
    pub fn links(&self) -> Vec<Link> {
        let mut pairs: Vec<(u32, Vertex)> =
            self.edges.iter().map(|edge| (edge.to, edge.from)).collect();
        pairs.sort_unstable();
        let link = |same: &[(u32, Vertex)]| Link {
            from: same[0].1,
            to: same[0].0,
            sources: same.len() as u32,
        };
        pairs.chunk_by(|a, b| a == b).map(link).collect()
    }

    /// A feed that is on a cycle or behind one, if there is any. A graph that was grown has none.
    pub fn cycle(&self, feeds: usize) -> Option<u32> {
        let Topology { waiting, .. } = Topology::new(feeds, &self.links());
        (0..feeds as u32).find(|&feed| waiting[feed as usize] > 0)
    }
}

/// The number of hops from the sources to each feed by the longest path, if the links have no cycle.
pub fn depths(feeds: usize, links: &[Link]) -> Vec<u32> {
    Topology::new(feeds, links).depths
}

/// The feeds visited in topological order.
struct Topology {
    /// By feed: hops from the sources by the longest path.
    depths: Vec<u32>,
    /// By feed: parents that were never visited, because they are on a cycle or behind one.
    waiting: Vec<u32>,
}

impl Topology {
    /// Visits a feed once all feeds it reads from have been visited.
    fn new(feeds: usize, links: &[Link]) -> Self {
        let mut children: Vec<(u32, u32)> = Vec::new();
        let (mut depths, mut waiting) = (vec![1; feeds], vec![0_u32; feeds]);
        for link in links {
            if let Vertex::Feed(parent) = link.from {
                children.push((parent, link.to));
                waiting[link.to as usize] += 1;
            }
        }
        children.sort_unstable();
        let mut free: Vec<u32> =
            (0..feeds as u32).filter(|&feed| waiting[feed as usize] == 0).collect();
        while let Some(feed) = free.pop() {
            let below = depths[feed as usize] + 1;
            let from = children.partition_point(|&(parent, _)| parent < feed);
            for &(_, child) in children[from..].iter().take_while(|(parent, _)| *parent == feed) {
                let child_at = child as usize;
                depths[child_at] = below.max(depths[child_at]);
                waiting[child_at] -= 1;
                if waiting[child_at] == 0 {
                    free.push(child);
                }
            }
        }
        Self { depths, waiting }
    }
}

impl Mesh {
    /// The name of a source or feed.
    pub fn name(&self, vertex: Vertex) -> &str {
        match vertex {
            Vertex::Source(source) => &self.sources[source as usize].name,
            Vertex::Feed(feed) => &self.feeds[feed as usize].name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(from: Vertex, to: u32, source: u32) -> Edge {
        Edge { from, to, source, hops: 1 }
    }

    #[test]
    fn a_link_counts_the_sources_whose_items_it_carries() {
        let edges = vec![
            edge(Vertex::Source(0), 0, 0),
            edge(Vertex::Feed(0), 1, 0),
            edge(Vertex::Source(1), 0, 1),
            edge(Vertex::Feed(0), 1, 1),
        ];
        let links = Graph { edges, order: vec![0, 1] }.links();
        let link = |from, to, sources| Link { from, to, sources };
        let expected = [
            link(Vertex::Source(0), 0, 1),
            link(Vertex::Source(1), 0, 1),
            link(Vertex::Feed(0), 1, 2),
        ];
        assert_eq!(links, expected);
    }

    #[test]
    fn a_cycle_is_found() {
        let mut graph = Graph { edges: vec![edge(Vertex::Feed(0), 1, 0)], order: vec![0, 1] };
        assert_eq!(graph.cycle(2), None);
        graph.edges.push(edge(Vertex::Feed(1), 0, 1));
        assert_eq!(graph.cycle(2), Some(0));
    }

    #[test]
    fn depth_is_the_longest_path() {
        let edges = vec![
            edge(Vertex::Source(0), 2, 0),
            edge(Vertex::Source(0), 1, 0),
            edge(Vertex::Feed(2), 1, 0),
            edge(Vertex::Source(0), 0, 0),
            edge(Vertex::Feed(1), 0, 0),
        ];
        let links = Graph { edges, order: vec![2, 1, 0] }.links();
        assert_eq!(depths(3, &links), [3, 2, 1]);
    }
}
