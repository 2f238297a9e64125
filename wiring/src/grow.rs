//! Grows the graph: one tree per source. The feeds join all trees in the same order.
//!
//! A feed joins the tree of every source within the radius. Its parent is the vertex of the tree with the
//! least hops + α·distance. Ties go to fewer hops, then to the earlier vertex. All trees take the feeds in
//! the same order, so every edge leads forward in it and the union of the trees has no cycle.
//!
//! Trees do not depend on each other, so they grow on all cores. The result does not depend on how many.

mod level;
mod near;
#[cfg(test)]
mod plain;
mod rules;
#[cfg(test)]
mod tests;
mod tree;

use rayon::prelude::*;

use crate::graph::{Edge, Graph, Vertex};
use crate::mesh::{Feed, Mesh};
use crate::profile::jaccard_distance;
use tree::Tree;

pub use rules::{GrowError, NoParent, Rules};

/// Wires a mesh.
///
/// # Errors
/// When the mesh or the rules are not valid, or a feed cannot be connected.
pub fn grow(mesh: &Mesh, rules: &Rules) -> Result<Graph, GrowError> {
    rules.check()?;
    mesh.check()?;
    let order = mesh.order();
    let trees: Result<Vec<Vec<Edge>>, GrowError> = (0..mesh.sources.len() as u32)
        .into_par_iter()
        .map(|source| tree_of(mesh, rules, &order, source))
        .collect();
    let edges = trees?.concat();
    let mut connected = vec![false; mesh.feeds.len()];
    edges.iter().for_each(|edge| connected[edge.to as usize] = true);
    match connected.contains(&false) {
        true => Err(out_of_reach(mesh, rules, &connected)),
        false => Ok(Graph { edges, order }),
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
        let Feed { name, profile, .. } = &mesh.feeds[feed as usize];
        let joined = tree.join(profile, feed).map_err(|reason| GrowError::NoParent {
            feed: name.clone(),
            source_name: root.name.clone(),
            reason,
            keep_reach: rules.keep_reach,
        });
        let (parent, hops) = joined?;
        let from = parent.map_or(Vertex::Source(source), Vertex::Feed);
        edges.push(Edge { from, to: feed, source, hops });
    }
    Ok(edges)
}

/// The error for feeds that joined no tree. It names the first one and the source nearest to it.
fn out_of_reach(mesh: &Mesh, rules: &Rules, connected: &[bool]) -> GrowError {
    let feeds = mesh.feeds.iter().zip(connected);
    let alone: Vec<&Feed> =
        feeds.filter_map(|(feed, connected)| (!connected).then_some(feed)).collect();
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
