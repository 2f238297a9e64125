//! Damaged queries: no panic, and valid ones survive printing.
//!
//! This runs a fixed number of texts; `cargo run --release -p pergola-query --example fuzz_queries` runs
//! any number.

use proptest::prelude::*;

#[path = "../corpus/mutate.rs"]
mod mutate;

#[test]
fn damaged_queries_are_parsed_or_rejected_and_never_panic() {
    let readable = (0..3_000).filter(|number| mutate::exercise(&mutate::text(1, *number))).count();
    // Both outcomes must be frequent, or the mutations are too strong or too weak to test anything.
    assert!((100..2_900).contains(&readable), "{readable} of 3000 are valid");
}

proptest! {
    #[test]
    fn any_text_is_parsed_or_rejected(text in any::<String>()) {
        mutate::exercise(&text);
    }

    #[test]
    fn any_sequence_of_keywords_is_parsed_or_rejected(
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
