//! From a text to its terms: words, and lexical affinities (pairs of words that stand close together).
//!
//! Words are cut and folded by the rule of the query language, so what a profile shows can be put into a
//! query as it is. Numbers alone are left out: dates, versions and ticket numbers would make every item
//! of a robot look new. How common a word is, is left to the document frequencies; there is no list of
//! stop words, because there would have to be one per language.

use pergola_query::text::normalise;

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
    /// The number of a word.
    fn of_word(word: Fingerprint) -> Self {
        Self::numbered(word.0, true)
    }

    /// The number of a pair of words, whichever comes first.
    fn of_pair(a: Fingerprint, b: Fingerprint) -> Self {
        let (low, high) = (a.0.min(b.0), a.0.max(b.0));
        Self::numbered((low.rotate_left(23) ^ high).wrapping_mul(0x9e37_79b9_7f4a_7c15), false)
    }

    fn numbered(wide: u64, is_word: bool) -> Self {
        Self((wide ^ (wide >> 32)) as u32 & !1 | u32::from(is_word))
    }

    /// Whether it is a word, not a pair.
    pub(crate) fn is_word(self) -> bool {
        self.0 & 1 == 1
    }
}

/// What is left of a word when it is compared with others.
#[derive(Clone, Copy, PartialEq)]
struct Fingerprint(u64);

impl Fingerprint {
    /// FNV-1a: the same on every machine and in every version.
    fn of(word: &str) -> Self {
        let step = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self(word.bytes().fold(0xcbf2_9ce4_8422_2325, step))
    }
}

/// The terms of one item, each as often as it occurs.
///
/// Their texts are put together only when somebody asks for one: nearly all are known already.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bag {
    /// The item's words, one after the other.
    words: String,
    /// In ascending order of the terms.
    terms: Vec<Told>,
}

/// A term, and where its words stand.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Told {
    term: Term,
    first: Span,
    /// Only a pair has a second word.
    second: Option<Span>,
}

/// From where to where, in bytes.
type Span = (u16, u16);

impl Bag {
    /// The terms of a text.
    pub fn of(text: &str) -> Self {
        let mut end = text.len().min(LONGEST_TEXT);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let mut bag = Self { words: String::with_capacity(end), terms: Vec::new() };
        let mut words: Vec<(Span, Fingerprint)> = Vec::with_capacity(MOST_WORDS);
        let normal = normalise(&text[..end]);
        for word in normal.split(' ').filter(|word| counts_as_word(word)).take(MOST_WORDS) {
            words.push((bag.write(word), Fingerprint::of(word)));
        }
        bag.terms.reserve(words.len() * (1 + REACH));
        for (n, &(first, hash)) in words.iter().enumerate() {
            bag.terms.push(Told { term: Term::of_word(hash), first, second: None });
            for &(second, other) in words.iter().skip(n + 1).take(REACH) {
                // A word makes no pair with itself.
                if hash != other {
                    let term = Term::of_pair(hash, other);
                    bag.terms.push(Told { term, first, second: Some(second) });
                }
            }
        }
        bag.terms.sort_unstable_by_key(|told| told.term);
        bag
    }

    /// A bag of terms that were cut before.
    pub fn of_terms<T: AsRef<str>>(terms: impl IntoIterator<Item = T>) -> Self {
        let mut bag = Self::default();
        for text in terms.into_iter().take(MOST_WORDS * (1 + REACH)) {
            let text = text.as_ref();
            let (first, second) = text.split_once(' ').map_or((text, None), |(a, b)| (a, Some(b)));
            if first.len().max(second.unwrap_or_default().len()) > LONGEST_WORD {
                continue;
            }
            let hash = Fingerprint::of(first);
            let term = second
                .map_or_else(|| Term::of_word(hash), |b| Term::of_pair(hash, Fingerprint::of(b)));
            let (first, second) = (bag.write(first), second.map(|word| bag.write(word)));
            bag.terms.push(Told { term, first, second });
        }
        bag.terms.sort_unstable_by_key(|told| told.term);
        bag
    }

    /// The terms, repeated as they occur, and what writes each one's text.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Term, impl Fn() -> Box<str>)> {
        self.terms.iter().map(|told| (told.term, || self.text(told)))
    }

    /// The terms alone, repeated as they occur, in ascending order.
    pub fn numbers(&self) -> impl ExactSizeIterator<Item = Term> {
        self.terms.iter().map(|told| told.term)
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The words of a pair in their own order: "white house" and "house, white" are one.
    fn text(&self, told: &Told) -> Box<str> {
        let first = self.read(told.first);
        let Some(second) = told.second.map(|second| self.read(second)) else {
            return first.into();
        };
        format!("{} {}", first.min(second), first.max(second)).into()
    }

    /// Words are few and short: their places fit into 16 bits.
    fn write(&mut self, word: &str) -> Span {
        let start = self.words.len();
        self.words.push_str(word);
        (start as u16, self.words.len() as u16)
    }

    fn read(&self, (start, end): Span) -> &str {
        &self.words[usize::from(start)..usize::from(end)]
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
        let mut texts: Vec<String> = Bag::of(text).iter().map(|(_, text)| text().into()).collect();
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
