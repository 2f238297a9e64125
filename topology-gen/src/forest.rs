//! The backbone of a graph: for each feed only the subscription that carries most sources.
//!
//! The backbone is a forest, which is easier to lay out and to cut into pieces than the union of many trees.
//! Pictures are drawn along it, and feeds that are near in it are put on one node.

use pergola_wiring::graph::{Link, Vertex};

/// The backbone of a graph.
#[derive(Clone, Debug)]
pub struct Forest {
    /// The parent of each feed: the feed or source that brings it most sources.
    pub parents: Vec<Vertex>,
    /// (parent, child), sorted.
    children: Vec<(Vertex, u32)>,
}

impl Forest {
    /// The backbone of these links. They are sorted by the feed that reads, as [`Graph::links`] returns
    /// them, and every feed has at least one.
    ///
    /// [`Graph::links`]: pergola_wiring::graph::Graph::links
    pub fn new(links: &[Link]) -> Self {
        let first_of_most = |links: &[Link]| {
            let most = links.iter().map(|link| link.sources).max();
            links.iter().find(|link| Some(link.sources) == most).map(|link| link.from)
        };
        let parents: Vec<Vertex> =
            links.chunk_by(|a, b| a.to == b.to).filter_map(first_of_most).collect();
        let mut children: Vec<(Vertex, u32)> = parents.iter().copied().zip(0..).collect();
        children.sort_unstable();
        Self { parents, children }
    }

    /// The children of a vertex.
    pub fn children(&self, parent: Vertex) -> impl Iterator<Item = u32> {
        let from = self.children.partition_point(|&(vertex, _)| vertex < parent);
        let children = self.children[from..].iter();
        children.take_while(move |&&(vertex, _)| vertex == parent).map(|&(_, child)| child)
    }

    /// All feeds in depth-first order, tree after tree.
    pub fn walk(&self, sources: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut walk = Vec::with_capacity(self.parents.len());
        for source in sources {
            let mut next: Vec<u32> = self.children(Vertex::Source(source)).collect();
            next.reverse();
            while let Some(feed) = next.pop() {
                walk.push(feed);
                let above = next.len();
                next.extend(self.children(Vertex::Feed(feed)));
                next[above..].reverse();
            }
        }
        walk
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parent_is_where_most_comes_from_and_the_walk_visits_it_before_its_children() {
        let link = |from, to, sources| Link { from, to, sources };
        let (source, feed) = (Vertex::Source, Vertex::Feed);
        let links = [
            link(source(0), 0, 1),
            link(source(0), 1, 1),
            link(feed(0), 1, 2),
            link(source(1), 2, 1),
            link(feed(0), 2, 1),
            link(feed(1), 3, 1),
        ];
        let forest = Forest::new(&links);
        assert_eq!(forest.parents, [source(0), feed(0), source(1), feed(1)]);
        assert_eq!(forest.walk(0..2), [0, 1, 3, 2]);
        assert_eq!(forest.walk([1, 0].into_iter()), [2, 0, 1, 3]);
    }
}
