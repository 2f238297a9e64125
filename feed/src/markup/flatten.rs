//! Flattens markup for html5ever, which takes time quadratic in the depth of nesting.

use std::borrow::Cow;

use super::lexer::{Lexer, Token};
use crate::limits::prefix;

/// The depth to which browsers nest elements.
const DEPTH: usize = 256;

/// Whether an element adds to the depth: it is neither void nor closed by the next of its kind.
fn counts(name: &str) -> bool {
    !matches!(
        name.to_ascii_lowercase().as_str(),
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
            | "p"
            | "li"
            | "dt"
            | "dd"
            | "option"
            | "tr"
            | "td"
            | "th"
            | "thead"
            | "tbody"
    )
}

/// At most `max` bytes of `html`, without the tags that nest too deeply.
pub(crate) fn flattened(html: &str, max: usize) -> Cow<'_, str> {
    let html = prefix(html, max);
    if !too_deep(html) {
        return Cow::Borrowed(html);
    }
    let mut out = String::with_capacity(html.len());
    let (mut depth, mut dropped) = (0usize, 0usize);
    let mut lexer = Lexer::new(html);
    loop {
        let start = lexer.position();
        let Some(token) = lexer.next() else { break };
        match token {
            Token::Start(tag) if !tag.empty && counts(tag.name) => {
                if depth >= DEPTH {
                    dropped += 1;
                    continue;
                }
                depth += 1;
            }
            Token::End { name, .. } if counts(name) => {
                if dropped > 0 {
                    dropped -= 1;
                    continue;
                }
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
        out.push_str(&html[start..lexer.position()]);
    }
    Cow::Owned(out)
}

fn too_deep(html: &str) -> bool {
    let mut depth = 0usize;
    let mut lexer = Lexer::new(html);
    while let Some(token) = lexer.next() {
        match token {
            Token::Start(tag) if !tag.empty && counts(tag.name) => depth += 1,
            Token::End { name, .. } if counts(name) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH {
            return true;
        }
    }
    false
}
