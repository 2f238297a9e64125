//! Cuts a text into folded words in one pass, without allocating per word.
//!
//! This is the hot loop of matching: runs of ASCII letters are copied and lowered bytewise; only other
//! characters take the slow way through folding and classes.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::class::{self, Class};
use super::fold::fold_char;

/// A cutter with its word buffer, to be reused from text to text.
#[derive(Debug, Default)]
pub(crate) struct Words {
    word: String,
}

impl Words {
    /// Hands each word of `text` to `emit`, folded, in order.
    pub(crate) fn each(&mut self, text: &str, mut emit: impl FnMut(&str)) {
        if text.is_ascii() {
            self.each_ascii(text.as_bytes(), &mut emit);
        } else {
            self.each_unicode(&composed(text), &mut emit);
        }
    }

    fn each_ascii(&mut self, bytes: &[u8], emit: &mut impl FnMut(&str)) {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match class::of_byte(byte) {
                Class::Letter => {
                    let end = letters_end(bytes, at);
                    self.push_ascii(&bytes[at..end]);
                    self.flush(emit);
                    at = end;
                }
                Class::Symbol => {
                    self.word.push(char::from(byte));
                    self.flush(emit);
                    at += 1;
                }
                _ => at += 1,
            }
        }
    }

    fn each_unicode(&mut self, text: &str, emit: &mut impl FnMut(&str)) {
        let bytes = text.as_bytes();
        // The class of the first character of the word being collected.
        let mut base = Class::Space;
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if class::of_byte(byte) == Class::Letter {
                let end = letters_end(bytes, at);
                if base != Class::Letter {
                    self.flush(emit);
                }
                self.push_ascii(&bytes[at..end]);
                base = Class::Letter;
                at = end;
                continue;
            }
            let Some(c) = text[at..].chars().next() else {
                break;
            };
            at += c.len_utf8();
            fold_char(c, |folded| match class::of_char(folded) {
                Class::Nothing => {}
                Class::Space => {
                    self.flush(emit);
                    base = Class::Space;
                }
                Class::Mark if !self.word.is_empty() => self.word.push(folded),
                Class::Letter | Class::Mark if base == Class::Letter => self.word.push(folded),
                class => {
                    self.flush(emit);
                    self.word.push(folded);
                    base = if class == Class::Mark {
                        Class::Letter
                    } else {
                        class
                    };
                }
            });
        }
        self.flush(emit);
    }

    fn push_ascii(&mut self, letters: &[u8]) {
        self.word.extend(
            letters
                .iter()
                .map(|byte| char::from(byte.to_ascii_lowercase())),
        );
    }

    fn flush(&mut self, emit: &mut impl FnMut(&str)) {
        if !self.word.is_empty() {
            emit(&self.word);
            self.word.clear();
        }
    }
}

/// Where the run of ASCII letters that begins at `start` ends.
fn letters_end(bytes: &[u8], start: usize) -> usize {
    bytes[start..]
        .iter()
        .position(|byte| class::of_byte(*byte) != Class::Letter)
        .map_or(bytes.len(), |length| start + length)
}

/// The text in composed form; texts that are (nearly all) are not copied.
fn composed(text: &str) -> Cow<'_, str> {
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => Cow::Borrowed(text),
        _ => Cow::Owned(text.nfc().collect()),
    }
}
