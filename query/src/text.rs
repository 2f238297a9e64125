//! What counts as a word, and when two words are the same.
//!
//! Every text comparison of the language goes through here, for phrases and for items alike, so the
//! two can never disagree. The rule is Unicode's default one reduced to what can be decided from one
//! word at a time: letters, digits and marks form words; each other visible character is a word of its
//! own; white space only separates. In scripts that are written without spaces (or, like Korean, glue
//! particles to words) each character is a word, so a phrase is found wherever its characters stand
//! together. Case is folded, composed and decomposed accents are equal, and so are typographic and
//! plain apostrophes.

mod class;
mod fold;
mod table;
mod words;

pub(crate) use words::Words;

/// The normal form of a text: its words, folded, each with one space before it and one after the last.
///
/// A phrase stands in a text exactly when the phrase's normal form is part of the text's. The form of
/// a text without words is a single space.
pub fn normalise(text: &str) -> String {
    let mut normal = String::with_capacity(text.len() + 2);
    normal.push(' ');
    Words::default().each(text, |word| {
        normal.push_str(word);
        normal.push(' ');
    });
    normal
}

/// The words of a text in their folded form, in order.
pub fn words(text: &str) -> Vec<String> {
    let mut list = Vec::new();
    Words::default().each(text, |word| list.push(word.to_owned()));
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_is_folded_by_unicode_rules() {
        assert_eq!(normalise("STRASSE"), normalise("Straße"));
        assert_eq!(normalise("ΣΊΣΥΦΟΣ"), normalise("σίσυφος"));
        assert_eq!(normalise("ISTANBUL"), normalise("istanbul"));
        assert_ne!(normalise("ı"), normalise("i"));
    }

    #[test]
    fn folding_twice_is_folding_once_for_every_character() {
        for c in '\0'..=char::MAX {
            let once = normalise(&c.to_string());
            assert_eq!(normalise(&once), once, "U+{:04X}", c as u32);
        }
    }

    #[test]
    fn composed_and_decomposed_accents_are_the_same_word() {
        assert_eq!(normalise("Reykjavi\u{301}k"), " reykjavík ");
        assert_eq!(words("\u{1112}\u{1161}\u{11ab}"), ["한"]);
    }

    #[test]
    fn punctuation_is_a_word_and_white_space_is_not() {
        assert_eq!(words("C++,\tnew\u{a0}York\n"), ["c", "+", "+", ",", "new", "york"]);
        assert_eq!(words("don\u{2019}t"), words("don't"));
        assert_eq!(words("  \u{200b} "), Vec::<String>::new());
    }

    #[test]
    fn scripts_without_spaces_are_split_at_every_character() {
        assert_eq!(words("冰岛火山"), ["冰", "岛", "火", "山"]);
        assert_eq!(words("アイス2026年"), ["ア", "イ", "ス", "2026", "年"]);
        assert_eq!(words("ที่นี่"), ["ที่", "นี่"]);
        assert_eq!(words("서울에서"), ["서", "울", "에", "서"]);
    }

    #[test]
    fn marks_that_carry_no_letter_stay_inside_their_word() {
        assert_eq!(words("क्या हुआ"), ["क्या", "हुआ"]);
        assert_eq!(words("soft\u{ad}hyphen"), ["softhyphen"]);
        assert_eq!(words("ＦＵＬＬ wide"), ["full", "wide"]);
    }
}
