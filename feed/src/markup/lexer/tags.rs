//! The ends and attributes of tags that were written carelessly.

use super::{Tag, Token};
use crate::markup::chars::{Declared, push_decoded};

pub(super) fn end_tag(rest: &str) -> (Token<'_>, usize) {
    let Some(end) = memchr::memchr2(b'>', b'<', &rest.as_bytes()[1..]).map(|at| at + 1) else {
        return (Token::Cut, rest.len());
    };
    let name = rest[2..end].split(|c: char| c.is_whitespace()).next().unwrap_or("");
    let closed = rest.as_bytes()[end] == b'>';
    let length = end + usize::from(closed);
    (Token::End { name, raw: &rest[..length] }, length)
}

pub(super) fn start_tag(rest: &str) -> (Token<'_>, usize) {
    let bytes = rest.as_bytes();
    let name_end = bytes
        .iter()
        .skip(1)
        .position(|b| b.is_ascii_whitespace() || matches!(b, b'>' | b'/' | b'<' | b'='))
        .map_or(rest.len(), |at| at + 1);
    let Some((end, length)) = tag_end(bytes, name_end) else {
        return (Token::Cut, rest.len());
    };
    let inside = &rest[name_end..end];
    let (attributes, empty) = match inside.trim_end().strip_suffix('/') {
        Some(attributes) => (attributes, true),
        None => (inside, false),
    };
    let name = &rest[1..name_end];
    let raw = &rest[..length];
    (Token::Start(Tag { name, attributes, empty, raw }), length)
}

/// Where the inside of a tag ends, and the length of the tag: at a `>` outside quotes or, if that is
/// missing, where the next tag starts.
fn tag_end(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let mut at = from;
    while at < bytes.len() {
        match bytes[at] {
            b'>' => return Some((at, at + 1)),
            b'<' => return Some((at, at)),
            quote @ (b'"' | b'\'') if bytes[..at].trim_ascii_end().ends_with(b"=") => {
                let start = at + 1;
                let window = &bytes[start..bytes.len().min(start + 8192)];
                match memchr::memchr(quote, window) {
                    Some(length) => match overrun(&window[..length]) {
                        // The quote belongs to a later tag: this value is not closed.
                        Some(cut) => {
                            let close = memchr::memchr(b'>', &window[..cut]);
                            let end = start + close.unwrap_or(cut);
                            return Some((end, end + usize::from(close.is_some())));
                        }
                        None => at = start + length + 1,
                    },
                    None => at += 1,
                }
            }
            _ => at += 1,
        }
    }
    None
}

/// Where feed markup starts inside what should be the value of an attribute.
pub(super) fn overrun(value: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'<', value).find(|at| {
        let rest = &value[at + 1..];
        let name = rest.split(|b| !b.is_ascii_alphabetic() && *b != b':').next();
        rest.starts_with(b"/") || name.is_some_and(is_feed_name)
    })
}

/// Names of elements that are most likely part of a feed.
pub(super) fn is_feed_name(name: &[u8]) -> bool {
    const NAMES: [&str; 18] = [
        "item",
        "entry",
        "channel",
        "title",
        "link",
        "description",
        "guid",
        "pubDate",
        "rss",
        "feed",
        "author",
        "category",
        "content:encoded",
        "summary",
        "content",
        "updated",
        "published",
        "id",
    ];
    NAMES.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(name))
}

/// The attributes of a tag with decoded values; quotes may be missing.
pub(crate) fn attributes<'a>(text: &'a str, declared: &Declared) -> Vec<(&'a str, String)> {
    let mut found: Vec<(&str, String)> = Vec::new();
    let mut rest = text;
    while found.len() < 64 {
        rest = rest
            .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '/' | '='));
        let end = rest.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if name.is_empty() {
            break;
        }
        let (raw, after) = value(after);
        if !found.iter().any(|(known, _)| *known == name) {
            let mut decoded = String::new();
            push_decoded(&mut decoded, raw, declared);
            found.push((name, decoded));
        }
        rest = after;
    }
    found
}

fn value(text: &str) -> (&str, &str) {
    let Some(text) = text.trim_start().strip_prefix('=') else {
        return ("", text);
    };
    let text = text.trim_start();
    match text.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let body = &text[1..];
            match body.find(quote) {
                Some(end) => (&body[..end], &body[end + 1..]),
                None => (body, ""),
            }
        }
        _ => {
            let end = text.find(char::is_whitespace).unwrap_or(text.len());
            text.split_at(end)
        }
    }
}
