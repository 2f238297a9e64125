//! Learns which share of the items of a source a feed keeps.
//!
//! For each pair of source and feed it counts the items seen and kept; old items count less and less.
//! A prior gives an estimate before the first item.
//!
//! Items seen are counted once for each source, not for each pair: a pair only remembers the count of
//! its source when the pair began, and the aged difference is what the pair has seen. So the cost of an
//! item depends on the feeds that keep it, not on all feeds that read its source.

mod parts;

use rustc_hash::FxHashMap;

use crate::ids::{QueryId, SourceId};
pub use parts::{AgedCount, SelectivityParts};

/// The default half-life of an item in seconds: thirty days.
pub const HALF_LIFE: u32 = 30 * 86_400;

/// The prior: one item kept of two.
const PRIOR_KEPT: f64 = 1.0;
const PRIOR_SEEN: f64 = 2.0;

/// Fewer items than this, weighted by age, are none.
const LEAST_SEEN: f64 = 0.5;

/// Counters for all pairs of source and feed.
#[derive(Clone, Debug, PartialEq)]
pub struct Selectivity {
    half_life: u32,
    sources: FxHashMap<SourceId, Learnt>,
}

/// What was learnt about one source. Its feeds are stored together, because they are used together.
#[derive(Clone, Debug, Default, PartialEq)]
struct Learnt {
    seen: Count,
    /// Sorted by feed.
    pairs: Vec<(QueryId, Pair)>,
}

impl Learnt {
    fn pair(&self, feed: QueryId) -> Option<&Pair> {
        Some(&self.pairs[self.position(feed).ok()?].1)
    }

    /// The pair with a feed; inserts `first` if there is none.
    fn pair_or(&mut self, feed: QueryId, first: Pair) -> &mut Pair {
        let at = self.position(feed).unwrap_or_else(|at| {
            self.pairs.insert(at, (feed, first));
            at
        });
        &mut self.pairs[at].1
    }

    /// The index of a feed, or where to insert it.
    fn position(&self, feed: QueryId) -> Result<usize, usize> {
        self.pairs.binary_search_by_key(&feed, |(feed, _)| *feed)
    }
}

/// An estimate of the share a feed keeps of a source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Items kept, weighted by age.
    pub kept: f64,
    /// Items seen, weighted by age.
    pub seen: f64,
}

impl Estimate {
    /// The expected share, strictly between 0 and 1.
    pub fn share(&self) -> f64 {
        (self.kept + PRIOR_KEPT) / (self.seen + PRIOR_SEEN)
    }

    /// The expected share; nothing while it is not known, because no item was seen.
    pub fn known(&self) -> Option<f64> {
        (self.seen >= LEAST_SEEN).then(|| self.share())
    }

    /// The standard deviation of the share.
    pub fn deviation(&self) -> f64 {
        let share = self.share();
        (share * (1.0 - share) / (self.seen + PRIOR_SEEN + 1.0)).sqrt()
    }

    /// Combines two sources.
    pub fn plus(self, other: Self) -> Self {
        Self { kept: self.kept + other.kept, seen: self.seen + other.seen }
    }

    /// Nothing seen yet.
    pub const NOTHING: Self = Self { kept: 0.0, seen: 0.0 };
}

impl Default for Selectivity {
    fn default() -> Self {
        Self::new(HALF_LIFE)
    }
}

impl Selectivity {
    /// `half_life` is in seconds, at least 1.
    pub fn new(half_life: u32) -> Self {
        Self { half_life: half_life.max(1), sources: FxHashMap::default() }
    }

    /// A feed starts to read a source. Only items from now on count.
    pub fn begin(&mut self, source: SourceId, feed: QueryId, now: i64) {
        let half_life = self.half_life;
        let learnt = self.sources.entry(source).or_default();
        let first = Pair { kept: Count::default(), before: learnt.seen.aged(now, half_life) };
        *learnt.pair_or(feed, first) = first;
    }

    /// A feed stops reading a source.
    pub fn end(&mut self, source: SourceId, feed: QueryId) {
        if let Some(learnt) = self.sources.get_mut(&source)
            && let Ok(at) = learnt.position(feed)
        {
            learnt.pairs.remove(at);
        }
    }

    /// Forgets everything about a source.
    pub fn forget_source(&mut self, source: SourceId) {
        self.sources.remove(&source);
    }

    /// Counts an item of a source, which these feeds kept.
    pub fn observe(
        &mut self,
        source: SourceId,
        kept_by: impl IntoIterator<Item = QueryId>,
        now: i64,
    ) {
        let half_life = self.half_life;
        let learnt = self.sources.entry(source).or_default();
        let before = learnt.seen.aged(now, half_life);
        learnt.seen = before.plus_one();
        for feed in kept_by {
            // A feed that was never begun begins with its first item.
            let first = Pair { kept: Count::default(), before };
            let pair = learnt.pair_or(feed, first);
            pair.kept = pair.kept.aged(now, half_life).plus_one();
        }
    }

    /// The estimate for a pair; [`Estimate::NOTHING`] if it never began.
    pub fn estimate(&self, source: SourceId, feed: QueryId, now: i64) -> Estimate {
        self.estimates(source, [feed], now).next().unwrap_or(Estimate::NOTHING)
    }

    /// The estimates for several feeds that read one source, in the order of the feeds.
    pub fn estimates(
        &self,
        source: SourceId,
        feeds: impl IntoIterator<Item = QueryId>,
        now: i64,
    ) -> impl Iterator<Item = Estimate> {
        let learnt = self.sources.get(&source);
        let aged = move |count: &Count| count.aged(now, self.half_life).count;
        let all = learnt.map_or(0.0, |learnt| aged(&learnt.seen));
        feeds.into_iter().map(move |feed| {
            let Some(pair) = learnt.and_then(|learnt| learnt.pair(feed)) else {
                return Estimate::NOTHING;
            };
            let kept = aged(&pair.kept);
            // The difference of two rounded numbers can be smaller than what was kept.
            Estimate { kept, seen: (all - aged(&pair.before)).max(kept) }
        })
    }
}

/// A number of items, at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Count {
    count: f64,
    at: i64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair {
    kept: Count,
    /// The count of the source when the pair began.
    before: Count,
}

impl Count {
    /// The count at `now`. If the clock goes back, nothing ages.
    fn aged(self, now: i64, half_life: u32) -> Self {
        let elapsed = now.saturating_sub(self.at).max(0);
        if self.count == 0.0 || elapsed == 0 {
            return Self { at: self.at.max(now), ..self };
        }
        let halvings = elapsed as f64 / f64::from(half_life);
        Self { count: self.count * (-halvings).exp2(), at: self.at.max(now) }
    }

    fn plus_one(self) -> Self {
        Self { count: self.count + 1.0, ..self }
    }

    /// Replaces an invalid count, which storage may return.
    fn sane(self) -> Self {
        let good = self.count.is_finite() && self.count >= 0.0;
        Self { count: if good { self.count } else { 0.0 }, ..self }
    }
}
