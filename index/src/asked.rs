//! What a search asks for.
//!
//! Words that must all be there, `"phrases"` whose words are next to each other, `begin*` for words that begin so, and
//! any of these after a `-` for what must not be there. What is written without spaces but consists of several words
//! (`C++`, `don't`, 火山) is a phrase, as in the query language.

use memchr::memmem;
use pergola_query::text::normalise;

/// Bytes of a search at most.
const MOST_BYTES: usize = 1_000;
/// Words and phrases of a search at most.
const MOST_CLAUSES: usize = 32;

/// What a search asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// All of these are there …
    pub(crate) wanted: Vec<Clause>,
    /// … and none of these.
    pub(crate) unwanted: Vec<Clause>,
}

/// Words next to each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clause {
    /// In normal form. If the last word is only a beginning, the space after it is missing.
    normal: String,
}

/// Why a search cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AskedError {
    /// It has no words.
    #[error("there is nothing to search for: write a word, or several")]
    Nothing,
    /// It says only what must not be there.
    #[error(
        "a search needs a word that is there, not only words that are not: add one without `-`"
    )]
    OnlyUnwanted,
    /// A star does not end a word.
    #[error("`*` stands only at the end of a word, as in `volc*`; in `{0}` it does not")]
    Star(String),
    /// It is too long.
    #[error(
        "the search is too long: it may have {MOST_BYTES} bytes, and {MOST_CLAUSES} words and phrases"
    )]
    TooLong,
}

impl Asked {
    /// What a text asks for.
    pub fn parse(text: &str) -> Result<Self, AskedError> {
        if text.len() > MOST_BYTES {
            return Err(AskedError::TooLong);
        }
        let mut asked = Self { wanted: Vec::new(), unwanted: Vec::new() };
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let (negative, body, after) = token(rest);
            rest = after.trim_start();
            let Some(clause) = Clause::of(body)? else { continue };
            let list = if negative { &mut asked.unwanted } else { &mut asked.wanted };
            if !list.contains(&clause) {
                list.push(clause);
            }
        }
        if asked.wanted.len() + asked.unwanted.len() > MOST_CLAUSES {
            return Err(AskedError::TooLong);
        }
        match (&asked.wanted[..], &asked.unwanted[..]) {
            ([], []) => Err(AskedError::Nothing),
            ([], _) => Err(AskedError::OnlyUnwanted),
            _ => Ok(asked),
        }
    }

    /// Whether an item with these texts is what is asked for.
    pub fn matches(&self, texts: &Normal) -> bool {
        self.wanted.iter().all(|clause| clause.is_in(texts))
            && !self.unwanted.iter().any(|clause| clause.is_in(texts))
    }
}

/// The first word or phrase of a text: whether a `-` stands before it, what it is, and what follows.
fn token(text: &str) -> (bool, &str, &str) {
    let positive = text.strip_prefix('-').filter(|rest| !rest.starts_with(char::is_whitespace));
    let positive = positive.filter(|rest| !rest.is_empty());
    let (negative, body) = (positive.is_some(), positive.unwrap_or(text));
    let is_quote = |c: char| matches!(c, '"' | '“' | '”' | '„');
    let (body, after) = match body.strip_prefix(is_quote) {
        // Whoever is still typing has not closed it yet.
        Some(phrase) => {
            let end = phrase.find(is_quote).unwrap_or(phrase.len());
            let (phrase, after) = phrase.split_at(end);
            (phrase, after.strip_prefix(is_quote).unwrap_or(after))
        }
        None => body.split_at(body.find(char::is_whitespace).unwrap_or(body.len())),
    };
    (negative, body, after)
}

impl Clause {
    /// What a word or phrase means; nothing if there is no word in it.
    fn of(text: &str) -> Result<Option<Self>, AskedError> {
        let star = || AskedError::Star(text.trim().to_owned());
        let beginning = text.trim_end().strip_suffix('*');
        let body = beginning.unwrap_or(text);
        if body.contains('*') {
            return Err(star());
        }
        let mut normal = normalise(body);
        if beginning.is_some() {
            normal.pop();
            // Nothing can follow a sign that is a word by itself, nor a space.
            let ends = |text: &str| text.ends_with(|c: char| !c.is_ascii() || c.is_alphanumeric());
            if !ends(&normal) || body.ends_with(char::is_whitespace) {
                return Err(star());
            }
        }
        Ok(Some(Self { normal }).filter(|clause| clause.normal.len() > 1))
    }

    /// Its words in order.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.normal.split(' ').filter(|word| !word.is_empty())
    }

    /// Whether its last word is only a beginning.
    pub(crate) fn is_open(&self) -> bool {
        !self.normal.ends_with(' ')
    }

    fn is_in(&self, texts: &Normal) -> bool {
        let finder = memmem::Finder::new(&self.normal);
        texts.0.iter().any(|text| finder.find(text.as_bytes()).is_some())
    }
}

/// The texts of an item in normal form. A phrase is looked for in each, not across them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Normal(Vec<String>);

impl Normal {
    /// The normal forms of some texts.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        Self(texts.into_iter().map(normalise).filter(|normal| normal.len() > 1).collect())
    }

    /// The bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.0.iter().map(String::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (Vec<String>, Vec<String>) {
        let asked = Asked::parse(text).unwrap();
        let normal = |clauses: Vec<Clause>| clauses.into_iter().map(|clause| clause.normal);
        (normal(asked.wanted).collect(), normal(asked.unwanted).collect())
    }

    #[test]
    fn words_phrases_beginnings_and_exclusions_are_told_apart() {
        let (wanted, unwanted) = parts("Café  \"New York\" volc* -\"hot dog\" -Ash C++ 火山 - x");
        assert_eq!(wanted, [" cafe ", " new york ", " volc", " c + + ", " 火 山 ", " - ", " x "]);
        assert_eq!(unwanted, [" hot dog ", " ash "]);
        assert_eq!(parts("„new yor*“ new new").0, [" new yor", " new "]);
        assert_eq!(parts("well-known").0, [" well - known "]);
        assert_eq!(parts("\"still typ").0, [" still typ "]);
    }

    #[test]
    fn a_search_that_cannot_be_made_says_why() {
        let error = |text: &str| Asked::parse(text).unwrap_err().to_string();
        for text in ["", "  ", "\"\"", "\u{ad}"] {
            assert!(error(text).contains("nothing to search for"), "{text:?}");
        }
        assert!(error("-ash").contains("add one without `-`"));
        for text in ["*", "a*b", "c++*", "\"new *\"", "\"a* b\"", "**", "a**"] {
            assert!(error(text).contains("end of a word"), "{text:?}");
        }
        assert!(error(&"word ".repeat(300)).contains("too long"));
        let many: String = (0..40).map(|n| format!("w{n} ")).collect();
        assert!(error(&many).contains("too long"));
    }

    #[test]
    fn texts_match_as_in_the_query_language() {
        let texts = Normal::of(["An Eruption in Île-de-France", "New", "York", ""]);
        let matches = |text: &str| Asked::parse(text).unwrap().matches(&texts);
        for text in
            ["eruption", "ILE", "\"an eruption\"", "erup* new", "new york", "fran* -iceland"]
        {
            assert!(matches(text), "{text}");
        }
        for text in ["erup", "\"eruption an\"", "\"new york\"", "new -york", "eruption -fran*"] {
            assert!(!matches(text), "{text}");
        }
    }
}
