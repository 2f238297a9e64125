//! The nodes of a tree that nearly have a given profile, found without looking at any other.
//!
//! Two profiles that differ in few keywords are equal once those are taken away from both. So every node
//! is kept under each set that is left of its profile when up to a few keywords are taken away; whoever
//! looks for a parent takes up to a few of its own away and looks what is kept under the rest. Under one
//! set, of the nodes that gave up equally many keywords only the first with the fewest hops can be the best
//! parent: they all share the set, and one that shared more would be found under that.
//!
//! Sets are known by 64-bit sums of random numbers, one per keyword. What is found is compared exactly, so
//! a collision can only hide a node, once in many millions of meshes.

mod table;

use crate::profile::Profile;
use table::Table;

/// Under how many sets a node is kept at most.
const SETS: u64 = 16;

/// The nodes of a tree by what is left of their profiles.
#[derive(Default)]
pub(super) struct Near {
    /// Hops and place of the best node for (what is left, how many keywords it gave up).
    kept: Table,
    /// [`unseen`] by size.
    unseen: Vec<Vec<(f64, Unseen)>>,
}

/// What is known of every node that a search cannot have shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unseen {
    /// It shares so many keywords at least.
    pub(super) shared: usize,
    /// It has so many at least.
    pub(super) size: usize,
}

impl Near {
    /// Keeps a node.
    pub(super) fn insert(&mut self, profile: &Profile, hops: u32, place: u32) {
        for given_up in 0..=most_given_up(profile.len()) {
            each_rest(profile.keywords(), given_up, &mut |rest| {
                self.kept.keep(key(rest, given_up), hops, place);
            });
        }
    }

    /// The fewest hops of a node with just this profile.
    pub(super) fn fewest(&self, profile: &Profile) -> Option<u32> {
        let mut fewest = None;
        each_rest(profile.keywords(), 0, &mut |all| fewest = self.kept.get(key(all, 0)));
        fewest.map(|(hops, _)| hops)
    }

    /// Looks for nodes that have all but `own` of the keywords and `theirs` besides, and shows the hops and
    /// place of those that may be best. Before that it asks, by showing nothing, whether such nodes are
    /// still of interest; the more they have besides, the less they are. All nodes at least as large as the
    /// profile are among those shown, or others that are better, except those of [`Near::unseen`].
    pub(super) fn search(
        &self,
        profile: &Profile,
        mut show: impl FnMut(usize, usize, Option<(u32, u32)>) -> bool,
    ) {
        for own in 0..=most_given_up(profile.len()) {
            // Parents are not smaller, so they give up at least as many.
            for theirs in own..=own.max(SETS as usize) {
                if !show(own, theirs, None) {
                    break;
                }
                if theirs <= most_given_up(profile.len() - own + theirs) {
                    each_rest(profile.keywords(), own, &mut |rest| {
                        if let Some(found) = self.kept.get(key(rest, theirs)) {
                            show(own, theirs, Some(found));
                        }
                    });
                }
            }
        }
    }

    /// What is known of nodes that a profile of this size did not see within a distance; nothing if there
    /// are none.
    pub(super) fn unseen(&mut self, size: usize, distance: f64) -> Option<Unseen> {
        while self.unseen.len() <= size {
            self.unseen.push(unseen(self.unseen.len()));
        }
        let within = self.unseen[size].iter().filter(|(nearest, _)| *nearest <= distance);
        within
            .map(|(_, unseen)| *unseen)
            .reduce(|a, b| Unseen { shared: a.shared.min(b.shared), size: a.size.min(b.size) })
    }
}

/// How many keywords a profile of this size gives up at most.
fn most_given_up(size: usize) -> usize {
    let (mut sets, mut ways) = (1, 1);
    for given_up in 1..=size {
        ways = ways * (size - given_up + 1) as u64 / given_up as u64;
        sets += ways;
        if sets > SETS {
            return given_up - 1;
        }
    }
    size
}

/// The distance of a profile of this size from one with which it shares all but `own` of its keywords, and
/// which has `theirs` besides.
fn difference(size: usize, theirs: usize, own: usize) -> f64 {
    if size + theirs == 0 { 1.0 } else { (theirs + own) as f64 / (size + theirs) as f64 }
}

/// The nearest nodes that a profile of this size misses, for each number of keywords it gives up. Whoever
/// has more besides is missed as well, and farther away.
fn unseen(size: usize) -> Vec<(f64, Unseen)> {
    let most = most_given_up(size);
    let missed = |own: usize, theirs: usize| {
        own > most || theirs > most_given_up(size - own + theirs) || theirs > SETS as usize
    };
    let nearest = |own: usize| {
        let theirs = (own..).find(|&theirs| missed(own, theirs)).unwrap_or(usize::MAX);
        let unseen = Unseen { shared: size - own, size: size - own + theirs };
        (difference(size, theirs, own), unseen)
    };
    (0..=size).map(nearest).collect()
}

/// Shows what is left of the keywords when `given_up` of them are taken away, in every way.
fn each_rest(keywords: &[u32], given_up: usize, show: &mut impl FnMut(u64)) {
    let all = keywords.iter().fold(0_u64, |sum, &word| sum.wrapping_add(random(word)));
    take_away(keywords, given_up, all, show);
}

fn take_away(keywords: &[u32], given_up: usize, rest: u64, show: &mut impl FnMut(u64)) {
    if given_up == 0 {
        return show(rest);
    }
    for (index, &word) in keywords.iter().enumerate() {
        if keywords.len() - index < given_up {
            return;
        }
        take_away(&keywords[index + 1..], given_up - 1, rest.wrapping_sub(random(word)), show);
    }
}

fn key(rest: u64, given_up: usize) -> u64 {
    rest ^ random(u32::MAX - given_up as u32)
}

/// A number that looks random, the same for the same word (the finaliser of SplitMix64).
fn random(word: u32) -> u64 {
    let mut z = (u64::from(word) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_keywords_are_given_up_as_the_sets_allow() {
        // All 16 subsets of four; 1 + 5 + 10 of five; 1 + 6 of six, where a second would make 22.
        assert_eq!((most_given_up(1), most_given_up(4), most_given_up(5)), (1, 4, 2));
        assert_eq!((most_given_up(6), most_given_up(15), most_given_up(16)), (1, 1, 0));
    }

    #[test]
    fn what_is_left_does_not_depend_on_the_way() {
        let mut seen = Vec::new();
        each_rest(&[3, 5, 9], 2, &mut |rest| seen.push(rest));
        assert_eq!(seen.len(), 3);
        let mut single = Vec::new();
        for word in [3, 5, 9] {
            each_rest(&[word], 0, &mut |rest| single.push(rest));
        }
        seen.sort_unstable();
        single.sort_unstable();
        assert_eq!(seen, single);
    }

    #[test]
    fn what_was_not_seen_shares_much_and_is_large() {
        let mut near = Near::default();
        // Of six keywords one may be given up. Who has all of three and three besides gives up three; who
        // lacks one of the three and has three others, and hence five, gives up one too many as well.
        assert_eq!(near.unseen(3, 0.49), None);
        assert_eq!(near.unseen(3, 0.5), Some(Unseen { shared: 3, size: 6 }));
        assert_eq!(near.unseen(3, 0.67), Some(Unseen { shared: 2, size: 5 }));
        // Sixteen give up nothing: everybody who has not the same keywords is missed.
        assert_eq!(near.unseen(16, 0.06), Some(Unseen { shared: 16, size: 17 }));
    }

    #[test]
    fn differences_are_jaccard_distances() {
        // {a,b,c,d} and {b,c,d,e,f}: 3 shared of 6.
        assert_eq!(difference(4, 2, 1), 0.5);
        assert_eq!(difference(4, 0, 0), 0.0);
    }
}
