//! The words of a text, as far as phrases ask for them.

use super::word::Step;
use crate::text::{Form, Words};

/// The words of a text as steps of the automaton.
#[derive(Debug, Default)]
pub(super) struct Steps {
    pub(super) words: Vec<Step>,
    /// Beginnings of words, each with the place of its word, in order.
    pub(super) beginnings: Vec<(usize, Step)>,
    any: bool,
}

impl Steps {
    pub(super) fn clear(&mut self) {
        self.words.clear();
        self.beginnings.clear();
        self.any = false;
    }

    /// The number of words.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether any phrase asks for any of the words.
    pub(super) fn has_any(&self) -> bool {
        self.any
    }

    pub(super) fn push(&mut self, word: Step) {
        self.any |= word.is_known();
        self.words.push(word);
    }

    /// Adds a beginning of the last word.
    pub(super) fn push_beginning(&mut self, beginning: Step) {
        self.any = true;
        self.beginnings.push((self.words.len() - 1, beginning));
    }

    /// The beginnings of the word at a place.
    pub(super) fn beginnings_at(&self, place: usize) -> impl Iterator<Item = Step> {
        let from = self.beginnings.partition_point(|(at, _)| *at < place);
        let here = self.beginnings[from..].iter().take_while(move |(at, _)| *at == place);
        here.map(|(_, step)| *step)
    }
}

/// The exact form of a text, made only if a phrase asks for it.
#[derive(Debug, Default)]
pub(super) struct ExactText {
    words: Words,
    normal: String,
    /// Where the space before each word is, and that after the last.
    spaces: Vec<usize>,
}

impl ExactText {
    pub(super) fn clear(&mut self) {
        self.spaces.clear();
    }

    /// The normal form of some words of `text`, which is the same text until [`ExactText::clear`].
    pub(super) fn words(&mut self, text: &str, start: usize, end: usize) -> &str {
        let Self { words, normal, spaces } = self;
        if spaces.is_empty() {
            normal.clear();
            words.each(text, Form::Exact, |word| {
                spaces.push(normal.len());
                normal.push(' ');
                normal.push_str(word);
            });
            spaces.push(normal.len());
            normal.push(' ');
        }
        let space = |place: usize| spaces.get(place).copied().unwrap_or(normal.len() - 1);
        &normal[space(start)..=space(end)]
    }
}
