//! Which node hosts which feed, and what that means in requests.
//!
//! Feeds of one node read each other for nothing, and a node looks at what it reads once, however many of
//! its feeds want it. So feeds that hang together in the graph belong on one node.

use std::collections::HashMap;

use crate::forest::Forest;
use crate::graph::{Link, Vertex};
use crate::mesh::Mesh;

/// The nodes and what each hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct Hosts {
    /// The nodes' names.
    pub names: Vec<String>,
    /// The node of each feed.
    pub of: Vec<u32>,
}

/// Why feeds could not be put on nodes.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the parts are")]
pub enum HostsError {
    #[error("--nodes is {nodes}, but it must be from 1 to the number of feeds, which is {feeds}")]
    Number { nodes: usize, feeds: usize },
    #[error("the mesh file says which nodes there are; leave out --nodes, or `nodes` in the file")]
    Twice,
}

impl Hosts {
    /// Puts every feed on a node: on the one the mesh says; else, with `nodes` of them or those that the
    /// mesh names, beside what it reads most from; else on one of its own.
    ///
    /// # Errors
    /// When the number makes no sense or contradicts the mesh.
    pub fn new(mesh: &Mesh, forest: &Forest, nodes: Option<usize>) -> Result<Self, HostsError> {
        let feeds = mesh.feeds.len();
        let said = !mesh.nodes.is_empty() || mesh.feeds.iter().any(|feed| feed.node.is_some());
        let names = match nodes {
            Some(_) if said => return Err(HostsError::Twice),
            Some(nodes) if nodes == 0 || nodes > feeds => {
                return Err(HostsError::Number { nodes, feeds });
            }
            Some(nodes) => {
                let digits = (nodes - 1).max(1).ilog10() as usize + 1;
                (0..nodes).map(|n| format!("node-{n:0digits$}")).collect()
            }
            None => mesh.nodes.clone(),
        };
        if names.is_empty() {
            return Ok(Self::of_their_own(mesh));
        }
        Ok(Self::by_affinity(mesh, forest, names))
    }

    fn of_their_own(mesh: &Mesh) -> Self {
        let mut names: Vec<String> = Vec::new();
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let of = mesh
            .feeds
            .iter()
            .map(|feed| {
                let name = feed.node.as_deref().unwrap_or(&feed.name);
                *numbers.entry(name).or_insert_with(|| {
                    names.push(name.to_owned());
                    names.len() as u32 - 1
                })
            })
            .collect();
        Self { names, of }
    }

    /// Fills node after node along the backbone, each with its share.
    fn by_affinity(mesh: &Mesh, forest: &Forest, names: Vec<String>) -> Self {
        let numbers: HashMap<&str, u32> = names.iter().map(String::as_str).zip(0..).collect();
        let said = |feed: &crate::mesh::Feed| {
            feed.node.as_deref().and_then(|node| numbers.get(node)).copied()
        };
        let mut of: Vec<Option<u32>> = mesh.feeds.iter().map(said).collect();
        let mut hosted = vec![0_usize; names.len()];
        of.iter().flatten().for_each(|&node| hosted[node as usize] += 1);
        let share = mesh.feeds.len().div_ceil(names.len());
        let mut node = 0;
        for feed in forest.walk(0..mesh.sources.len() as u32) {
            if of[feed as usize].is_some() {
                continue;
            }
            // Shares add up to at least all feeds, so there is always one with room, or it is the last.
            while hosted[node] >= share && node + 1 < names.len() {
                node += 1;
            }
            of[feed as usize] = Some(node as u32);
            hosted[node] += 1;
        }
        Self { names, of: of.into_iter().map(|node| node.unwrap_or(0)).collect() }
    }

    /// Who looks at whom: (node that looks, what it looks at), each once, without looks at itself.
    pub fn looks(&self, links: &[Link]) -> Vec<(u32, Vertex)> {
        let mut looks: Vec<(u32, Vertex)> = links
            .iter()
            .map(|link| (self.of[link.to as usize], link.from))
            .filter(|&(node, from)| self.host(from) != Some(node))
            .collect();
        looks.sort_unstable();
        looks.dedup();
        looks
    }

    /// The node that is asked for a feed; nothing for a source, which is elsewhere.
    pub fn host(&self, vertex: Vertex) -> Option<u32> {
        match vertex {
            Vertex::Source(_) => None,
            Vertex::Feed(feed) => Some(self.of[feed as usize]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grow::{Rules, grow};
    use crate::synthetic::Synthetic;

    fn mesh(feeds: usize) -> (Mesh, Vec<Link>) {
        let size =
            Synthetic { sources: 4, feeds, dictionary: 60, coverage: 0.2, seed: 7, radius: 0.9 };
        let mesh = size.make().unwrap();
        let links = grow(&mesh, &Rules::default()).unwrap().links();
        (mesh, links)
    }

    #[test]
    fn each_feed_has_a_node_of_its_own_unless_something_is_said() {
        let (mut mesh, links) = mesh(5);
        let forest = Forest::new(&links);
        let hosts = Hosts::new(&mesh, &forest, None).unwrap();
        assert_eq!(hosts.of, [0, 1, 2, 3, 4]);
        assert_eq!(hosts.names[3], mesh.feeds[3].name);
        // Nobody is saved anything: a look per subscription.
        assert_eq!(hosts.looks(&links).len(), links.len());
        mesh.feeds[1].node = Some("here".to_owned());
        mesh.feeds[4].node = Some("here".to_owned());
        let hosts = Hosts::new(&mesh, &forest, None).unwrap();
        assert_eq!(hosts.of, [0, 1, 2, 3, 1]);
        assert_eq!(Hosts::new(&mesh, &forest, Some(2)), Err(HostsError::Twice));
    }

    #[test]
    fn nodes_get_equal_shares_and_feeds_that_hang_together_stay_together() {
        let (mesh, links) = mesh(200);
        let forest = Forest::new(&links);
        let hosts = Hosts::new(&mesh, &forest, Some(8)).unwrap();
        for node in 0..8 {
            assert_eq!(hosts.of.iter().filter(|&&host| host == node).count(), 25);
        }
        let inside = |of: &[u32]| {
            let same = |(feed, parent): (usize, &Vertex)| matches!(parent, Vertex::Feed(p) if of[*p as usize] == of[feed]);
            forest.parents.iter().enumerate().filter(|&pair| same(pair)).count()
        };
        let dealt: Vec<u32> = (0..200).map(|feed| feed % 8).collect();
        assert!(inside(&hosts.of) > 2 * inside(&dealt), "no better than dealing them out");
    }

    #[test]
    fn what_a_mesh_says_is_kept_and_the_rest_fills_up() {
        let (mut mesh, links) = mesh(10);
        mesh.nodes = vec!["a".to_owned(), "b".to_owned()];
        (0..7).for_each(|feed| mesh.feeds[feed].node = Some("b".to_owned()));
        let hosts = Hosts::new(&mesh, &Forest::new(&links), None).unwrap();
        assert_eq!(hosts.of, [1, 1, 1, 1, 1, 1, 1, 0, 0, 0]);
    }

    #[test]
    fn an_impossible_number_of_nodes_is_refused() {
        let (mesh, links) = mesh(5);
        let forest = Forest::new(&links);
        for nodes in [0, 6] {
            let error = Hosts::new(&mesh, &forest, Some(nodes)).unwrap_err();
            assert_eq!(error, HostsError::Number { nodes, feeds: 5 });
        }
    }
}
