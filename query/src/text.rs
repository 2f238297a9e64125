//! Splits texts into words, and decides when two words are equal.
//!
//! Phrases and items use the same rules, so that they always agree. The rules are those of Unicode,
//! simplified so that one word at a time is enough: letters, digits and marks form words; every other
//! visible character is a word; white space separates words. In scripts without spaces (and in Korean,
//! which attaches particles to words) each character is a word, so that a phrase is found wherever its
//! characters are adjacent. Case is folded, composed and decomposed accents are equal, and so are
//! typographic and plain apostrophes.
//!
//! Words have two forms. In the folded form, accents do not count: `café` is `cafe`. In the exact form
//! they do. Both forms of a text have the same number of words.

mod class;
mod fold;
mod phrase;
mod table;
mod words;

pub(crate) use fold::Form;
pub(crate) use phrase::Phrase;
pub use words::Words;

/// The normal form of a text: its folded words with one space before each word and after the last.
///
/// A text contains a phrase exactly if its normal form contains that of the phrase. The normal form of
/// a text without words is a single space.
pub fn normalise(text: &str) -> String {
    normal_form(text, Form::Folded)
}

/// The folded words of a text, in order.
pub fn words(text: &str) -> Vec<String> {
    let mut list = Vec::new();
    Words::default().each(text, Form::Folded, |word| list.push(word.to_owned()));
    list
}

/// The words of a text in one of their forms, with one space before each word and after the last.
pub(crate) fn normal_form(text: &str, form: Form) -> String {
    let mut normal = String::with_capacity(text.len() + 2);
    normal.push(' ');
    Words::default().each(text, form, |word| {
        normal.push_str(word);
        normal.push(' ');
    });
    normal
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn exact(text: &str) -> String {
        normal_form(text, Form::Exact)
    }

    #[test]
    fn case_is_folded_by_unicode_rules() {
        for form in [Form::Folded, Form::Exact] {
            let normal = |text| normal_form(text, form);
            assert_eq!(normal("STRASSE"), normal("Straße"));
            assert_eq!(normal("ΣΊΣΥΦΟΣ"), normal("σίσυφος"));
            assert_eq!(normal("ISTANBUL"), normal("istanbul"));
        }
        assert_ne!(exact("ı"), exact("i"));
    }

    #[test]
    fn folding_twice_equals_folding_once_for_every_character() {
        for c in '\0'..=char::MAX {
            for form in [Form::Folded, Form::Exact] {
                let once = normal_form(&c.to_string(), form);
                assert_eq!(normal_form(&once, form), once, "U+{:04X} {form:?}", c as u32);
            }
        }
    }

    #[test]
    fn accents_are_folded_and_the_exact_form_keeps_them() {
        for (written, folded) in [
            ("café", "cafe"),
            ("cafe\u{301}", "cafe"),
            ("Ångström", "angstrom"),
            ("Smørrebrød", "smorrebrod"),
            ("Łódź", "lodz"),
            ("Đà Nẵng", "da nang"),
            ("Þórsmörk", "thorsmork"),
            ("Œuvre, æther", "oeuvre , aether"),
            ("İstanbul Diyarbakır", "istanbul diyarbakir"),
            ("Αθήνα", "αθηνα"),
            ("ёлка", "елка"),
            ("CO₂ in m²", "co2 in m2"),
            ("ǿ ǽ ǰ", "o ae j"),
            ("שָׁלוֹם", "שלום"),
        ] {
            assert_eq!(normalise(written), format!(" {folded} "), "{written}");
            assert_ne!(exact(written), normalise(written), "{written}");
        }
    }

    #[test]
    fn marks_that_are_letters_of_their_script_stay() {
        for text in ["क्या हुआ", "がぎ", "ที่", "½", "Pergola™", "한글", "ｶﾞ"]
        {
            assert_eq!(normalise(text), exact(text), "{text}");
        }
    }

    #[test]
    fn composed_and_decomposed_accents_are_the_same_word() {
        assert_eq!(exact("Reykjavi\u{301}k"), " reykjavík ");
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

    #[test]
    fn every_character_makes_as_many_words_in_both_forms() {
        for c in '\0'..=char::MAX {
            let text = format!("{c}a{c}b {c}+{c}");
            let count = |form| normal_form(&text, form).split(' ').count();
            assert_eq!(count(Form::Folded), count(Form::Exact), "U+{:04X}", c as u32);
        }
    }

    proptest! {
        /// The matcher looks for exact words at the places of the folded ones.
        #[test]
        fn both_forms_of_a_text_have_as_many_words(text in any::<String>()) {
            let count = |form| {
                let mut count = 0;
                Words::default().each(&text, form, |_| count += 1);
                count
            };
            prop_assert_eq!(count(Form::Folded), count(Form::Exact));
        }
    }
}
