//! Puts feeds on nodes.
//!
//! Feeds of one node read each other without requests, and a node fetches what it reads once, however many
//! of its feeds want it. So feeds that are near in the graph belong on one node.

use std::collections::HashMap;

use pergola_wiring::graph::{Link, Vertex};
use pergola_wiring::mesh::{Feed, Mesh, numbered_names};

use crate::forest::Forest;

/// The nodes and what each hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct Hosts {
    /// The names of the nodes.
    pub names: Vec<String>,
    /// The node of each feed, by its place in `names`.
    pub of: Vec<u32>,
}

/// Why feeds could not be put on nodes.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum HostsError {
    #[error("--nodes is {nodes}, but it must be from 1 to the number of feeds, which is {feeds}")]
    Number { nodes: usize, feeds: usize },
    #[error("the mesh file lists the nodes; leave out --nodes, or the nodes in the file")]
    Twice,
}

impl Hosts {
    /// Puts every feed on a node. If the mesh names a node for it, on that one. Otherwise, if `nodes` or the
    /// mesh says which nodes there are, with the feeds that it reads most from. Otherwise on one of its own.
    ///
    /// # Errors
    /// When the number is out of range or contradicts the mesh.
    pub fn new(mesh: &Mesh, forest: &Forest, nodes: Option<usize>) -> Result<Self, HostsError> {
        let feeds = mesh.feeds.len();
        let said = !mesh.nodes.is_empty() || mesh.feeds.iter().any(|feed| feed.node.is_some());
        let names = match nodes {
            Some(_) if said => return Err(HostsError::Twice),
            Some(nodes) if nodes == 0 || nodes > feeds => {
                return Err(HostsError::Number { nodes, feeds });
            }
            Some(nodes) => numbered_names("node-", nodes).collect(),
            None => mesh.nodes.clone(),
        };
        if names.is_empty() {
            return Ok(Self::one_each(mesh));
        }
        Ok(Self::by_affinity(mesh, forest, names))
    }

    /// Feeds without a node get a node with their own name.
    fn one_each(mesh: &Mesh) -> Self {
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

    /// Fills node after node along the backbone, each with an equal share.
    fn by_affinity(mesh: &Mesh, forest: &Forest, names: Vec<String>) -> Self {
        let numbers: HashMap<&str, u32> = names.iter().map(String::as_str).zip(0..).collect();
        let said = |feed: &Feed| feed.node.as_deref().and_then(|node| numbers.get(node)).copied();
        let mut of: Vec<Option<u32>> = mesh.feeds.iter().map(said).collect();
        let mut hosted = vec![0_usize; names.len()];
        of.iter().flatten().for_each(|&node| hosted[node as usize] += 1);
        let share = mesh.feeds.len().div_ceil(names.len());
        let mut node = 0;
        for feed in forest.walk(0..mesh.sources.len() as u32) {
            if of[feed as usize].is_some() {
                continue;
            }
            // The shares add up to at least all feeds, so there is a node with room, or this is the last.
            while hosted[node] >= share && node + 1 < names.len() {
                node += 1;
            }
            of[feed as usize] = Some(node as u32);
            hosted[node] += 1;
        }
        Self { names, of: of.into_iter().map(|node| node.unwrap_or(0)).collect() }
    }

    /// What each node has to fetch: (node, what it reads), each pair once, without its own feeds.
    pub fn fetches(&self, links: &[Link]) -> Vec<(u32, Vertex)> {
        let mut fetches: Vec<(u32, Vertex)> = links
            .iter()
            .map(|link| (self.of[link.to as usize], link.from))
            .filter(|&(node, from)| self.host(from) != Some(node))
            .collect();
        fetches.sort_unstable();
        fetches.dedup();
        fetches
    }

    /// The node that hosts a feed. `None` for a source, which is outside the mesh.
    pub fn host(&self, vertex: Vertex) -> Option<u32> {
        match vertex {
            Vertex::Source(_) => None,
            Vertex::Feed(feed) => Some(self.of[feed as usize]),
        }
    }
}

#[cfg(test)]
mod tests {
    use pergola_wiring::grow::{Rules, grow};
    use pergola_wiring::synthetic::Synthetic;
    use rand::SeedableRng as _;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn mesh(feeds: usize) -> (Mesh, Vec<Link>) {
        let size = Synthetic { sources: 4, feeds, dictionary: 60, coverage: 0.2, radius: 0.9 };
        let mesh = size.make(&mut ChaCha8Rng::seed_from_u64(7)).unwrap();
        let links = grow(&mesh, &Rules::default()).unwrap().links();
        (mesh, links)
    }

    #[test]
    fn each_feed_has_a_node_of_its_own_by_default() {
        let (mut mesh, links) = mesh(5);
        let forest = Forest::new(&links);
        let hosts = Hosts::new(&mesh, &forest, None).unwrap();
        assert_eq!(hosts.of, [0, 1, 2, 3, 4]);
        assert_eq!(hosts.names[3], mesh.feeds[3].name);
        // Nothing is shared, so every subscription is fetched on its own.
        assert_eq!(hosts.fetches(&links).len(), links.len());
        mesh.feeds[1].node = Some("here".to_owned());
        mesh.feeds[4].node = Some("here".to_owned());
        let hosts = Hosts::new(&mesh, &forest, None).unwrap();
        assert_eq!(hosts.of, [0, 1, 2, 3, 1]);
        assert_eq!(Hosts::new(&mesh, &forest, Some(2)), Err(HostsError::Twice));
    }

    #[test]
    fn nodes_get_equal_shares_and_near_feeds_stay_together() {
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
    fn nodes_given_by_the_mesh_are_kept_and_other_feeds_fill_them_up() {
        let (mut mesh, links) = mesh(10);
        mesh.nodes = vec!["a".to_owned(), "b".to_owned()];
        (0..7).for_each(|feed| mesh.feeds[feed].node = Some("b".to_owned()));
        let hosts = Hosts::new(&mesh, &Forest::new(&links), None).unwrap();
        assert_eq!(hosts.of, [1, 1, 1, 1, 1, 1, 1, 0, 0, 0]);
    }

    #[test]
    fn a_number_of_nodes_out_of_range_is_refused() {
        let (mesh, links) = mesh(5);
        let forest = Forest::new(&links);
        for nodes in [0, 6] {
            let error = Hosts::new(&mesh, &forest, Some(nodes)).unwrap_err();
            assert_eq!(error, HostsError::Number { nodes, feeds: 5 });
        }
    }
}
