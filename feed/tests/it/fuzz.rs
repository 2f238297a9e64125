//! A fixed number of mutated documents: nothing panics, and the results stay within the limits.
//!
//! `cargo run --release -p pergola-feed --example fuzz` runs longer and measures time and memory.

#[path = "../../examples/fuzz/mutate.rs"]
mod mutate;

use pergola_feed::html::{annotated, discover};
use pergola_feed::opml::Opml;
use pergola_feed::{Limits, ParseError, ParseOptions, parse};

use mutate::{Mutator, corpus};

const INPUTS: usize = 4000;

#[test]
fn mutated_documents_never_panic_and_stay_within_their_limits() {
    let mut mutator = Mutator::new(corpus(), 1);
    let limits = Limits { items: 50, text: 4096, ..Limits::default() };
    let options = ParseOptions { limits, ..Default::default() };
    let mut read = 0;
    for _ in 0..INPUTS {
        let input = mutator.next();
        match parse(&input, &options) {
            Ok(document) => {
                read += 1;
                assert!(document.items.len() <= 50);
                let texts = document.items.iter().flat_map(|i| i.summary.iter().chain(&i.content));
                // Making addresses absolute may lengthen a text that was cut at the limit.
                let longest = texts.map(|text| text.body.len()).max().unwrap_or(0);
                assert!(longest <= 4096 + 64 * 1024, "{longest}");
            }
            Err(ParseError::Unrepairable { reason }) => {
                panic!("not repaired ({reason}): {}", String::from_utf8_lossy(&input))
            }
            Err(_) => {}
        }
    }
    assert!(read > INPUTS / 2, "the mutations are too wild to test anything: {read}");
}

#[test]
fn mutated_lists_and_pages_never_panic() {
    let mut mutator = Mutator::new(corpus(), 2);
    let mut lists = 0;
    for _ in 0..INPUTS {
        let input = mutator.next();
        lists += usize::from(Opml::parse(&input).is_ok());
        let text = String::from_utf8_lossy(&input);
        discover(&text, None);
        annotated(&text, None, &Limits::default());
    }
    assert!(lists > 20, "too few lists among the inputs: {lists}");
}
