//! One tree while it grows, and the search for a parent in it.
//!
//! The plain search compares a feed with every node of the tree. This one finds the same parent and looks
//! at few. First at those that nearly have the feed's profile ([`Near`]); then, among those that cannot be
//! found that way, level by level from the root down: once a parent of cost c is known, a node at h hops
//! can only win if its distance is below (c − h)/α. So a level with h > c is never looked at, nor is a
//! profile too large to be that near; and where the distance must be small, the two must share many
//! keywords, so it is enough to look at nodes that have one of the rarest of them. Deep levels, which hold
//! most nodes, are just those that demand the smallest distances.
//!
//! Invariants: the nodes of a level stand in the order in which they joined, so their profiles do not
//! grow; bounds err on the side of looking at too many, the comparison itself is exact.

use rustc_hash::FxHashMap;

use super::Rules;
use super::near::{Near, Unseen};
use crate::profile::{Profile, jaccard_distance};

/// Bounds are loosened by this, far above rounding and far below any difference that counts.
const SLACK: f64 = 1e-9;
/// Looking a node up by keyword costs about this many times as much as passing it in a scan.
const LOOK_UP: usize = 2;

/// Why a feed found no parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoParent {
    /// Nobody has room.
    Full,
    /// Whoever has room would keep back what the feed wants.
    Starving,
}

/// A tree that grows.
pub(super) struct Tree<'a> {
    root: &'a Profile,
    rules: Rules,
    root_children: u32,
    /// One hop from the root, two hops, and so on.
    levels: Vec<Level>,
    /// The fewest hops at which each profile stands; without a limit on children nobody with the same
    /// profile and as many hops is ever a better parent. Only kept where `near` does not know it.
    fewest: FxHashMap<&'a Profile, u32>,
    /// Only where any node can be a parent: one that cannot would hide those that can.
    near: Option<Near>,
    marks: Marks,
}

/// The feed that looks for a parent, and the best found so far.
struct Search {
    /// Keywords of the feed.
    size: usize,
    /// Keywords that its parent must have.
    wanted: Vec<u32>,
    cost: f64,
    /// Level (0 is the root) and place in it.
    best: Option<(usize, usize)>,
    starving: bool,
}

impl<'a> Tree<'a> {
    /// A tree that is its root only.
    pub(super) fn new(root: &'a Profile, rules: Rules, dictionary: usize) -> Self {
        let marks = Marks { stamps: vec![0; dictionary], now: 0 };
        let near = (rules.fan_out.is_none() && !rules.keep_reach).then(Near::default);
        let (levels, fewest) = Default::default();
        Self { root, rules, root_children: 0, levels, fewest, near, marks }
    }

    /// Adds a feed below its best parent; returns that parent (nothing for the root) and the feed's hops.
    pub(super) fn join(
        &mut self,
        profile: &'a Profile,
        feed: u32,
    ) -> Result<(Option<u32>, u32), NoParent> {
        self.marks.mark(profile);
        let wanted = if self.rules.keep_reach {
            profile.intersection(self.root)
        } else {
            Profile::default()
        };
        let mut search = Search {
            size: profile.len(),
            wanted: wanted.keywords().to_vec(),
            cost: f64::INFINITY,
            best: None,
            starving: false,
        };
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
            // Levels farther down demand smaller distances.
            let Some(left) = left else { break };
            level.search(hops, left, &self.rules, &self.marks, profile, &mut search);
        }
        let Some((level, place)) = search.best else {
            return Err(if search.starving { NoParent::Starving } else { NoParent::Full });
        };
        let parent = match level {
            0 => {
                self.root_children += 1;
                None
            }
            _ => {
                let level = &mut self.levels[level - 1];
                level.children[place] += 1;
                Some(level.feeds[place])
            }
        };
        self.insert(profile, feed, level);
        Ok((parent, level as u32 + 1))
    }

    fn too_deep(&self, hops: usize) -> bool {
        self.rules.depth.is_some_and(|most| hops >= most as usize)
    }

    /// Looks for a parent among those that nearly have the profile. How far each is follows from where it
    /// was found, so only the best is looked at; that one exactly.
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

    /// Whether somebody with the same profile and no more hops is always a better parent; if not, this one
    /// is from now on.
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

    /// Puts a feed into the level below its parent's, if it can ever be a parent itself.
    fn insert(&mut self, profile: &'a Profile, feed: u32, level: usize) {
        let hops = level as u32 + 1;
        if self.is_hidden(profile, hops) {
            return;
        }
        if self.too_deep(hops as usize) {
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

/// The nodes at one distance from the root.
#[derive(Default)]
struct Level {
    feeds: Vec<u32>,
    children: Vec<u32>,
    /// Keywords of all nodes, one after the other.
    words: Vec<u32>,
    /// Where the keywords of each node begin, and at last where they end.
    starts: Vec<u32>,
    /// The places of the nodes that have a keyword, in order.
    having: FxHashMap<u32, Vec<u32>>,
}

impl Level {
    /// Adds a node and says at which place.
    fn push(&mut self, profile: &Profile, feed: u32) -> u32 {
        let place = self.feeds.len() as u32;
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        self.feeds.push(feed);
        self.children.push(0);
        self.words.extend_from_slice(profile.keywords());
        self.starts.push(self.words.len() as u32);
        for &word in profile.keywords() {
            self.having.entry(word).or_default().push(place);
        }
        place
    }

    fn size(&self, place: usize) -> usize {
        (self.starts[place + 1] - self.starts[place]) as usize
    }

    fn keywords(&self, place: usize) -> &[u32] {
        &self.words[self.starts[place] as usize..self.starts[place + 1] as usize]
    }

    /// Looks for a better parent among those of these nodes that share and have as much as `left` says.
    fn search(
        &self,
        hops: usize,
        left: Unseen,
        rules: &Rules,
        marks: &Marks,
        profile: &Profile,
        search: &mut Search,
    ) {
        // Sizes fall.
        let end = partition(self.feeds.len(), |place| self.size(place) >= left.size);
        let Some(last) = end.checked_sub(1) else { return };
        // How alike a parent must be: more than that.
        let alike = 1.0 - (search.cost - hops as f64) / rules.alpha - SLACK;
        let alike = if alike.is_finite() { alike.max(0.0) } else { 0.0 };
        // A profile more than 1/alike times as large shares too little, whatever it shares.
        let largest = (search.size as f64 / alike + SLACK) as usize;
        let from = partition(end, |place| self.size(place) > largest);
        if from > last {
            return;
        }
        // What must be shared with the smallest of them, hence with each.
        let sizes = (search.size + self.size(last)) as f64;
        let shared = (alike * sizes / (1.0 + alike) - SLACK).ceil().max(0.0) as usize;
        let shared = shared.max(left.shared);
        if shared > search.size {
            return;
        }
        let all = from..end;
        if shared == 0 {
            return all.for_each(|place| self.compare(place, hops, rules, marks, search));
        }
        // Whoever shares that many has at least one of any `size − shared + 1` of the keywords.
        let empty: &[u32] = &[];
        let mut lists: Vec<&[u32]> = profile
            .keywords()
            .iter()
            .map(|word| self.having.get(word).map_or(empty, Vec::as_slice))
            .map(|list| {
                let first = list.partition_point(|&place| (place as usize) < from);
                let list = &list[first..];
                &list[..list.partition_point(|&place| (place as usize) < end)]
            })
            .collect();
        lists.sort_unstable_by_key(|list| list.len());
        lists.truncate(search.size - shared + 1);
        let looked_up: usize = lists.iter().map(|list| list.len()).sum();
        if looked_up * LOOK_UP < all.len() {
            let places = lists.into_iter().flatten();
            places.for_each(|&place| self.compare(place as usize, hops, rules, marks, search));
        } else {
            all.for_each(|place| self.compare(place, hops, rules, marks, search));
        }
    }

    /// Takes a node as the parent if it is better than the one found so far.
    fn compare(
        &self,
        place: usize,
        hops: usize,
        rules: &Rules,
        marks: &Marks,
        search: &mut Search,
    ) {
        if rules.fan_out.is_some_and(|most| self.children[place] >= most) {
            return;
        }
        let keywords = self.keywords(place);
        let most = keywords.len().min(search.size);
        let cost = |shared| {
            hops as f64 + rules.alpha * jaccard_distance(keywords.len(), search.size, shared)
        };
        if cost(most) > search.cost {
            return;
        }
        let cost = cost(marks.count(keywords));
        // Ties go to fewer hops, then to who came first; not all are looked at in that order.
        let better = cost < search.cost
            || (cost == search.cost && search.best.is_none_or(|best| (hops, place) < best));
        if !better {
            return;
        }
        let starves = search.wanted.iter().any(|word| keywords.binary_search(word).is_err());
        if starves {
            search.starving = true;
            return;
        }
        (search.cost, search.best) = (cost, Some((hops, place)));
    }
}

/// The first of `0..end` for which `before` does not hold.
fn partition(end: usize, before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, end);
    while low < high {
        let middle = low + (high - low) / 2;
        if before(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

/// Which keywords the feed at hand has.
struct Marks {
    stamps: Vec<u32>,
    now: u32,
}

impl Marks {
    fn mark(&mut self, profile: &Profile) {
        self.now += 1;
        for &word in profile.keywords() {
            self.stamps[word as usize] = self.now;
        }
    }

    /// How many of these keywords it has.
    fn count(&self, keywords: &[u32]) -> usize {
        keywords.iter().filter(|&&word| self.stamps[word as usize] == self.now).count()
    }
}
