//! Of everything a feed reads, the one that brings most: the backbone of the graph.
//!
//! A graph of many trees cannot be laid out or cut into pieces; a forest can. Pictures are drawn along it,
//! and feeds that are near in it are put on one node.

use crate::graph::{Link, Vertex};

/// Every feed below the feed or source over which most sources come to it.
#[derive(Clone, Debug)]
pub struct Forest {
    /// By feed.
    pub parents: Vec<Vertex>,
    /// (parent, child), in order.
    children: Vec<(Vertex, u32)>,
}

impl Forest {
    /// The backbone of these links, which are sorted by reader as [`Graph::links`] has them; every feed
    /// has one.
    ///
    /// [`Graph::links`]: crate::graph::Graph::links
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

    /// Who is right below.
    pub fn children(&self, parent: Vertex) -> impl Iterator<Item = u32> {
        let from = self.children.partition_point(|&(vertex, _)| vertex < parent);
        let children = self.children[from..].iter();
        children.take_while(move |&&(vertex, _)| vertex == parent).map(|&(_, child)| child)
    }

    /// All feeds, each right before what is below it, tree after tree.
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
    fn a_feed_hangs_where_most_comes_from_and_is_met_before_what_hangs_below() {
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
