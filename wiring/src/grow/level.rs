//! The vertices at one number of hops from the root, and the search for a parent among them.

use rustc_hash::FxHashMap;

use super::near::Unseen;
use super::rules::Rules;
use crate::profile::{Profile, jaccard_distance};

/// Bounds are loosened by this much: far above rounding errors, far below any difference that matters.
pub(super) const SLACK: f64 = 1e-9;
/// Finding a vertex by keyword costs about this many times as much as passing it in a scan.
const LOOKUP_COST: usize = 2;

/// A search for the parent of a feed, with the best parent found so far.
pub(super) struct Search {
    /// The number of the feed's keywords.
    size: usize,
    /// Keywords that its parent must have.
    wanted: Vec<u32>,
    /// The cost of the best parent.
    pub(super) cost: f64,
    /// The level of the best parent (0 is the root) and its place in that level.
    pub(super) best: Option<(usize, usize)>,
    /// A vertex was refused because it would keep back wanted keywords.
    pub(super) starving: bool,
}

impl Search {
    pub(super) fn new(size: usize, wanted: Vec<u32>) -> Self {
        Self { size, wanted, cost: f64::INFINITY, best: None, starving: false }
    }
}

/// The vertices at one number of hops from the root.
#[derive(Default)]
pub(super) struct Level {
    feeds: Vec<u32>,
    /// The number of children of each vertex.
    children: Vec<u32>,
    /// The keywords of all vertices, one after the other.
    words: Vec<u32>,
    /// Where the keywords of each vertex begin, and at last where they end.
    starts: Vec<u32>,
    /// For each keyword the places of the vertices that have it, ascending.
    having: FxHashMap<u32, Vec<u32>>,
}

impl Level {
    /// Adds a vertex and returns its place.
    pub(super) fn push(&mut self, profile: &Profile, feed: u32) -> u32 {
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

    /// Counts one more child of a vertex and returns its feed.
    pub(super) fn add_child(&mut self, place: usize) -> u32 {
        self.children[place] += 1;
        self.feeds[place]
    }

    fn size(&self, place: usize) -> usize {
        (self.starts[place + 1] - self.starts[place]) as usize
    }

    fn keywords(&self, place: usize) -> &[u32] {
        &self.words[self.starts[place] as usize..self.starts[place + 1] as usize]
    }

    /// Searches for a better parent among the vertices that share at least `left.shared` keywords with the
    /// feed and have at least `left.size`.
    pub(super) fn search(
        &self,
        hops: usize,
        left: Unseen,
        rules: &Rules,
        marks: &Marks,
        profile: &Profile,
        search: &mut Search,
    ) {
        // Sizes never increase.
        let end = partition(self.feeds.len(), |place| self.size(place) >= left.size);
        let Some(last) = end.checked_sub(1) else { return };
        // The similarity that a better parent must exceed.
        let alike = 1.0 - (search.cost - hops as f64) / rules.alpha - SLACK;
        let alike = if alike.is_finite() { alike.max(0.0) } else { 0.0 };
        // A profile more than 1/alike times as large is not similar enough, whatever it shares.
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
        let lists = match shared {
            0 => None,
            // A vertex that shares this many has at least one of any `size − shared + 1` keywords.
            _ => self.rarest(profile, from..end, search.size - shared + 1),
        };
        match lists {
            Some(lists) => lists.into_iter().flatten().for_each(|&place| {
                self.compare(place as usize, hops, rules, marks, search);
            }),
            None => {
                (from..end).for_each(|place| self.compare(place, hops, rules, marks, search));
            }
        }
    }

    /// For the `count` rarest of the profile's keywords the places, within a range, of the vertices that
    /// have them. `None` if a scan of the range is cheaper.
    fn rarest(
        &self,
        profile: &Profile,
        places: std::ops::Range<usize>,
        count: usize,
    ) -> Option<Vec<&[u32]>> {
        let empty: &[u32] = &[];
        let mut lists: Vec<&[u32]> = profile
            .keywords()
            .iter()
            .map(|word| self.having.get(word).map_or(empty, Vec::as_slice))
            .map(|list| {
                let first = list.partition_point(|&place| (place as usize) < places.start);
                let list = &list[first..];
                &list[..list.partition_point(|&place| (place as usize) < places.end)]
            })
            .collect();
        lists.sort_unstable_by_key(|list| list.len());
        lists.truncate(count);
        let found: usize = lists.iter().map(|list| list.len()).sum();
        (found * LOOKUP_COST < places.len()).then_some(lists)
    }

    /// Takes a vertex as the parent if it is better than the best one found so far.
    pub(super) fn compare(
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
        // Ties go to fewer hops, then to the earlier vertex. Vertices are not compared in that order.
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

/// The keywords of the feed that joins, for counting in constant time per keyword.
pub(super) struct Marks {
    stamps: Vec<u32>,
    now: u32,
}

impl Marks {
    pub(super) fn new(dictionary: usize) -> Self {
        Self { stamps: vec![0; dictionary], now: 0 }
    }

    /// Marks the keywords of this profile, and only these.
    pub(super) fn mark(&mut self, profile: &Profile) {
        self.now += 1;
        for &word in profile.keywords() {
            self.stamps[word as usize] = self.now;
        }
    }

    /// How many of these keywords are marked.
    pub(super) fn count(&self, keywords: &[u32]) -> usize {
        keywords.iter().filter(|&&word| self.stamps[word as usize] == self.now).count()
    }
}
