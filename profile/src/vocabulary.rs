//! The number of items of all channels in which each term occurred, in limited memory.
//!
//! Half of all terms occur only once. When the table is full, it forgets the rarest terms until a quarter
//! is free. A term that is not in the table counts as one that occurred once.

use rustc_hash::FxHashMap;

use crate::terms::{Bag, Term};

/// The default number of terms: about 15 MB.
const LIMIT: usize = 200_000;

/// Document frequencies over all channels.
#[derive(Debug, Clone)]
pub struct Vocabulary {
    known: FxHashMap<Term, Known>,
    items: u64,
    /// ln(items + 1).
    log: f64,
    limit: usize,
}

#[derive(Debug, Clone)]
struct Known {
    items: u32,
    /// ln(items), stored because it is used much more often than it changes.
    log: f32,
    text: Box<str>,
}

impl Default for Vocabulary {
    fn default() -> Self {
        Self::bounded(LIMIT)
    }
}

impl Vocabulary {
    /// Stores at most `limit` terms, but at least a few hundred, so that an item fits.
    pub fn bounded(limit: usize) -> Self {
        Self { known: FxHashMap::default(), items: 0, log: 0.0, limit: limit.max(256) }
    }

    /// Counts one item.
    pub fn learn(&mut self, bag: &Bag) {
        self.items += 1;
        self.log = ((self.items + 1) as f64).ln();
        let mut before = None;
        for (term, text) in bag.iter() {
            if before.replace(term) == Some(term) {
                continue;
            }
            let new = || Known { items: 0, log: 0.0, text: text() };
            let known = self.known.entry(term).or_insert_with(new);
            known.items = known.items.saturating_add(1);
            known.log = f64::from(known.items).ln() as f32;
        }
        if self.known.len() > self.limit {
            self.forget();
        }
    }

    /// idf = ln((N + 1) / N_t) for N items, N_t of which contain the term. Without the 1, as in the paper,
    /// the words of a single channel would have no weight, and its profile would be empty.
    pub fn idf(&self, term: Term) -> f64 {
        let with = self.known.get(&term).map_or(0.0, |known| f64::from(known.log));
        (self.log - with).max(0.0)
    }

    /// The text of a term; `None` if it was forgotten.
    pub fn text(&self, term: Term) -> Option<&str> {
        self.known.get(&term).map(|known| &*known.text)
    }

    pub fn items(&self) -> u64 {
        self.items
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The approximate size in bytes.
    pub fn bytes(&self) -> usize {
        let texts: usize = self.known.values().map(|known| known.text.len() + 16).sum();
        self.known.capacity() * (size_of::<(Term, Known)>() + 1) + texts
    }

    fn forget(&mut self) {
        let mut counts: Vec<u32> = self.known.values().map(|known| known.items).collect();
        let (_, &mut least, _) = counts.select_nth_unstable(self.limit / 4);
        // Forget all rarer terms and, of the equally rare ones, those with the lowest (random) hashes.
        let mut spare = self.known.len() - (self.limit - self.limit / 4);
        spare -= self.known.values().filter(|known| known.items < least).count().min(spare);
        let mut equal: Vec<Term> = self
            .known
            .iter()
            .filter(|(_, known)| known.items == least)
            .map(|(term, _)| *term)
            .collect();
        equal.sort_unstable();
        equal.truncate(spare);
        self.known.retain(|_, known| known.items >= least);
        for term in equal {
            self.known.remove(&term);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bag(text: &str) -> Bag {
        Bag::of(text)
    }

    fn first(text: &str) -> Term {
        bag(text).numbers().next().unwrap()
    }

    #[test]
    fn idf_is_the_logarithm_of_all_items_over_those_with_the_term() {
        let mut vocabulary = Vocabulary::default();
        for text in ["volcano", "volcano volcano", "chess", "opera"] {
            vocabulary.learn(&bag(text));
        }
        let idf = |text: &str| vocabulary.idf(first(text));
        assert!((idf("volcano") - 2.5f64.ln()).abs() < 1e-6);
        assert_eq!(idf("chess"), 5f64.ln());
        assert_eq!(idf("unheard"), 5f64.ln());
        assert_eq!(vocabulary.text(first("chess")), Some("chess"));
    }

    #[test]
    fn common_terms_survive_and_the_table_stays_bounded() {
        let mut vocabulary = Vocabulary::bounded(256);
        for n in 0..5000 {
            vocabulary.learn(&bag(&format!("daily w{n}x")));
            assert!(vocabulary.len() <= 256, "{}", vocabulary.len());
        }
        let daily = first("daily");
        assert_eq!(vocabulary.text(daily), Some("daily"));
        assert!(vocabulary.idf(daily) < 0.001);
        assert!(vocabulary.len() >= 192);
    }
}
