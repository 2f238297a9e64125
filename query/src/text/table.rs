//! A table of the folded form and the class of each character, for each form of words.
//!
//! Without it, most time on texts that are not ASCII would go into the tables of Unicode. The table
//! covers everything below U+3000, that is, every alphabet in common use. Ideographs and Korean
//! syllables are all treated alike and need no table.

use std::sync::LazyLock;

use unicode_normalization::{IsNormalized, is_nfc_quick};

use super::class::{self, Class};
use super::fold::{Form, fold_char};

/// The properties of one character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Info {
    /// The class of its folded form.
    pub(super) class: Class,
    /// Whether a text of only such characters is in composed form.
    pub(super) composed: bool,
    pub(super) folds: Folds,
}

/// The folded form of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Folds {
    /// The character itself.
    Same,
    /// Another character, below U+3000.
    To(u16),
    /// Something else, such as several characters; must be computed.
    Further,
}

const TABLED: u32 = 0x3000;

static FOLDED: LazyLock<Vec<Info>> = LazyLock::new(|| tabled(Form::Folded));
static EXACT: LazyLock<Vec<Info>> = LazyLock::new(|| tabled(Form::Exact));

fn tabled(form: Form) -> Vec<Info> {
    let info = |code| char::from_u32(code).map_or(UNKNOWN, |c| compute(c, form));
    (0..TABLED).map(info).collect()
}

const UNKNOWN: Info = Info { class: Class::Symbol, composed: false, folds: Folds::Further };
const IDEOGRAPH: Info = Info { class: Class::Lone, composed: true, folds: Folds::Same };

/// The properties of a character.
#[inline]
pub(super) fn of(c: char, form: Form) -> Info {
    match c as u32 {
        code @ 0..TABLED => {
            let table = if form == Form::Folded { &*FOLDED } else { &*EXACT };
            table.get(code as usize).copied().unwrap_or(UNKNOWN)
        }
        0x3041..=0x3096 | 0x30a1..=0x30fa | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xac00..=0xd7a3 => {
            IDEOGRAPH
        }
        _ => compute(c, form),
    }
}

fn compute(c: char, form: Form) -> Info {
    let mut folded = Vec::new();
    fold_char(c, form, |c| folded.push(c));
    let (class, folds) = match *folded {
        [same] if same == c => (class::of_char(c), Folds::Same),
        [other] => match u16::try_from(other as u32) {
            Ok(code) if u32::from(code) < TABLED => (class::of_char(other), Folds::To(code)),
            _ => (Class::Symbol, Folds::Further),
        },
        _ => (Class::Symbol, Folds::Further),
    };
    // Marks can be in the wrong order even if each one is composed.
    let alone = is_nfc_quick(std::iter::once(c)) == IsNormalized::Yes;
    Info { class, composed: alone && class::of_char(c) != Class::Mark, folds }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_agrees_with_the_computed_properties_of_every_character() {
        for c in '\0'..=char::MAX {
            for form in [Form::Folded, Form::Exact] {
                assert_eq!(of(c, form), compute(c, form), "U+{:04X} {form:?}", c as u32);
            }
        }
    }
}
