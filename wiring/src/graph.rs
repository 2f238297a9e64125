//! Who subscribes to whom: the union of all trees.

mod read;
mod write;

use crate::mesh::Mesh;

pub use read::{ReadError, read};

/// Where an edge begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Vertex {
    /// A source, by its number in the mesh.
    Source(u32),
    /// A feed, by its number in the mesh.
    Feed(u32),
}

/// A feed reads from another feed, or from a source, what comes from one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// What is read.
    pub from: Vertex,
    /// The feed that reads.
    pub to: u32,
    /// The source whose tree this edge belongs to.
    pub source: u32,
    /// Hops from that source to the feed that reads.
    pub hops: u32,
}

/// One subscription, whatever comes over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// What is read.
    pub from: Vertex,
    /// The feed that reads.
    pub to: u32,
    /// How many sources come over it.
    pub sources: u32,
}

/// All trees together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// Tree after tree, in the order in which feeds have joined.
    pub edges: Vec<Edge>,
    /// All feeds in the order in which trees were grown.
    pub order: Vec<u32>,
}

impl Graph {
    /// Who reads from whom, each pair once, by reader.
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

    /// Whether items can never run in a circle. True by construction; this looks at the edges alone, by
    /// taking away again and again what nothing leads to.
    pub fn check(&self, feeds: usize) -> bool {
        self.circle(feeds).is_none()
    }

    /// A feed that reads itself through others, or from such a one, if there is any.
    pub fn circle(&self, feeds: usize) -> Option<u32> {
        let mut children: Vec<(u32, u32)> = Vec::new();
        let mut waiting = vec![0_u32; feeds];
        for link in self.links() {
            if let Vertex::Feed(parent) = link.from {
                children.push((parent, link.to));
                waiting[link.to as usize] += 1;
            }
        }
        children.sort_unstable();
        let mut free: Vec<u32> =
            (0..feeds as u32).filter(|&feed| waiting[feed as usize] == 0).collect();
        while let Some(feed) = free.pop() {
            let from = children.partition_point(|&(parent, _)| parent < feed);
            for &(_, child) in children[from..].iter().take_while(|(parent, _)| *parent == feed) {
                waiting[child as usize] -= 1;
                if waiting[child as usize] == 0 {
                    free.push(child);
                }
            }
        }
        (0..feeds as u32).find(|&feed| waiting[feed as usize] > 0)
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
    fn a_link_counts_the_sources_that_come_over_it() {
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
    fn a_circle_is_found() {
        let mut graph = Graph { edges: vec![edge(Vertex::Feed(0), 1, 0)], order: vec![0, 1] };
        assert!(graph.check(2));
        graph.edges.push(edge(Vertex::Feed(1), 0, 1));
        assert!(!graph.check(2));
    }
}
