//! Text without markup, for searching.
//!
//! This is not a parser: it replaces tags by spaces, removes scripts and styles, and decodes
//! references, in one pass, because it runs on every item of every refresh.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use crate::markup::chars;
use crate::model::{Text, TextKind};

/// The words of a text without tags. Borrows a plain text.
pub fn plain_text(text: &Text) -> Cow<'_, str> {
    let body = text.body.as_str();
    if text.kind == TextKind::Plain || memchr2(b'<', b'&', body.as_bytes()).is_none() {
        return Cow::Borrowed(body);
    }
    let mut words = String::with_capacity(body.len());
    // No tag ends after the last `>`.
    let tagged = memchr::memrchr(b'>', body.as_bytes()).map_or(0, |at| at + 1);
    let mut rest = body;
    while let Some(at) = memchr(b'<', rest.as_bytes()) {
        words.push_str(&rest[..at]);
        rest = &rest[at..];
        let is_before = body.len() - rest.len() < tagged || rest.starts_with("<!--");
        let Some(length) = is_before.then(|| tag_length(rest)).flatten() else {
            words.push('<');
            rest = &rest[1..];
            continue;
        };
        if !is_inline(&rest[..length]) {
            words.push(' ');
        }
        rest = &rest[length..];
    }
    words.push_str(rest);
    if memchr(b'&', words.as_bytes()).is_some() {
        return Cow::Owned(chars::decoded(&words));
    }
    Cow::Owned(words)
}

/// The length of the tag, comment, script or style at the start; `None` if it is only a `<`.
fn tag_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    if text.starts_with("<!--") {
        return Some(memchr::memmem::find(bytes, b"-->").map_or(text.len(), |at| at + 3));
    }
    if !matches!(bytes.get(1)?, b'a'..=b'z' | b'A'..=b'Z' | b'/' | b'!' | b'?') {
        return None;
    }
    let end = memchr(b'>', bytes)? + 1;
    for (name, close) in [("script", "</script"), ("style", "</style")] {
        let named = text.get(1..=name.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(name));
        if named && !text[..end].ends_with("/>") {
            let inside = &text[end..];
            let closing = inside.match_indices('<').find(|(at, _)| {
                inside[*at..].get(..close.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(close))
            });
            return Some(match closing {
                Some((at, _)) => {
                    end + at
                        + memchr(b'>', &inside.as_bytes()[at..])
                            .map_or(inside.len() - at, |gt| gt + 1)
                }
                None => text.len(),
            });
        }
    }
    Some(end)
}

/// Whether a tag may be inside a word.
fn is_inline(tag: &str) -> bool {
    let name = tag.trim_start_matches(['<', '/']);
    let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
    const INLINE: [&str; 12] =
        ["a", "b", "i", "u", "em", "strong", "span", "sub", "sup", "mark", "small", "wbr"];
    INLINE.iter().any(|inline| name[..end].eq_ignore_ascii_case(inline))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(html: &str) -> String {
        plain_text(&Text::html(html)).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn tags_separate_words_unless_they_are_inside_one() {
        assert_eq!(plain("<p>One</p><p>two<br>th<b>re</b>e</p>"), "One two three");
    }

    #[test]
    fn scripts_styles_and_comments_are_removed() {
        let html = "a<script>if (x<y) alert('b')</script> c<STYLE>d{}</Style> e<!-- f <p> -->g";
        assert_eq!(plain(html), "a c e g");
        assert_eq!(plain("a<script>never closed"), "a");
    }

    #[test]
    fn references_are_decoded_and_a_single_bracket_is_a_character() {
        assert_eq!(plain("caf&eacute; &amp; 1 < 2 &lt;b&gt;"), "café & 1 < 2 <b>");
        assert_eq!(plain("ends in <"), "ends in <");
        assert_eq!(plain("ends in <p"), "ends in <p");
    }

    #[test]
    fn a_plain_text_is_borrowed() {
        assert!(matches!(plain_text(&Text::plain("a < b &amp; c")), Cow::Borrowed(_)));
    }
}
