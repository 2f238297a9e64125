//! Folds single characters: their case, their accents, and a few characters that writers do not
//! distinguish.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{decompose_compatible, is_combining_mark};

use super::class::{self, Class};

/// Which differences between words count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Neither case nor accents.
    Folded,
    /// Accents, but not case.
    Exact,
}

/// Calls `push` with the characters that a character becomes: one, several or none.
pub(super) fn fold_char(c: char, form: Form, mut push: impl FnMut(char)) {
    fold_case(c, |c| match form {
        Form::Exact => push(c),
        Form::Folded => fold_accents(c, &mut push),
    });
}

/// Lower, upper and lower again equals the full case folding of Unicode (ß and ẞ become ss, all sigmas
/// are equal), with one exception: the Turkish dotless ı stays as it is.
fn fold_case(c: char, mut push: impl FnMut(char)) {
    if c == 'ı' {
        push(c);
        return;
    }
    for lower in plain(c).to_lowercase() {
        for upper in lower.to_uppercase() {
            for folded in upper.to_lowercase() {
                push(plain(folded));
            }
        }
    }
}

/// Takes the accents off a character whose case is folded.
fn fold_accents(c: char, push: &mut impl FnMut(char)) {
    if c.is_ascii() {
        push(c);
    } else if !is_accent(c) {
        match base_letters(c) {
            Some(letters) => letters.nfc().for_each(push),
            None => push(c),
        }
    }
}

/// The letters that a letter consists of, without accents. `None` if they are not all letters: a
/// fraction stays one character.
fn base_letters(c: char) -> Option<String> {
    if class::of_char(c) != Class::Letter {
        return None;
    }
    if let Some(plain) = stroked(c) {
        return Some(plain.to_owned());
    }
    let mut letters = String::new();
    decompose_compatible(c, |part| {
        if !is_accent(part) {
            fold_case(part, |part| match stroked(part) {
                Some(plain) => letters.push_str(plain),
                None => letters.push(part),
            });
        }
    });
    let belongs = |part| matches!(class::of_char(part), Class::Letter | Class::Mark);
    (letters.starts_with(char::is_alphanumeric) && letters.chars().all(belongs)).then_some(letters)
}

/// Letters whose stroke, hook or ligature Unicode does not regard as an accent.
fn stroked(c: char) -> Option<&'static str> {
    Some(match c {
        'ø' => "o",
        'ł' | 'ŀ' => "l",
        'đ' | 'ð' => "d",
        'ħ' => "h",
        'ŧ' => "t",
        'ı' => "i",
        'ŋ' => "n",
        'ƶ' => "z",
        'ƀ' => "b",
        'æ' => "ae",
        'œ' => "oe",
        'þ' => "th",
        _ => return None,
    })
}

/// Whether a mark is an accent or a vowel point, which writers may leave out. The marks of other
/// scripts, as in Hindi or Thai, are letters like any other.
pub(super) fn is_accent(c: char) -> bool {
    is_combining_mark(c)
        && matches!(c,
            '\u{0300}'..='\u{036f}'     // Latin, Greek, Cyrillic
            | '\u{0483}'..='\u{0489}'   // Cyrillic
            | '\u{0591}'..='\u{05bd}' | '\u{05bf}' | '\u{05c1}' | '\u{05c2}' | '\u{05c4}' | '\u{05c5}'
            | '\u{05c7}'                // Hebrew
            | '\u{0610}'..='\u{061a}' | '\u{064b}'..='\u{065f}' | '\u{0670}' | '\u{06d6}'..='\u{06dc}'
            | '\u{06df}'..='\u{06e4}' | '\u{06e7}' | '\u{06e8}' | '\u{06ea}'..='\u{06ed}' // Arabic
            | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}'
            | '\u{fe20}'..='\u{fe2f}'   // further accents
        )
}

/// Replaces typographic apostrophes, hyphens and full-width forms by their plain counterparts.
fn plain(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{2bc}' => '\'',
        '\u{2010}' | '\u{2011}' => '-',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xff01 + 0x21).unwrap_or(c),
        _ => c,
    }
}
