//! The reference implementation, in quadratic time: compares every feed that joins with every vertex of the
//! tree. [`grow`](super::grow) must give exactly the same edges.

use super::rules::Rules;
use crate::graph::{Edge, Vertex};
use crate::mesh::Mesh;

/// The edges of all trees. `None` if a feed finds no parent in one of them.
pub(super) fn grow_plainly(mesh: &Mesh, rules: &Rules) -> Option<Vec<Edge>> {
    let mut edges = Vec::new();
    for (source, root) in (0..).zip(&mesh.sources) {
        // (vertex, hops, children)
        let mut tree = vec![(Vertex::Source(source), 0, 0)];
        for feed in mesh.order() {
            let profile = &mesh.feeds[feed as usize].profile;
            if root.profile.distance(profile) > rules.radius {
                continue;
            }
            let wanted = profile.intersection(&root.profile);
            let mut best: Option<(f64, u32, usize)> = None;
            for (place, &(vertex, hops, children)) in tree.iter().enumerate() {
                let own = match vertex {
                    Vertex::Source(_) => &root.profile,
                    Vertex::Feed(parent) => &mesh.feeds[parent as usize].profile,
                };
                let full = rules.fan_out.is_some_and(|most| children >= most);
                let deep = rules.depth.is_some_and(|most| hops >= most);
                let starves = rules.keep_reach && wanted.shared(own) < wanted.len();
                let cost = f64::from(hops) + rules.alpha * own.distance(profile);
                let better = best.is_none_or(|(least, fewest, _)| {
                    cost < least || (cost == least && hops < fewest)
                });
                if !full && !deep && !starves && better {
                    best = Some((cost, hops, place));
                }
            }
            let (_, hops, place) = best?;
            tree[place].2 += 1;
            edges.push(Edge { from: tree[place].0, to: feed, source, hops: hops + 1 });
            tree.push((Vertex::Feed(feed), hops + 1, 0));
        }
    }
    Some(edges)
}
