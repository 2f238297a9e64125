//! Mutates the corpus with a seed. The fuzz test and the fuzz example share it, so that the seed and
//! number of a text reproduce it in both.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const CORPUS: [&str; 2] = [include_str!("papers.fql"), include_str!("everything.fql")];

/// Pieces that often break parsers.
const PIECES: [&str; 26] = [
    "\"",
    "'",
    "\\",
    "\\u{",
    "\\u{110000}",
    "r\"",
    "$",
    "[",
    "]",
    "(",
    ")",
    "|",
    ";",
    "--",
    "\0",
    "\u{feff}",
    "\u{301}",
    "冰",
    "🌋",
    "NOT (",
    "9999999999",
    "1.",
    "<>",
    "\r\n",
    "\u{2028}",
    "WHERE ",
];

/// The text with this number, for a seed.
pub(crate) fn text(seed: u64, number: u64) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number);
    let mut text: Vec<char> = CORPUS[rng.random_range(0..CORPUS.len())].chars().collect();
    for _ in 0..rng.random_range(1..12) {
        let at = rng.random_range(0..=text.len());
        let end = (at + rng.random_range(0..40)).min(text.len());
        match rng.random_range(0..7) {
            0 => drop(text.drain(at..end)),
            1 => {
                let again: Vec<char> = text[at..end].to_vec();
                for _ in 0..rng.random_range(1..20) {
                    text.splice(at..at, again.iter().copied());
                }
            }
            2 => {
                let piece = PIECES[rng.random_range(0..PIECES.len())];
                for _ in 0..rng.random_range(1..4) {
                    text.splice(at..at, piece.chars());
                }
            }
            3 if at < text.len() => text[at] = rng.random(),
            4 => text.truncate(at),
            5 => {
                let other: Vec<char> = CORPUS[rng.random_range(0..CORPUS.len())].chars().collect();
                let from = rng.random_range(0..other.len());
                let to = (from + rng.random_range(0..200)).min(other.len());
                text.splice(at..at, other[from..to].iter().copied());
            }
            _ if at < text.len() => {
                let c = text[at];
                text[at] =
                    if c.is_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
            }
            _ => {}
        }
    }
    text.into_iter().collect()
}

/// Does everything that a node does with an untrusted text; returns whether it is valid.
pub(crate) fn exercise(text: &str) -> bool {
    use pergola_query::syntax::Statement;
    use pergola_query::{Catalogue, FeedFilter, Matcher, QueryId, SourceId, parse, warnings};

    let script = match parse(text) {
        Ok(script) => script,
        Err(error) => {
            let shown = error.render(text, "fuzz");
            assert!(shown.contains("fuzz:"), "{shown}");
            return false;
        }
    };
    let printed = script.to_string();
    match parse(&printed) {
        Ok(again) => assert_eq!(again, script, "printing changed the meaning of:\n{text}"),
        Err(error) => {
            panic!("the printed text is invalid:\n{}", error.render(&printed, "fuzz"))
        }
    }
    let mut catalogue = Catalogue::new();
    let mut matcher = Matcher::new();
    for (number, statement) in script.statements.iter().enumerate() {
        let checked = catalogue.check(&statement.value);
        if let Statement::Create(feed) = &statement.value {
            warnings(&feed.body);
            let alone = FeedFilter::compile(&feed.body).is_ok();
            let added =
                matcher.add(QueryId(number as u64), &feed.body, None, |_| vec![SourceId(1)]);
            assert_eq!(alone, added.is_ok());
            assert!(alone || checked.is_err(), "checked but not compiled:\n{text}");
        }
        match checked {
            Ok(change) => catalogue.apply(change),
            Err(error) => assert!(!error.render(text, "fuzz").is_empty()),
        }
    }
    true
}
