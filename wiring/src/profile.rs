//! What a source publishes about and what a feed is interested in: sets of keywords.
//!
//! Keywords are numbered once, in a [`Dictionary`]; a [`Profile`] is the sorted numbers, so that two
//! profiles are compared by walking along both.

use rustc_hash::FxHashMap;

/// The keywords of a mesh, each with a number.
#[derive(Clone, Debug, Default)]
pub struct Dictionary {
    words: Vec<String>,
    numbers: FxHashMap<String, u32>,
}

impl Dictionary {
    /// The number of a word, which is added if it is new.
    pub fn add(&mut self, word: &str) -> u32 {
        if let Some(&number) = self.numbers.get(word) {
            return number;
        }
        let number = self.words.len() as u32;
        self.words.push(word.to_owned());
        self.numbers.insert(word.to_owned(), number);
        number
    }

    /// The number of a word, if it is there.
    pub fn number(&self, word: &str) -> Option<u32> {
        self.numbers.get(word).copied()
    }

    /// A word by its number.
    pub fn word(&self, number: u32) -> &str {
        &self.words[number as usize]
    }

    /// All words, by number.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

/// A set of keywords.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Profile(Box<[u32]>);

impl Profile {
    /// The set of these numbers, each counted once.
    pub fn new(mut keywords: Vec<u32>) -> Self {
        keywords.sort_unstable();
        keywords.dedup();
        Self(keywords.into())
    }

    /// The numbers, in order.
    pub fn keywords(&self) -> &[u32] {
        &self.0
    }

    /// How many keywords it has.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Keywords in both.
    pub fn shared(&self, other: &Self) -> usize {
        let (mut mine, mut theirs, mut count) = (&*self.0, &*other.0, 0);
        while let ([a, rest_a @ ..], [b, rest_b @ ..]) = (mine, theirs) {
            count += usize::from(a == b);
            if a <= b {
                mine = rest_a;
            }
            if b <= a {
                theirs = rest_b;
            }
        }
        count
    }

    /// The set of the keywords in both.
    pub fn intersection(&self, other: &Self) -> Self {
        let both = |word: &&u32| other.0.binary_search(word).is_ok();
        Self(self.0.iter().filter(both).copied().collect())
    }

    /// 1 − |A∩B| / |A∪B|; 1 if both are empty.
    pub fn distance(&self, other: &Self) -> f64 {
        jaccard_distance(self.len(), other.len(), self.shared(other))
    }
}

/// The Jaccard distance of two sets of these sizes that share so many elements.
pub(crate) fn jaccard_distance(one: usize, other: usize, shared: usize) -> f64 {
    match one + other - shared {
        0 => 1.0,
        union => 1.0 - shared as f64 / union as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(keywords: &[u32]) -> Profile {
        Profile::new(keywords.to_vec())
    }

    #[test]
    fn distances_are_those_computed_by_hand() {
        assert_eq!(set(&[1, 2, 3]).distance(&set(&[3, 2, 4])), 0.5);
        assert_eq!(set(&[1, 2]).distance(&set(&[2, 1, 1])), 0.0);
        assert_eq!(set(&[1]).distance(&set(&[2])), 1.0);
        assert_eq!(set(&[]).distance(&set(&[])), 1.0);
        assert_eq!(set(&[]).distance(&set(&[7])), 1.0);
        assert_eq!(set(&[5, 1, 9]).intersection(&set(&[9, 1])), set(&[1, 9]));
    }
}
