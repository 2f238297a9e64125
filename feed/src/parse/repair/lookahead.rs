//! Finds out whether an element is closed before its item ends.
//!
//! This distinguishes an unclosed element from markup inside a text. Each answer costs a search, so we
//! cache the end of the item and limit the work of all searches together: once the budget is spent,
//! every answer is "not closed". That stops documents made to provoke millions of searches.

use crate::markup::lexer::Lexer;
use crate::markup::names::split;

/// Whether a tag starts or ends an item, or ends the feed; `text` starts after the `<`.
fn is_boundary(text: &str) -> bool {
    let (closing, text) = match text.strip_prefix('/') {
        Some(text) => (true, text),
        None => (false, text),
    };
    let end = text.bytes().take(32).position(|b| b.is_ascii_whitespace() || b"></<".contains(&b));
    let local = text.get(..end.unwrap_or(text.len().min(32))).map_or("", |name| split(name).1);
    ends_item(local) && (closing || !is_feed(local))
}

/// Whether a name is that of an item or of an element around items.
pub(super) fn ends_item(local: &str) -> bool {
    ["item", "entry"].iter().any(|name| local.eq_ignore_ascii_case(name)) || is_feed(local)
}

fn is_feed(local: &str) -> bool {
    ["channel", "rss", "feed", "rdf"].iter().any(|name| local.eq_ignore_ascii_case(name))
}

pub(super) struct Lookahead {
    /// Where the next item starts or the current one ends; valid while the lexer is before it.
    boundary: usize,
    budget: usize,
    /// Names that are not closed before the given boundary.
    missing: Vec<(String, usize)>,
}

impl Lookahead {
    pub(super) fn new(length: usize) -> Self {
        Self { boundary: 0, budget: length.saturating_mul(8) + 4096, missing: Vec::new() }
    }

    /// Whether `</name` comes before the next boundary.
    pub(super) fn closes(&mut self, lexer: &Lexer<'_>, name: &str) -> bool {
        let from = lexer.position();
        let boundary = self.boundary(lexer.text(), from);
        let known = |(missing, until): &(String, usize)| missing == name && *until == boundary;
        if self.budget == 0 || self.missing.iter().any(known) {
            return false;
        }
        let window = &lexer.text()[from..boundary];
        let mut at = 0;
        while let Some(found) = memchr::memmem::find(&window.as_bytes()[at..], b"</") {
            if self.budget <= found {
                return false;
            }
            self.budget -= found + 1;
            at += found + 2;
            if is_name(&window[at..], name) {
                return true;
            }
        }
        self.budget = self.budget.saturating_sub(window.len() - at);
        self.missing.retain(|(_, until)| *until == boundary);
        if self.missing.len() < 64 {
            self.missing.push((name.to_owned(), boundary));
        }
        false
    }

    fn boundary(&mut self, text: &str, from: usize) -> usize {
        if self.boundary <= from {
            let mut at = from;
            self.boundary = loop {
                match memchr::memchr(b'<', &text.as_bytes()[at..]) {
                    None => break text.len(),
                    Some(found) => {
                        at += found + 1;
                        if is_boundary(&text[at..]) {
                            break at - 1;
                        }
                    }
                }
            };
        }
        self.boundary.max(from)
    }
}

/// Whether `text` starts with exactly this name, in upper or lower case.
fn is_name(text: &str, name: &str) -> bool {
    text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name))
        && text[name.len()..]
            .bytes()
            .next()
            .is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b'>' | b'/' | b'<'))
}
