//! One tree while it grows, and the search for a parent in it.
//!
//! The plain search compares a feed with every vertex of the tree. This one finds the same parent and
//! compares few. It starts with vertices whose profile nearly equals the feed's ([`Near`]). The vertices
//! that cannot be found that way it searches level by level from the root down. Once a parent of cost c is
//! known, a vertex at h hops can only win if its distance is below (c − h)/α. So a level with h > c is
//! skipped, and so is a profile too large to be that near. Where the distance must be small, the two must
//! share many keywords, so it is enough to compare the vertices that have one of the rarest of them. Deep
//! levels hold most vertices and demand the smallest distances.
//!
//! Invariants: the vertices of a level are in the order in which they joined, so the sizes of their profiles
//! never increase. Bounds err on the side of comparing too many vertices; the comparison itself is exact.

use rustc_hash::FxHashMap;

use super::level::{Level, Marks, SLACK, Search};
use super::near::{Near, Unseen};
use super::rules::{NoParent, Rules};
use crate::profile::{Profile, jaccard_distance};

/// A tree that grows.
pub(super) struct Tree<'a> {
    root: &'a Profile,
    rules: Rules,
    root_children: u32,
    /// The vertices one hop from the root, two hops, and so on.
    levels: Vec<Level>,
    /// The fewest hops of each profile. Without a limit on children, another vertex with the same profile
    /// and as many hops is never a better parent. Used only if there is no `near`, which knows it, too.
    fewest: FxHashMap<&'a Profile, u32>,
    /// Used only if every vertex can be a parent: a vertex that cannot would hide others that can.
    near: Option<Near>,
    marks: Marks,
}

impl<'a> Tree<'a> {
    /// A tree that consists of its root.
    pub(super) fn new(root: &'a Profile, rules: Rules, dictionary: usize) -> Self {
        let near = (rules.fan_out.is_none() && !rules.keep_reach).then(Near::default);
        let (levels, fewest) = Default::default();
        let marks = Marks::new(dictionary);
        Self { root, rules, root_children: 0, levels, fewest, near, marks }
    }

    /// Adds a feed below its best parent. Returns that parent (`None` is the root) and the feed's hops.
    pub(super) fn join(
        &mut self,
        profile: &'a Profile,
        feed: u32,
    ) -> Result<(Option<u32>, u32), NoParent> {
        self.marks.mark(profile);
        let search = self.search(profile);
        let Some((level, place)) = search.best else {
            return Err(if search.starving { NoParent::Starving } else { NoParent::Full });
        };
        let parent = match level {
            0 => {
                self.root_children += 1;
                None
            }
            _ => Some(self.levels[level - 1].add_child(place)),
        };
        self.insert(profile, feed, level);
        Ok((parent, level as u32 + 1))
    }

    /// Searches for the best parent.
    fn search(&mut self, profile: &Profile) -> Search {
        let wanted = match self.rules.keep_reach {
            true => profile.intersection(self.root).keywords().to_vec(),
            false => Vec::new(),
        };
        let mut search = Search::new(profile.len(), wanted);
        // The root lets everything through.
        if self.rules.fan_out.is_none_or(|most| self.root_children < most) {
            let shared = self.marks.count(self.root.keywords());
            search.cost =
                self.rules.alpha * jaccard_distance(self.root.len(), profile.len(), shared);
            search.best = Some((0, 0));
        }
        self.search_near(profile, &mut search);
        for (hops, level) in (1..).zip(&self.levels) {
            if self.too_deep(hops) || hops as f64 > search.cost + SLACK {
                break;
            }
            let farthest = (search.cost - hops as f64) / self.rules.alpha + SLACK;
            let left = match &mut self.near {
                Some(near) => near.unseen(profile.len(), farthest),
                None => Some(Unseen { shared: 0, size: 0 }),
            };
            // Deeper levels demand smaller distances, so they have nothing left either.
            let Some(left) = left else { break };
            level.search(hops, left, &self.rules, &self.marks, profile, &mut search);
        }
        search
    }

    fn too_deep(&self, hops: usize) -> bool {
        self.rules.depth.is_some_and(|most| hops >= most as usize)
    }

    /// Searches for a parent among the vertices whose profile nearly equals this one. The distance of each
    /// follows from where it was found, so only the best one is compared exactly.
    fn search_near(&self, profile: &Profile, search: &mut Search) {
        let Some(near) = &self.near else { return };
        let (alpha, size) = (self.rules.alpha, profile.len());
        let mut best = (search.cost, u32::MAX, 0);
        near.search(profile, |own, theirs, found| {
            let distance = jaccard_distance(size - own + theirs, size, size - own);
            match found {
                Some((hops, place)) => {
                    let cost = f64::from(hops) + alpha * distance;
                    if (cost, hops, place) < best {
                        best = (cost, hops, place);
                    }
                    true
                }
                None => 1.0 + alpha * distance <= best.0 + SLACK,
            }
        });
        let (_, hops, place) = best;
        if hops != u32::MAX {
            let (hops, place) = (hops as usize, place as usize);
            self.levels[hops - 1].compare(place, hops, &self.rules, &self.marks, search);
        }
    }

    /// Whether an earlier vertex with the same profile and no more hops is always a better parent. If not,
    /// remembers the hops of this one.
    fn is_hidden(&mut self, profile: &'a Profile, hops: u32) -> bool {
        if self.rules.fan_out.is_some() {
            return false;
        }
        if let Some(near) = &self.near {
            return near.fewest(profile).is_some_and(|fewest| fewest <= hops);
        }
        let fewest = self.fewest.entry(profile).or_insert(u32::MAX);
        let hidden = *fewest <= hops;
        *fewest = hops.min(*fewest);
        hidden
    }

    /// Puts a feed into the level below its parent's, unless it can never be a parent itself.
    fn insert(&mut self, profile: &'a Profile, feed: u32, level: usize) {
        let hops = level as u32 + 1;
        if self.is_hidden(profile, hops) || self.too_deep(hops as usize) {
            return;
        }
        if self.levels.len() == level {
            self.levels.push(Level::default());
        }
        let place = self.levels[level].push(profile, feed);
        if let Some(near) = &mut self.near {
            near.insert(profile, hops, place);
        }
    }
}
