//! The terms of a text: words, and lexical affinities (pairs of words that are close together).
//!
//! Words follow the rules of the query language, so that terms of a profile can be used in a query. Plain
//! numbers are ignored: dates, versions and ticket numbers would make every item of a robot seem new.
//! There is no list of stop words, which would depend on the language; the document frequencies take care
//! of common words.

use pergola_query::text::normalise;

/// Bytes of the text that are read: enough for a title and some keywords.
const LONGEST_TEXT: usize = 512;
/// Words of an item, at most.
const MOST_WORDS: usize = 24;
/// Longer words are addresses or code.
const LONGEST_WORD: usize = 40;
/// The largest distance between the words of a pair.
const REACH: usize = 2;

/// A term: a hash of its text, whose last bit says whether it is a word. Two terms with the same hash
/// share their frequency; that concerns about ten of the 200,000 terms of a full vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(pub(crate) u32);

impl Term {
    fn of_word(word: Fingerprint) -> Self {
        Self::numbered(word.0, true)
    }

    /// A pair of words in any order.
    fn of_pair(a: Fingerprint, b: Fingerprint) -> Self {
        let (low, high) = (a.0.min(b.0), a.0.max(b.0));
        Self::numbered((low.rotate_left(23) ^ high).wrapping_mul(0x9e37_79b9_7f4a_7c15), false)
    }

    fn numbered(wide: u64, is_word: bool) -> Self {
        Self((wide ^ (wide >> 32)) as u32 & !1 | u32::from(is_word))
    }

    /// Whether it is a word and not a pair.
    pub(crate) fn is_word(self) -> bool {
        self.0 & 1 == 1
    }
}

/// A hash of a word.
#[derive(Clone, Copy, PartialEq)]
struct Fingerprint(u64);

impl Fingerprint {
    /// FNV-1a, which is the same on every machine and in every version.
    fn of(word: &str) -> Self {
        let step = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self(word.bytes().fold(0xcbf2_9ce4_8422_2325, step))
    }
}

/// The terms of one item, each as often as it occurs.
///
/// It creates the text of a term only on request, because nearly all terms are already known.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bag {
    /// The words of the item, concatenated.
    words: String,
    /// Sorted by term.
    terms: Vec<Occurrence>,
}

/// A term, and the position of its words.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Occurrence {
    term: Term,
    first: Span,
    /// Only a pair has a second word.
    second: Option<Span>,
}

/// Start and end in bytes.
type Span = (u16, u16);

impl Bag {
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
            bag.terms.push(Occurrence { term: Term::of_word(hash), first, second: None });
            for &(second, other) in words.iter().skip(n + 1).take(REACH) {
                // A word forms no pair with itself.
                if hash != other {
                    let term = Term::of_pair(hash, other);
                    bag.terms.push(Occurrence { term, first, second: Some(second) });
                }
            }
        }
        bag.terms.sort_unstable_by_key(|at| at.term);
        bag
    }

    /// A bag of given terms.
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
            bag.terms.push(Occurrence { term, first, second });
        }
        bag.terms.sort_unstable_by_key(|at| at.term);
        bag
    }

    /// The terms as often as they occur, each with a function that creates its text.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Term, impl Fn() -> Box<str>)> {
        self.terms.iter().map(|at| (at.term, || self.text(at)))
    }

    /// The terms as often as they occur, sorted.
    pub fn numbers(&self) -> impl ExactSizeIterator<Item = Term> {
        self.terms.iter().map(|at| at.term)
    }

    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The words of a pair in alphabetical order: "white house" and "house, white" are the same.
    fn text(&self, at: &Occurrence) -> Box<str> {
        let first = self.read(at.first);
        let Some(second) = at.second.map(|second| self.read(second)) else {
            return first.into();
        };
        format!("{} {}", first.min(second), first.max(second)).into()
    }

    /// Words are few and short, so that positions fit into 16 bits.
    fn write(&mut self, word: &str) -> Span {
        let start = self.words.len();
        self.words.push_str(word);
        (start as u16, self.words.len() as u16)
    }

    fn read(&self, (start, end): Span) -> &str {
        &self.words[usize::from(start)..usize::from(end)]
    }
}

/// Whether a word counts: it contains a letter, is not a single byte, and is not too long.
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
        // A distance of two is close, three is not, and a word forms no pair with itself.
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
    fn a_very_long_text_gives_few_terms() {
        let endless = "word ".repeat(100_000) + &"é".repeat(1000);
        assert!(Bag::of(&endless).iter().count() <= MOST_WORDS * (1 + REACH));
        let unbroken = "é".repeat(100_000);
        assert!(Bag::of(&unbroken).is_empty());
    }
}
