//! Growing the graph: one tree per source, all in the same order of feeds.
//!
//! A feed joins the tree of a source if it is within the radius; its parent is the node of the tree that
//! minimises hops + α·distance, ties to fewer hops, then to the earlier node. Because every tree takes
//! the feeds in one order, every edge leads forward in it and the union of the trees has no cycle;
//! [`Graph::check`](crate::graph::Graph::check) looks all the same.
//!
//! Trees know nothing of each other, so they grow on all cores; the result does not depend on how many.

mod near;
#[cfg(test)]
mod plain;
#[cfg(test)]
mod tests;
mod tree;

use rayon::prelude::*;

use crate::graph::{Edge, Graph, Vertex};
use crate::mesh::{Mesh, MeshError};
use crate::profile::jaccard_distance;
use tree::{NoParent, Tree};

/// How a mesh is wired.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// A feed joins the tree of a source that is no farther: 0 (only the same profile) to 1 (all).
    pub radius: f64,
    /// What distance weighs beside hops.
    pub alpha: f64,
    /// Children that one node of a tree may have, the source included.
    pub fan_out: Option<u32>,
    /// Hops from a source at most.
    pub depth: Option<u32>,
    /// Only parents that let through all of the source's keywords that the child wants.
    pub keep_reach: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self { radius: 0.9, alpha: 20.0, fan_out: None, depth: None, keep_reach: false }
    }
}

/// Why a mesh could not be wired.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the parts are")]
pub enum GrowError {
    #[error(transparent)]
    Mesh(#[from] MeshError),
    #[error("the radius is {0}, but it must lie between 0 and 1")]
    Radius(f64),
    #[error("α is {0}, but it must be a number from 0 to 1000000")]
    Alpha(f64),
    #[error("{what} is 0: then no feed could be connected; leave it out for no limit")]
    Limit { what: &'static str },
    #[error(
        "{count} of the feeds have no source within the radius {radius}; feed `{feed}` is nearest to \
         source `{source_name}` at {distance:.3}: raise --radius, or give them keywords of a source"
    )]
    OutOfReach { feed: String, count: usize, radius: f64, source_name: String, distance: f64 },
    #[error(
        "no parent is left for feed `{feed}` in the tree of source `{source_name}`: {reason}; raise \
         --fan-out or --depth{}", keep_reach_hint(*.keep_reach)
    )]
    NoParent { feed: String, source_name: String, reason: &'static str, keep_reach: bool },
}

fn keep_reach_hint(keep_reach: bool) -> &'static str {
    if keep_reach { ", or leave out --keep-reach" } else { "" }
}

impl Rules {
    fn check(&self) -> Result<(), GrowError> {
        if !(0.0..=1.0).contains(&self.radius) {
            return Err(GrowError::Radius(self.radius));
        }
        if !(0.0..=1e6).contains(&self.alpha) {
            return Err(GrowError::Alpha(self.alpha));
        }
        if self.fan_out == Some(0) {
            return Err(GrowError::Limit { what: "--fan-out" });
        }
        if self.depth == Some(0) {
            return Err(GrowError::Limit { what: "--depth" });
        }
        Ok(())
    }
}

/// Wires a mesh.
///
/// # Errors
/// When the mesh or the rules make no sense, or a feed cannot be connected.
pub fn grow(mesh: &Mesh, rules: &Rules) -> Result<Graph, GrowError> {
    rules.check()?;
    mesh.check()?;
    let order = mesh.order();
    let trees: Result<Vec<Vec<Edge>>, GrowError> = (0..mesh.sources.len() as u32)
        .into_par_iter()
        .map(|s| tree_of(mesh, rules, &order, s))
        .collect();
    let edges = trees?.concat();
    let mut connected = vec![false; mesh.feeds.len()];
    edges.iter().for_each(|edge| connected[edge.to as usize] = true);
    match connected.iter().position(|connected| !connected) {
        Some(_) => Err(out_of_reach(mesh, rules, &connected)),
        None => Ok(Graph { edges, order }),
    }
}

/// The edges of one source's tree.
fn tree_of(mesh: &Mesh, rules: &Rules, order: &[u32], source: u32) -> Result<Vec<Edge>, GrowError> {
    let root = &mesh.sources[source as usize];
    let mut marked = vec![false; mesh.dictionary.len()];
    root.profile.keywords().iter().for_each(|&word| marked[word as usize] = true);
    let within = |feed: u32| {
        let profile = &mesh.feeds[feed as usize].profile;
        let shared = profile.keywords().iter().filter(|&&word| marked[word as usize]).count();
        jaccard_distance(root.profile.len(), profile.len(), shared) <= rules.radius
    };
    let joining: Vec<u32> = order.iter().copied().filter(|&feed| within(feed)).collect();
    let mut tree = Tree::new(&root.profile, *rules, mesh.dictionary.len());
    let mut edges = Vec::with_capacity(joining.len());
    for feed in joining {
        let node = &mesh.feeds[feed as usize];
        let (parent, hops) =
            tree.join(&node.profile, feed).map_err(|reason| GrowError::NoParent {
                feed: node.name.clone(),
                source_name: root.name.clone(),
                reason: match reason {
                    NoParent::Full => {
                        "every node in it has as many children or is as deep as allowed"
                    }
                    NoParent::Starving => "those that have room would keep back keywords it wants",
                },
                keep_reach: rules.keep_reach,
            })?;
        let from = parent.map_or(Vertex::Source(source), Vertex::Feed);
        edges.push(Edge { from, to: feed, source, hops });
    }
    Ok(edges)
}

fn out_of_reach(mesh: &Mesh, rules: &Rules, connected: &[bool]) -> GrowError {
    let alone: Vec<&crate::mesh::Feed> = mesh
        .feeds
        .iter()
        .zip(connected)
        .filter_map(|(feed, connected)| (!connected).then_some(feed))
        .collect();
    let feed = alone[0];
    let distances =
        mesh.sources.iter().map(|source| (source.profile.distance(&feed.profile), source));
    let (distance, source) =
        distances.min_by(|a, b| a.0.total_cmp(&b.0)).expect("a checked mesh has sources");
    GrowError::OutOfReach {
        feed: feed.name.clone(),
        count: alone.len(),
        radius: rules.radius,
        source_name: source.name.clone(),
        distance,
    }
}
