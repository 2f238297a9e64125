//! The beginnings of words that phrases ask for: `"volcano*"`.
//!
//! A word begins with few of them, and nearly all words with none. So the first bytes of a word say
//! which lengths are worth a lookup, and one lookup dismisses most words.

use rustc_hash::FxHashMap;

use super::word::{PhraseId, Step};

/// Bytes by which beginnings are grouped; shorter ones form groups of their own.
const STEM: usize = 3;

/// The first bytes of a word, and how many they are.
type Stem = ([u8; STEM], usize);

#[derive(Debug, Default)]
pub(super) struct Prefixes {
    known: FxHashMap<Box<str>, Step>,
    /// The lengths of the beginnings in each group, each with its number of beginnings.
    lengths: FxHashMap<Stem, Vec<(usize, usize)>>,
    /// The number of groups with stems of 1, 2, … bytes.
    groups: [usize; STEM],
}

impl Prefixes {
    /// Looks up a beginning.
    pub(super) fn get(&self, text: &str) -> Step {
        self.known.get(text).copied().unwrap_or(Step::UNKNOWN)
    }

    /// Calls `found` with each known beginning of a word.
    #[inline]
    pub(super) fn each(&self, word: &str, mut found: impl FnMut(Step)) {
        if self.known.is_empty() {
            return;
        }
        for size in (1..=STEM).filter(|size| self.groups[size - 1] > 0) {
            let lengths = stem(word, size).and_then(|stem| self.lengths.get(&stem));
            for (length, _) in lengths.into_iter().flatten() {
                let beginning = word.get(..*length);
                if let Some(step) = beginning.and_then(|text| self.known.get(text)) {
                    found(*step);
                }
            }
        }
    }

    /// Adds a beginning that is not known.
    pub(super) fn insert(&mut self, text: &str, step: Step) {
        self.known.insert(text.into(), step);
        let Some(stem) = own_stem(text) else { return };
        let lengths = self.lengths.entry(stem).or_default();
        if lengths.is_empty() {
            self.groups[stem.1 - 1] += 1;
        }
        match lengths.iter_mut().find(|(length, _)| *length == text.len()) {
            Some((_, count)) => *count += 1,
            None => lengths.push((text.len(), 1)),
        }
    }

    /// Removes a known beginning.
    pub(super) fn remove(&mut self, text: &str) {
        self.known.remove(text);
        let Some(stem) = own_stem(text) else { return };
        let Some(lengths) = self.lengths.get_mut(&stem) else { return };
        lengths.iter_mut().filter(|(length, _)| *length == text.len()).for_each(|it| it.1 -= 1);
        lengths.retain(|(_, count)| *count > 0);
        if lengths.is_empty() {
            self.lengths.remove(&stem);
            self.groups[stem.1 - 1] -= 1;
        }
    }

    /// Sets the target of a beginning from the root.
    pub(super) fn set_first(&mut self, text: &str, first: PhraseId) {
        if let Some(step) = self.known.get_mut(text) {
            step.first = first;
        }
    }
}

/// The group of a beginning.
fn own_stem(text: &str) -> Option<Stem> {
    stem(text, text.len().min(STEM))
}

/// The first `size` bytes of a word.
fn stem(word: &str, size: usize) -> Option<Stem> {
    let mut bytes = [0; STEM];
    bytes.get_mut(..size)?.copy_from_slice(word.as_bytes().get(..size)?);
    (size > 0).then_some((bytes, size))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(prefixes: &Prefixes, word: &str) -> Vec<u32> {
        let mut found = Vec::new();
        prefixes.each(word, |step| found.push(step.word));
        found.sort_unstable();
        found
    }

    #[test]
    fn every_beginning_of_a_word_is_found_until_it_is_removed() {
        let all = ["v", "vo", "vol", "volc", "volcano", "é", "ice", "iceland", "vote"];
        let mut prefixes = Prefixes::default();
        for (word, text) in (0..).zip(all) {
            prefixes.insert(text, Step { word, first: word });
        }
        assert_eq!(found(&prefixes, "volcanoes"), [0, 1, 2, 3, 4]);
        assert_eq!(found(&prefixes, "vol"), [0, 1, 2]);
        assert_eq!(found(&prefixes, "été"), [5]);
        assert_eq!(found(&prefixes, "ic"), Vec::<u32>::new());
        assert_eq!(found(&prefixes, "icé"), Vec::<u32>::new());
        for text in ["v", "volc", "é"] {
            prefixes.remove(text);
        }
        assert_eq!(found(&prefixes, "volcanoes"), [1, 2, 4]);
        assert_eq!(found(&prefixes, "été"), Vec::<u32>::new());
        for text in all {
            prefixes.remove(text);
        }
        assert!(prefixes.known.is_empty() && prefixes.lengths.is_empty());
        assert_eq!(prefixes.groups, [0; STEM]);
    }
}
