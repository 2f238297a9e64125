//! Splits a text into folded words in one pass, without allocating per word.
//!
//! This is the hot loop of matching. ASCII is lowered as a whole and split in place. Other characters
//! are looked up in a table; only the few that fold to several characters take a slower path.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::class::{self, Class};
use super::fold::{Form, fold_char, is_accent};
use super::table::{self, Folds};

/// Buffers for splitting; reuse them from text to text.
#[derive(Debug, Default)]
pub struct Words {
    /// The text with lower-case ASCII letters.
    lowered: String,
    /// The current word.
    word: String,
}

impl Words {
    /// Calls `emit` with each word of `text` in order, folded.
    pub fn each_folded(&mut self, text: &str, emit: impl FnMut(&str)) {
        self.each(text, Form::Folded, emit);
    }

    /// Calls `emit` with each word of `text` in a form, in order.
    pub(crate) fn each(&mut self, text: &str, form: Form, mut emit: impl FnMut(&str)) {
        self.lowered.clear();
        if text.is_ascii() {
            self.lowered.push_str(text);
            self.lowered.make_ascii_lowercase();
            each_ascii(&self.lowered, &mut emit);
        } else {
            self.lowered.push_str(&composed(text));
            self.lowered.make_ascii_lowercase();
            each_unicode(&self.lowered, form, &mut self.word, &mut emit);
        }
    }
}

fn each_ascii(text: &str, emit: &mut impl FnMut(&str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match class::of_byte(byte) {
            Class::Letter => {
                let end = letters_end(bytes, at);
                emit(&text[at..end]);
                at = end;
            }
            Class::Symbol => {
                emit(&text[at..=at]);
                at += 1;
            }
            _ => at += 1,
        }
    }
}

fn each_unicode(text: &str, form: Form, word: &mut String, emit: &mut impl FnMut(&str)) {
    let bytes = text.as_bytes();
    // The class of the first character of the current word.
    let mut base = Class::Space;
    let mut rest = text.chars();
    while let Some(&byte) = bytes.get(text.len() - rest.as_str().len()) {
        if class::of_byte(byte) == Class::Letter {
            let at = text.len() - rest.as_str().len();
            let end = letters_end(bytes, at);
            if base != Class::Letter {
                flush(word, emit);
            }
            word.push_str(&text[at..end]);
            base = Class::Letter;
            rest = text[end..].chars();
            continue;
        }
        let mut push = |folded: char, class: Class| match class {
            Class::Nothing => {}
            Class::Space => {
                flush(word, emit);
                base = Class::Space;
            }
            Class::Mark if !word.is_empty() => word.push(folded),
            // An accent without a letter is no word in either form.
            Class::Mark if is_accent(folded) => {}
            Class::Letter if base == Class::Letter => word.push(folded),
            class => {
                flush(word, emit);
                word.push(folded);
                base = if class == Class::Mark { Class::Letter } else { class };
            }
        };
        let Some(c) = rest.next() else { break };
        let info = table::of(c, form);
        match info.folds {
            Folds::Same => push(c, info.class),
            Folds::To(code) => push(char::from_u32(code.into()).unwrap_or(c), info.class),
            Folds::Further => fold_char(c, form, |folded| push(folded, class::of_char(folded))),
        }
    }
    flush(word, emit);
}

fn flush(word: &mut String, emit: &mut impl FnMut(&str)) {
    if !word.is_empty() {
        emit(word);
        word.clear();
    }
}

/// The end of the run of ASCII letters that starts at `start`.
fn letters_end(bytes: &[u8], start: usize) -> usize {
    bytes[start..]
        .iter()
        .position(|byte| class::of_byte(*byte) != Class::Letter)
        .map_or(bytes.len(), |length| start + length)
}

/// The text in composed form; does not copy a text that already is, as nearly all are.
fn composed(text: &str) -> Cow<'_, str> {
    let is_composed = text.chars().all(|c| c.is_ascii() || table::of(c, Form::Exact).composed)
        || is_nfc_quick(text.chars()) == IsNormalized::Yes;
    if is_composed { Cow::Borrowed(text) } else { Cow::Owned(text.nfc().collect()) }
}
