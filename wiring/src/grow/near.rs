//! Finds the vertices of a tree whose profile nearly equals a given one, without scanning the others.
//!
//! Two profiles that differ in few keywords are equal once these are removed from both. So every vertex is
//! stored under each set that remains of its profile when up to a few keywords are removed. The search for a
//! parent removes up to a few keywords of the feed's profile, too, and looks up each set that remains. Among
//! the vertices stored under one set that dropped equally many keywords, only the first one with the fewest
//! hops can be the best parent: they all share this set, and a vertex that shared more would be found under
//! that larger set.
//!
//! A set is identified by a 64-bit sum of random numbers, one per keyword. What is found is then compared
//! exactly, so a collision can only hide a vertex, once in many millions of meshes.

mod table;

use crate::profile::Profile;
use table::Table;

/// The most sets that one vertex is stored under.
const SETS: u64 = 16;

/// The vertices of a tree by what remains of their profiles.
#[derive(Default)]
pub(super) struct Near {
    /// Hops and place of the best vertex for (what remains, how many keywords were dropped).
    kept: Table,
    /// [`unseen`] by size.
    unseen: Vec<Vec<(f64, Unseen)>>,
}

/// What holds for every vertex that a search cannot have found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unseen {
    /// It shares at least this many keywords.
    pub(super) shared: usize,
    /// It has at least this many keywords.
    pub(super) size: usize,
}

impl Near {
    /// Stores a vertex.
    pub(super) fn insert(&mut self, profile: &Profile, hops: u32, place: u32) {
        for dropped in 0..=most_dropped(profile.len()) {
            each_rest(profile.keywords(), dropped, &mut |rest| {
                self.kept.keep(key(rest, dropped), hops, place);
            });
        }
    }

    /// The fewest hops of a vertex with exactly this profile.
    pub(super) fn fewest(&self, profile: &Profile) -> Option<u32> {
        let mut fewest = None;
        each_rest(profile.keywords(), 0, &mut |all| fewest = self.kept.get(key(all, 0)));
        fewest.map(|(hops, _)| hops)
    }

    /// Searches for vertices that lack `own` of the profile's keywords and have `theirs` others, for growing
    /// values of both. Calls `show(own, theirs, None)` to ask whether such vertices are still of interest;
    /// with more other keywords they are less so. Then calls `show(own, theirs, Some((hops, place)))` for
    /// each that may be best. Of the vertices with at least as many keywords as the profile, it shows each
    /// one or a better one, except those of [`Near::unseen`].
    pub(super) fn search(
        &self,
        profile: &Profile,
        mut show: impl FnMut(usize, usize, Option<(u32, u32)>) -> bool,
    ) {
        for own in 0..=most_dropped(profile.len()) {
            // Parents have at least as many keywords, so they drop at least as many.
            for theirs in own..=own.max(SETS as usize) {
                if !show(own, theirs, None) {
                    break;
                }
                if theirs <= most_dropped(profile.len() - own + theirs) {
                    each_rest(profile.keywords(), own, &mut |rest| {
                        if let Some(found) = self.kept.get(key(rest, theirs)) {
                            show(own, theirs, Some(found));
                        }
                    });
                }
            }
        }
    }

    /// What holds for the vertices within a distance that a search for a profile of this size cannot find.
    /// `None` if it finds all of them.
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

/// The most keywords that a profile of this size drops.
fn most_dropped(size: usize) -> usize {
    let (mut sets, mut ways) = (1, 1);
    for dropped in 1..=size {
        ways = ways * (size - dropped + 1) as u64 / dropped as u64;
        sets += ways;
        if sets > SETS {
            return dropped - 1;
        }
    }
    size
}

/// The distance of a profile of this size from one that lacks `own` of its keywords and has `theirs` others.
fn difference(size: usize, theirs: usize, own: usize) -> f64 {
    if size + theirs == 0 { 1.0 } else { (theirs + own) as f64 / (size + theirs) as f64 }
}

/// The nearest vertices that a search for a profile of this size misses, for each number of keywords it
/// drops. A vertex with more other keywords is missed, too, but is farther away.
fn unseen(size: usize) -> Vec<(f64, Unseen)> {
    let most = most_dropped(size);
    let missed = |own: usize, theirs: usize| {
        own > most || theirs > most_dropped(size - own + theirs) || theirs > SETS as usize
    };
    let nearest = |own: usize| {
        let theirs = (own..).find(|&theirs| missed(own, theirs)).unwrap_or(usize::MAX);
        let unseen = Unseen { shared: size - own, size: size - own + theirs };
        (difference(size, theirs, own), unseen)
    };
    (0..=size).map(nearest).collect()
}

/// Shows every set that remains of the keywords when `dropped` of them are removed.
fn each_rest(keywords: &[u32], dropped: usize, show: &mut impl FnMut(u64)) {
    let all = keywords.iter().fold(0_u64, |sum, &word| sum.wrapping_add(random(word)));
    remove(keywords, dropped, all, show);
}

fn remove(keywords: &[u32], dropped: usize, rest: u64, show: &mut impl FnMut(u64)) {
    if dropped == 0 {
        return show(rest);
    }
    for (index, &word) in keywords.iter().enumerate() {
        if keywords.len() - index < dropped {
            return;
        }
        remove(&keywords[index + 1..], dropped - 1, rest.wrapping_sub(random(word)), show);
    }
}

fn key(rest: u64, dropped: usize) -> u64 {
    rest ^ random(u32::MAX - dropped as u32)
}

/// A pseudo-random number, the same for the same word (the finaliser of SplitMix64).
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
    fn as_many_keywords_are_dropped_as_the_number_of_sets_allows() {
        // All 16 subsets of four; 1 + 5 + 10 of five; 1 + 6 of six, where a second would make 22.
        assert_eq!((most_dropped(1), most_dropped(4), most_dropped(5)), (1, 4, 2));
        assert_eq!((most_dropped(6), most_dropped(15), most_dropped(16)), (1, 1, 0));
    }

    #[test]
    fn what_remains_does_not_depend_on_the_order_of_removal() {
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
    fn vertices_that_are_not_found_share_much_and_are_large() {
        let mut near = Near::default();
        // Of six keywords one may be dropped. A vertex with all three keywords and three others would have
        // to drop three. A vertex that lacks one of the three and has three others has five keywords, and it
        // would have to drop one too many, too.
        assert_eq!(near.unseen(3, 0.49), None);
        assert_eq!(near.unseen(3, 0.5), Some(Unseen { shared: 3, size: 6 }));
        assert_eq!(near.unseen(3, 0.67), Some(Unseen { shared: 2, size: 5 }));
        // Of sixteen keywords none is dropped, so a vertex is missed unless its keywords are the same.
        assert_eq!(near.unseen(16, 0.06), Some(Unseen { shared: 16, size: 17 }));
    }

    #[test]
    fn differences_are_jaccard_distances() {
        // {a,b,c,d} and {b,c,d,e,f} share 3 of 6.
        assert_eq!(difference(4, 2, 1), 0.5);
        assert_eq!(difference(4, 0, 0), 0.0);
    }
}
