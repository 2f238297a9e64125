//! What a query looks for: words next to each other, of which the last may be only a beginning.

use super::class::{self, Class};
use super::{Form, normal_form};

/// A phrase in normal form. If a `*` ends it, its last word is the beginning of a word, and the space
/// after it is missing: so a text contains a phrase exactly if its normal form contains that of the
/// phrase.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Phrase {
    folded: String,
    /// The exact form, if accents count.
    exact: Option<String>,
}

impl Phrase {
    /// The phrase that a string of a query means; `None` if it contains no word.
    ///
    /// A `*` at any other place than [`Phrase::misplaced`] allows is an ordinary character here. New
    /// queries cannot have one; older ones may.
    pub(crate) fn new(text: &str, exact: bool) -> Option<Self> {
        let beginning = beginning(text);
        let form = |form| {
            let mut normal = normal_form(beginning.unwrap_or(text), form);
            let is_empty = normal == " ";
            if beginning.is_some() {
                normal.pop();
            }
            (!is_empty).then_some(normal)
        };
        let folded = form(Form::Folded)?;
        let exact = if exact { Some(form(Form::Exact)?) } else { None };
        Some(Self { folded, exact })
    }

    /// The position of a `*` that does not end the last word.
    pub(crate) fn misplaced(text: &str) -> Option<usize> {
        beginning(text).unwrap_or(text).find('*')
    }

    /// Its words, folded.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.folded.split(' ').filter(|word| !word.is_empty())
    }

    /// Its normal form with accents, if they count.
    pub(crate) fn exact(&self) -> Option<&str> {
        self.exact.as_deref()
    }

    /// Whether its last word is the beginning of a word.
    pub(crate) fn is_open(&self) -> bool {
        !self.folded.ends_with(' ')
    }

    /// The number of letters, to guess how frequent it is.
    pub(crate) fn letters(&self) -> usize {
        self.words().map(|word| word.chars().count()).sum()
    }

    /// As people write it.
    pub(crate) fn shown(&self) -> String {
        let words = self.exact().unwrap_or(&self.folded).trim();
        format!("{words}{}", if self.is_open() { "*" } else { "" })
    }

    /// The normal form to look for, and in which form of a text.
    pub(crate) fn wanted(&self) -> (&str, Form) {
        match &self.exact {
            Some(exact) => (exact, Form::Exact),
            None => (&self.folded, Form::Folded),
        }
    }
}

/// The text before a `*` that ends its last word.
fn beginning(text: &str) -> Option<&str> {
    let words = text.trim_end().strip_suffix('*')?;
    let last = class::of_char(words.chars().next_back()?);
    matches!(last, Class::Letter | Class::Lone | Class::Mark).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_after_the_last_word_makes_it_a_beginning() {
        let phrase = Phrase::new("New Volcán* ", true).unwrap();
        assert_eq!(phrase.wanted(), (" new volcán", Form::Exact));
        assert_eq!(phrase.words().collect::<Vec<_>>(), ["new", "volcan"]);
        assert_eq!(phrase.shown(), "new volcán*");
        assert_eq!(Phrase::new("volcano", false).unwrap().wanted(), (" volcano ", Form::Folded));
    }

    #[test]
    fn a_star_elsewhere_is_found() {
        for (text, at) in [
            ("volcano*", None),
            ("火山*", None),
            ("no star", None),
            ("*", Some(0)),
            ("volc* ash", Some(4)),
            ("a*b*", Some(1)),
            ("volcano **", Some(8)),
            ("C++*", Some(3)),
            ("ash *", Some(4)),
        ] {
            assert_eq!(Phrase::misplaced(text), at, "{text}");
        }
    }

    #[test]
    fn a_string_without_words_is_no_phrase() {
        for text in ["", "  ", "\u{ad}", "\u{301}", "\u{301}*"] {
            assert_eq!(Phrase::new(text, false), None, "{text:?}");
            assert_eq!(Phrase::new(text, true), None, "{text:?}");
        }
    }
}
