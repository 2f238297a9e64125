//! From a text to its terms: words, and lexical affinities (pairs of words that stand close together).
//!
//! Words are cut and folded by the rule of the query language, so what a profile shows can be put into a
//! query as it is. Numbers alone are left out: dates, versions and ticket numbers would make every item
//! of a robot look new. How common a word is, is left to the document frequencies; there is no list of
//! stop words, because there would have to be one per language.

use pergola_query::text::words;

/// Bytes of an item's text that are read: a title and some keywords, not an essay.
const LONGEST_TEXT: usize = 512;
/// Words of an item that count.
const MOST_WORDS: usize = 24;
/// Words longer than this are addresses or code.
const LONGEST_WORD: usize = 40;
/// How far apart the words of an affinity may stand.
const REACH: usize = 2;

/// A term, known by a hash of its text whose last bit says whether it is a word. Two terms that share a
/// number share their frequency as well, which among the 200,000 of a full vocabulary happens to about ten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(pub(crate) u32);

impl Term {
    /// The number of a text. FNV-1a: the same on every machine and in every version.
    fn of(text: &str) -> Self {
        let wide = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self((wide ^ (wide >> 32)) as u32 & !1 | u32::from(!text.contains(' ')))
    }

    /// Whether it is a word, not a pair.
    pub(crate) fn is_word(self) -> bool {
        self.0 & 1 == 1
    }
}

/// The terms of one item, each as often as it occurs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bag {
    /// In ascending order of the terms.
    terms: Vec<(Term, Box<str>)>,
}

impl Bag {
    /// The terms of a text.
    pub fn of(text: &str) -> Self {
        let mut end = text.len().min(LONGEST_TEXT);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let words: Vec<String> = words(&text[..end])
            .into_iter()
            .filter(|word| counts_as_word(word))
            .take(MOST_WORDS)
            .collect();
        let mut texts: Vec<String> = words.clone();
        for (n, first) in words.iter().enumerate() {
            for second in words.iter().skip(n + 1).take(REACH).filter(|second| *second != first) {
                // Whichever comes first in the text: "white house" and "house, white" are one pair.
                let (a, b) = if first < second { (first, second) } else { (second, first) };
                texts.push(format!("{a} {b}"));
            }
        }
        Self::of_terms(texts)
    }

    /// A bag of terms that were cut before.
    pub fn of_terms<T: AsRef<str>>(terms: impl IntoIterator<Item = T>) -> Self {
        let pairs = terms.into_iter().take(MOST_WORDS * (1 + REACH));
        let mut terms: Vec<(Term, Box<str>)> =
            pairs.map(|text| (Term::of(text.as_ref()), text.as_ref().into())).collect();
        terms.sort_unstable();
        Self { terms }
    }

    /// The terms with their texts, repeated as they occur.
    pub fn iter(&self) -> impl Iterator<Item = (Term, &str)> {
        self.terms.iter().map(|(term, text)| (*term, &**text))
    }

    /// The terms alone.
    pub(crate) fn numbers(&self) -> Box<[Term]> {
        self.terms.iter().map(|(term, _)| *term).collect()
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }
}

/// Words that tell something: with a letter, not a single ASCII one, and not without end.
fn counts_as_word(word: &str) -> bool {
    word.len() > 1 && word.len() <= LONGEST_WORD && word.chars().any(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        let mut texts: Vec<String> =
            Bag::of(text).iter().map(|(_, text)| text.to_owned()).collect();
        texts.sort();
        texts
    }

    #[test]
    fn words_and_pairs_of_close_words_are_terms() {
        assert_eq!(texts("White House"), ["house", "house white", "white"]);
        assert_eq!(texts("house, white!"), texts("White House"));
        // Two words apart is close, three is not, and a word makes no pair with itself.
        let four = texts("alpha beta gamma delta");
        assert!(
            four.contains(&"alpha gamma".to_owned()) && !four.contains(&"alpha delta".to_owned())
        );
        assert_eq!(texts("tick tick"), ["tick", "tick"]);
    }

    #[test]
    fn numbers_and_single_letters_are_left_out() {
        assert_eq!(texts("Bump x to 2.13.1 (#171035)"), ["bump", "bump to", "to"]);
        assert_eq!(texts("12:30 — 7"), Vec::<String>::new());
        assert_eq!(texts("冰岛"), ["冰", "冰 岛", "岛"]);
    }

    #[test]
    fn a_text_without_end_gives_few_terms() {
        let endless = "word ".repeat(100_000) + &"é".repeat(1000);
        assert!(Bag::of(&endless).iter().count() <= MOST_WORDS * (1 + REACH));
        let unbroken = "é".repeat(100_000);
        assert!(Bag::of(&unbroken).is_empty());
    }
}
