//! Splits texts into words, and decides when two words are equal.
//!
//! Phrases and items use the same rules, so that they always agree. The rules are those of Unicode,
//! simplified so that one word at a time is enough: letters, digits and marks form words; every other
//! visible character is a word; white space separates words. In scripts without spaces (and in Korean,
//! which attaches particles to words) each character is a word, so that a phrase is found wherever its
//! characters are adjacent. Case is folded, composed and decomposed accents are equal, and so are
//! typographic and plain apostrophes.

mod class;
mod fold;
mod table;
mod words;

pub(crate) use words::Words;

/// The normal form of a text: its folded words with one space before each word and after the last.
///
/// A text contains a phrase exactly if its normal form contains that of the phrase. The normal form of
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

/// The folded words of a text, in order.
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
    fn folding_twice_equals_folding_once_for_every_character() {
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
    fn combining_marks_stay_inside_their_word() {
        assert_eq!(words("क्या हुआ"), ["क्या", "हुआ"]);
        assert_eq!(words("soft\u{ad}hyphen"), ["softhyphen"]);
        assert_eq!(words("ＦＵＬＬ wide"), ["full", "wide"]);
    }
}
