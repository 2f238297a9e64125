//! Markup in a text that may or may not be HTML, such as an RSS title.
//!
//! `A <em>real</em> surprise` is HTML; `Use <em> in HTML`, `a < b` and `Vec<String>` are not. So only elements of
//! HTML count, and only those that are also closed.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::lexer::{Lexer, Token};

/// Elements that a title may have, in lower case.
const ELEMENTS: [&str; 42] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "center", "cite", "code", "del", "dfn",
    "div", "em", "font", "h1", "h2", "h3", "h4", "h5", "h6", "i", "ins", "kbd", "mark", "nobr",
    "p", "q", "s", "samp", "script", "small", "span", "strike", "strong", "style", "sub", "sup",
    "time", "tt", "u", "var",
];

/// Whether [`without_markup`] finds something to remove.
pub(crate) fn has_markup(text: &str) -> bool {
    !found(text).is_empty()
}

/// The text without its markup and with collapsed white space; as it is if it has no markup. Character references
/// stay.
pub(crate) fn without_markup(text: &str) -> Cow<'_, str> {
    let found = found(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for Removed { range, parts } in found {
        // The tag may be inside a script that is removed already.
        if range.end <= at {
            continue;
        }
        out.push_str(&text[at..range.start.max(at)]);
        if parts {
            out.push(' ');
        }
        at = range.end;
    }
    out.push_str(&text[at..]);
    Cow::Owned(out.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// What is removed.
struct Removed {
    range: Range<usize>,
    /// It parts words: a line break, a paragraph.
    parts: bool,
}

/// The tags that are markup, in order; a script or style from its start to its end.
fn found(text: &str) -> Vec<Removed> {
    if !text.contains('<') {
        return Vec::new();
    }
    let mut found: Vec<Removed> = Vec::new();
    let mut open: HashMap<String, Vec<Range<usize>>> = HashMap::new();
    let mut lexer = Lexer::new(text);
    loop {
        let start = lexer.position();
        let Some(token) = lexer.next() else { break };
        let range = start..lexer.position();
        match token {
            Token::Start(tag) => {
                let name = tag.name.to_ascii_lowercase();
                let alone = matches!(name.as_str(), "br" | "wbr");
                let picture = name == "img" && !tag.attributes.trim().is_empty();
                if alone || picture {
                    found.push(Removed { range, parts: name != "wbr" });
                } else if !tag.empty && ELEMENTS.contains(&name.as_str()) {
                    open.entry(name).or_default().push(range);
                }
            }
            Token::End { name, .. } => {
                let name = name.to_ascii_lowercase();
                let Some(start) = open.get_mut(&name).and_then(Vec::pop) else { continue };
                if matches!(name.as_str(), "script" | "style") {
                    found.push(Removed { range: start.start..range.end, parts: true });
                    continue;
                }
                let parts = super::xhtml::is_block(&name);
                found.push(Removed { range: start, parts });
                found.push(Removed { range, parts });
            }
            _ => {}
        }
    }
    found.sort_by_key(|removed| (removed.range.start, std::cmp::Reverse(removed.range.end)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_that_are_closed_are_markup() {
        for (text, plain) in [
            ("A <em>real</em> surprise", "A real surprise"),
            ("<b>Bold</b>", "Bold"),
            ("<EM CLASS='x'>loud</em>er", "louder"),
            ("<p>One</p><p>two</p>", "One two"),
            ("<a href=\"https://example.org/?a=1&amp;b=2\">Link</a> &amp; more", "Link &amp; more"),
            ("H<sub>2</sub>O", "H2O"),
            ("One<br/>two<BR>three", "One two three"),
            ("<img src='x.png' alt=''> Picture", "Picture"),
            ("a<script>alert(1 < 2 > 0, '<b>x</b>')</script>b", "a b"),
            ("<i><b>both</i></b>", "both"),
            ("a < b, <i>c</i> > d", "a < b, c > d"),
            ("a<script>b<style>c</script>d</style>e", "a e"),
        ] {
            assert_eq!(without_markup(text), plain, "{text}");
            assert!(has_markup(text), "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_markup_stays() {
        for text in [
            "a < b",
            "a <b and c> d",
            "Use <em> in HTML",
            "Closing </p> tags",
            "Vec<String> and Option<T>",
            "<3 and <- and ->",
            "  spaces   stay ",
            "<img> is void",
            "<unknown>element</unknown>",
            "<!-- a comment -->",
            "tail <",
            "",
        ] {
            assert_eq!(without_markup(text), text);
            assert!(!has_markup(text), "{text}");
        }
    }

    #[test]
    fn many_tags_take_no_more_than_linear_time() {
        let text = format!("{}{}", "<b>".repeat(200_000), "</i>".repeat(200_000));
        assert!(!has_markup(&text));
        let text = format!("{}x{}", "<b>".repeat(200_000), "</b>".repeat(200_000));
        assert_eq!(without_markup(&text), "x");
    }
}
