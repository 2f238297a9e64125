//! HTML that is designed to be slow: each kind is sanitised at half of the size and at the size, and read by selectors.

use std::hint::black_box;

use pergola_feed::html::{Selectors, plain_text, select};
use pergola_feed::{Limits, Text, sanitize};

use super::timed;

/// How long one text may take.
const SECONDS: f64 = 1.0;

/// Its name, its start, and a piece to repeat, in which `#` becomes a running number.
type Kind = (&'static str, &'static str, &'static str);

pub(crate) const KINDS: [Kind; 34] = [
    ("attributes", "<p ", "a#=1 "),
    ("attributes without values", "<a href=x ", "a# "),
    ("attributes of end tags", "<p></p ", "a# "),
    ("attributes after a comment", "<!--><p ", "a# "),
    ("attributes of formatting", "", "<b a#=1 b=2 c=3 d=4 e=5 f=6 g=7 h=8>x</b>"),
    ("nested divisions", "", "<div>"),
    ("nested after a comment", "<!-->", "<div>"),
    ("nested in SVG", "<svg>", "<tr>"),
    ("nested void in SVG", "<svg>", "<input>"),
    ("nested in MathML", "<math><mi>", "<td><math><mi>"),
    ("nested by ignored ends", "", "<div><table><td></div></table>"),
    ("nested lists", "", "<ul><li>x"),
    ("nested tables", "", "<table><tr><td>x"),
    ("nested buttons", "", "<p><button>x"),
    ("nested templates", "", "<template><td>x"),
    ("formatting that goes on", "", "<p><b a=#>x"),
    ("formatting, then paragraphs", "<b a=1><i a=2><u a=3><s a=4><em a=5><tt a=6><font a=7><a href=8>", "<p>x"),
    ("deep formatting, then paragraphs", "<p><b a=1><b a=2><b a=3><b a=4><b a=5><b a=6><b a=7><b a=8><b a=9>", "<p>x"),
    ("crossed formatting", "", "<b><i></b>x</i>"),
    ("crossed blocks", "", "<a><div><b></a>x</b>"),
    ("links in links", "", "<a href=x><p>x"),
    ("nobr", "", "<nobr>x"),
    ("formatting with a long address", "<a href=http://example.org/0123456789012345678901234567890123456789>", "<p>x"),
    ("elements between rows", "<table>", "<i>x</i>"),
    ("text between rows", "<table>", "<tr>x"),
    ("elements in rows", "<table><tr>", "<br>"),
    ("options", "<select>", "<option>x"),
    ("paragraphs", "", "<p>x"),
    ("less-than signs", "", "<"),
    ("starts of tags", "", "<a "),
    ("starts of comments", "", "<!--"),
    ("dashes", "<!--", "-"),
    ("references", "", "&amp;&lt;&#x41;&notit;"),
    ("doctypes", "", " <!doctype html>"),
];

pub(crate) fn input((_, start, piece): Kind, size: usize) -> String {
    let mut text = String::from(start);
    let mut number = 0;
    while text.len() < size {
        match piece.split_once('#') {
            Some((before, after)) => text.push_str(&format!("{before}{number}{after}")),
            None => text.push_str(piece),
        }
        number += 1;
    }
    text
}

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
            let selectors = Selectors { item: (*item).to_owned(), title, content, ..Selectors::default() };
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
