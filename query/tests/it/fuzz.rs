//! Damaged queries: no panic, and whatever can be read prints to the same.
//!
//! A bounded number of texts; `cargo run --release -p pergola-query --example fuzz_queries` tries as many as one
//! likes.

use proptest::prelude::*;

#[path = "../corpus/mutate.rs"]
mod mutate;

#[test]
fn damaged_queries_are_read_or_refused_and_never_panic() {
    let readable = (0..3_000).filter(|number| mutate::exercise(&mutate::text(1, *number))).count();
    // Both ways must be taken often, or the corpus is damaged too much or too little to test anything.
    assert!((100..2_900).contains(&readable), "{readable} of 3000 could be read");
}

proptest! {
    #[test]
    fn any_text_at_all_is_read_or_refused(text in any::<String>()) {
        mutate::exercise(&text);
    }

    #[test]
    fn any_sequence_of_words_of_the_language_is_read_or_refused(
        words in proptest::collection::vec(
            proptest::sample::select(
                pergola_query::syntax::Keyword::ALL.iter().map(|keyword| keyword.text())
                    .chain(["\"a\"", "$a", "x", "7", "(", ")", "[", "]", "|", ";", ",", "=", "!=", "<"])
                    .collect::<Vec<_>>()
            ),
            0..40,
        ),
    ) {
        mutate::exercise(&words.join(" "));
    }
}
