//! What was learnt, taken apart into plain lists for whoever stores it.

use super::{Count, Pair, Selectivity};
use crate::ids::{QueryId, SourceId};

/// The parts of a [`Selectivity`], in the order of sources and feeds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SelectivityParts {
    /// Seconds after which an item counts half.
    pub half_life: u32,
    /// Items seen of each source.
    pub seen: Vec<(SourceId, AgedCount)>,
    /// For each source and feed: items kept, and items that the source had seen when the feed began to read it.
    pub pairs: Vec<(SourceId, QueryId, [AgedCount; 2])>,
}

/// A number of items as of a time; older items count less.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AgedCount {
    /// How many.
    pub count: f64,
    /// As of this second.
    pub at: i64,
}

impl Selectivity {
    /// Takes it apart.
    pub fn parts(&self) -> SelectivityParts {
        let mut sources: Vec<_> = self.sources.iter().collect();
        sources.sort_unstable_by_key(|(source, _)| **source);
        let seen = sources.iter().map(|(source, learnt)| (**source, learnt.seen.into())).collect();
        let pairs = sources.iter().flat_map(|(source, learnt)| {
            let parts = |pair: &Pair| [pair.kept.into(), pair.before.into()];
            learnt.pairs.iter().map(move |(feed, pair)| (**source, *feed, parts(pair)))
        });
        SelectivityParts { half_life: self.half_life, seen, pairs: pairs.collect() }
    }

    /// Puts it together. A count that is no number of items is forgotten.
    pub fn from_parts(parts: SelectivityParts) -> Self {
        let mut all = Self::new(parts.half_life);
        for (source, count) in parts.seen {
            all.sources.entry(source).or_default().seen = Count::from(count).sane();
        }
        for (source, feed, [kept, before]) in parts.pairs {
            let (kept, before) = (Count::from(kept).sane(), Count::from(before).sane());
            let pair = Pair { kept, before };
            *all.sources.entry(source).or_default().pair_or(feed, pair) = pair;
        }
        all
    }
}

impl From<Count> for AgedCount {
    fn from(Count { count, at }: Count) -> Self {
        Self { count, at }
    }
}

impl From<AgedCount> for Count {
    fn from(AgedCount { count, at }: AgedCount) -> Self {
        Self { count, at }
    }
}
