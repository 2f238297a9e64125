//! How much of what a feed wants arrives there.
//!
//! Of a source's keywords a feed wants those that are in both profiles. An item about one of them arrives
//! only if every feed on the path wants that keyword, too: a parent that filters more narrowly than its
//! child starves the child. The share of the wanted keywords that arrive is the reach.

use crate::graph::{Graph, Vertex};
use crate::mesh::Mesh;

/// How much of a source arrives at a feed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    pub feed: u32,
    pub source: u32,
    /// Keywords of the source that the feed wants.
    pub wanted: u32,
    /// How many of these every feed on the path lets through.
    pub arrive: u32,
}

impl Reach {
    /// From 0 (nothing arrives) to 1. It is 1 for a feed that wants nothing of the source.
    pub fn share(&self) -> f64 {
        if self.wanted == 0 { 1.0 } else { f64::from(self.arrive) / f64::from(self.wanted) }
    }
}

/// Calls `show` with the reach of every feed in every tree that it has joined, in the order of the edges.
pub fn each(mesh: &Mesh, graph: &Graph, mut show: impl FnMut(Reach)) {
    const NONE: usize = usize::MAX;
    let mut bit_of = vec![NONE; mesh.dictionary.len()];
    // Where the set of each feed begins. A parent joins before its children, so values left over from an
    // earlier tree are never read.
    let mut begins = vec![0_usize; mesh.feeds.len()];
    let (mut sets, mut wants): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
    for tree in graph.edges.chunk_by(|a, b| a.source == b.source) {
        let source = &mesh.sources[tree[0].source as usize].profile;
        source.keywords().iter().enumerate().for_each(|(bit, &word)| bit_of[word as usize] = bit);
        let width = source.len().div_ceil(64);
        sets.clear();
        for edge in tree {
            wants.clear();
            wants.resize(width, 0);
            let words = mesh.feeds[edge.to as usize].profile.keywords().iter();
            for bit in words.map(|&word| bit_of[word as usize]).filter(|&bit| bit != NONE) {
                wants[bit / 64] |= 1 << (bit % 64);
            }
            let wanted = count(&wants);
            if let Vertex::Feed(parent) = edge.from {
                let from = begins[parent as usize];
                wants.iter_mut().zip(&sets[from..]).for_each(|(mine, theirs)| *mine &= theirs);
            }
            begins[edge.to as usize] = sets.len();
            sets.extend_from_slice(&wants);
            show(Reach { feed: edge.to, source: edge.source, wanted, arrive: count(&wants) });
        }
        source.keywords().iter().for_each(|&word| bit_of[word as usize] = NONE);
    }
}

fn count(set: &[u64]) -> u32 {
    set.iter().map(|bits| bits.count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng as _;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::grow::{Rules, grow};
    use crate::synthetic::Synthetic;

    fn all(mesh: &Mesh, graph: &Graph) -> Vec<Reach> {
        let mut reaches = Vec::new();
        each(mesh, graph, |reach| reaches.push(reach));
        reaches
    }

    /// By definition: follows the path upwards for every wanted keyword.
    fn plainly(mesh: &Mesh, graph: &Graph) -> Vec<Reach> {
        let profile = |feed: u32| &mesh.feeds[feed as usize].profile;
        let parent = |feed: u32, source: u32| {
            graph.edges.iter().find(|edge| (edge.to, edge.source) == (feed, source)).unwrap().from
        };
        let arrives = |feed: u32, source: u32, word: &u32| {
            let mut at = parent(feed, source);
            while let Vertex::Feed(above) = at {
                if profile(above).keywords().binary_search(word).is_err() {
                    return false;
                }
                at = parent(above, source);
            }
            true
        };
        let reach = |edge: &crate::graph::Edge| {
            let wanted = profile(edge.to).intersection(&mesh.sources[edge.source as usize].profile);
            let passes = |word: &&u32| arrives(edge.to, edge.source, word);
            Reach {
                feed: edge.to,
                source: edge.source,
                wanted: wanted.len() as u32,
                arrive: wanted.keywords().iter().filter(passes).count() as u32,
            }
        };
        graph.edges.iter().map(reach).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn what_arrives_is_what_every_feed_on_the_path_wants(
            seed: u64,
            coverage in 0.05..0.9_f64,
            alpha in 1.0..60.0_f64,
        ) {
            // A source has up to 120 keywords, more than fit into one machine word.
            let size = Synthetic { sources: 3, feeds: 50, dictionary: 120, coverage, radius: 0.9 };
            let mesh = size.make(&mut ChaCha8Rng::seed_from_u64(seed)).unwrap();
            let rules = Rules { alpha, ..Rules::default() };
            let graph = grow(&mesh, &rules).unwrap();
            prop_assert_eq!(all(&mesh, &graph), plainly(&mesh, &graph));
            let kept = grow(&mesh, &Rules { keep_reach: true, ..rules }).unwrap();
            prop_assert!(all(&mesh, &kept).iter().all(|reach| reach.arrive == reach.wanted));
        }
    }
}
