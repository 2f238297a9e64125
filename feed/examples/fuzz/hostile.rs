//! HTML that is designed to be slow: each kind is sanitised at half of the size and at the size, and read by selectors.

use std::hint::black_box;

use pergola_feed::html::{Selectors, plain_text, select};
use pergola_feed::{Limits, Text, sanitize};

use super::kinds::{KINDS, input};
use super::timed;

/// How long one text may take.
const SECONDS: f64 = 1.0;

/// Selectors that look at little, and at much.
const SELECTORS: [&str; 4] = ["*", "div p", "*:nth-child(3n+1)", "p ~ p"];

/// Returns how many took too long.
pub(crate) fn run() -> usize {
    println!("\n{:<34}{:>10}{:>8}{:>10}{:>10}", "1 MiB of", "sanitise", "ratio", "words", "select");
    let mut failures = 0;
    for kind in KINDS {
        let half = Text::html(input(kind, 1 << 19));
        let whole = Text::html(input(kind, 1 << 20));
        let page = input(kind, 2 << 20);
        let (first, _) = timed(|| black_box(sanitize(&half, None)));
        let (clean, _) = timed(|| black_box(sanitize(&whole, None)));
        let (words, _) = timed(|| black_box(plain_text(&whole).len()));
        let chosen = SELECTORS.iter().map(|item| {
            let title = Some("b > i".to_owned());
            let content = Some("b".to_owned());
            let selectors =
                Selectors { item: (*item).to_owned(), title, content, ..Selectors::default() };
            timed(|| black_box(select(&page, &selectors, None, &Limits::default()).is_ok())).0
        });
        let chosen = chosen.fold(0.0, f64::max);
        let slow = clean.max(words).max(chosen) > SECONDS;
        failures += usize::from(slow);
        let mark = if slow { "  <- over the limit" } else { "" };
        println!(
            "{:<34}{clean:>10.3}{:>8.1}{words:>10.3}{chosen:>10.3}{mark}",
            kind.0,
            clean / first.max(1e-6)
        );
    }
    failures
}
