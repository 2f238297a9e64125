//! Sets of keywords from a small dictionary, and how sources and readers draw their interests from it.

use rand::{Rng, RngExt};

/// A set of keywords, numbered from 0 to 127.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct KeywordSet(u128);

impl KeywordSet {
    /// The size of the largest dictionary.
    pub const DICTIONARY: usize = 128;

    /// Adds a keyword; numbers beyond the dictionary are ignored.
    pub fn insert(&mut self, keyword: usize) {
        if keyword < Self::DICTIONARY {
            self.0 |= 1 << keyword;
        }
    }

    /// Whether the sets have a keyword in common.
    pub fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The keywords in ascending order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..Self::DICTIONARY).filter(move |keyword| self.0 >> keyword & 1 == 1)
    }

    /// A subset in which each keyword is kept with the given chance.
    pub fn sample(self, chance: f64, random: &mut impl Rng) -> Self {
        let mut kept = Self::default();
        for keyword in self.iter() {
            if random.random_bool(chance) {
                kept.insert(keyword);
            }
        }
        kept
    }

    /// All keywords of a dictionary of `size`.
    pub fn dictionary(size: usize) -> Self {
        let mut all = Self::default();
        (0..size).for_each(|keyword| all.insert(keyword));
        all
    }

    /// Draws exactly `count` different keywords, or all if there are fewer.
    pub fn draw(self, count: usize, random: &mut impl Rng) -> Self {
        let mut pool: Vec<usize> = self.iter().collect();
        let mut drawn = Self::default();
        for _ in 0..count.min(pool.len()) {
            drawn.insert(pool.swap_remove(random.random_range(0..pool.len())));
        }
        drawn
    }
}

/// How a population of sources and one reader draw their interests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interests {
    /// All keywords.
    pub dictionary: usize,
    /// Chance that a source's profile has a keyword.
    pub profile: f64,
    /// Chance that an item carries a keyword of its source's profile.
    pub item: f64,
    /// The number of keywords in the query of the reader.
    pub query: usize,
}

impl Interests {
    /// The setting of "Best-Effort Refresh Strategies for Content-Based RSS Feed Aggregation".
    pub const PUBLISHED: Self = Self { dictionary: 10, profile: 0.5, item: 0.2, query: 4 };

    /// The share of a source's items that have a keyword in common with the query.
    pub fn selectivity(&self, profile: KeywordSet, query: KeywordSet) -> f64 {
        let common = KeywordSet(profile.0 & query.0).len();
        1.0 - (1.0 - self.item).powi(common as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_stream;

    #[test]
    fn a_query_has_exactly_as_many_keywords_as_asked() {
        let mut random = random_stream(1, 0);
        for _ in 0..50 {
            assert_eq!(KeywordSet::dictionary(10).draw(4, &mut random).len(), 4);
        }
        assert_eq!(KeywordSet::dictionary(3).draw(9, &mut random).len(), 3);
    }

    #[test]
    fn selectivity_is_the_chance_of_a_common_keyword() {
        let mut profile = KeywordSet::default();
        [1, 2, 3].into_iter().for_each(|keyword| profile.insert(keyword));
        let mut query = KeywordSet::default();
        [2, 3, 9].into_iter().for_each(|keyword| query.insert(keyword));
        let share = Interests::PUBLISHED.selectivity(profile, query);
        assert!((share - (1.0 - 0.64)).abs() < 1e-12);
        let mut random = random_stream(2, 0);
        let hits = (0..20_000).filter(|_| profile.sample(0.2, &mut random).meets(query)).count();
        assert!((hits as f64 / 20_000.0 - share).abs() < 0.015);
    }
}
