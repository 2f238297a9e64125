//! What a source publishes about and what a feed wants: sets of keywords.
//!
//! A [`Dictionary`] gives every keyword a number. A [`Profile`] is a sorted list of these numbers, so two
//! profiles are compared in one pass over both.

use rustc_hash::FxHashMap;

/// The keywords of a mesh, each with a number.
#[derive(Clone, Debug, Default)]
pub struct Dictionary {
    words: Vec<String>,
    numbers: FxHashMap<String, u32>,
}

impl Dictionary {
    /// The number of a word. Adds the word if it is new.
    pub fn add(&mut self, word: &str) -> u32 {
        if let Some(&number) = self.numbers.get(word) {
            return number;
        }
        let number = self.words.len() as u32;
        self.words.push(word.to_owned());
        self.numbers.insert(word.to_owned(), number);
        number
    }

    /// The profile of these words. Adds words that are new.
    pub fn profile<'a>(&mut self, words: impl IntoIterator<Item = &'a str>) -> Profile {
        Profile::new(words.into_iter().map(|word| self.add(word)).collect())
    }

    pub fn word(&self, number: u32) -> &str {
        &self.words[number as usize]
    }

    /// All words, by number.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    pub fn len(&self) -> usize {
        self.words.len()
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

/// A set of keywords.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Profile(Box<[u32]>);

impl Profile {
    /// The set of these numbers. Duplicates count once.
    pub fn new(mut keywords: Vec<u32>) -> Self {
        keywords.sort_unstable();
        keywords.dedup();
        Self(keywords.into())
    }

    /// The numbers, ascending.
    pub fn keywords(&self) -> &[u32] {
        &self.0
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of keywords that both sets have.
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

    /// The keywords that both sets have.
    pub fn intersection(&self, other: &Self) -> Self {
        let both = |word: &&u32| other.0.binary_search(word).is_ok();
        Self(self.0.iter().filter(both).copied().collect())
    }

    /// The Jaccard distance 1 − |A∩B| / |A∪B|. It is 1 if both sets are empty.
    pub fn distance(&self, other: &Self) -> f64 {
        jaccard_distance(self.len(), other.len(), self.shared(other))
    }
}

/// The Jaccard distance of two sets, given their sizes and how many elements they share.
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
