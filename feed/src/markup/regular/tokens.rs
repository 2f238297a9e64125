//! Tokens of HTML, as the HTML standard says.
//!
//! It visits every byte a bounded number of times. Two liberties: a `<` after which there is no `>` at all is text, and
//! of the attributes of a tag only the first ones are kept, and only those that somebody wants.

use memchr::{memchr, memmem};

use super::Keeps;

/// One piece of a text.
pub(super) enum Token<'a> {
    /// Text with references and without `<`.
    Text(&'a str),
    /// A `<` that starts nothing.
    LessThan,
    Start(Tag<'a>),
    End(&'a str),
    Doctype,
    /// A comment, or what the standard treats as one.
    Comment,
}

/// A start tag. Its attributes are those that [`Tokens::attributes`] returns until the next token.
pub(super) struct Tag<'a> {
    pub name: &'a str,
    /// Written as `<name/>`.
    pub empty: bool,
}

/// An attribute as it is written.
#[derive(Clone, Copy)]
pub(super) struct Attribute<'a> {
    pub name: &'a str,
    pub value: &'a str,
    /// How its value was quoted, or `"` if it was not.
    pub quote: char,
    pub quoted: bool,
}

pub(super) struct Tokens<'a> {
    keeps: &'a dyn Keeps,
    text: &'a str,
    at: usize,
    /// Where the last `>` is; no markup ends after it.
    last: Option<usize>,
    attributes: Vec<Attribute<'a>>,
    /// Attributes of one tag that are kept.
    most: usize,
    /// Attributes that were not kept because there were too many.
    pub(super) surplus: usize,
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ')
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str, keeps: &'a dyn Keeps, most: usize) -> Self {
        let last = memchr::memrchr(b'>', text.as_bytes());
        Self { keeps, text, at: 0, last, attributes: Vec::new(), most, surplus: 0 }
    }

    /// The attributes of the last start tag; of those with the same name only the first.
    pub(super) fn attributes(&self) -> &[Attribute<'a>] {
        &self.attributes
    }

    pub(super) fn next(&mut self) -> Option<Token<'a>> {
        let rest = &self.text[self.at..];
        if rest.is_empty() {
            return None;
        }
        if !rest.starts_with('<') {
            let end = memchr(b'<', rest.as_bytes()).unwrap_or(rest.len());
            self.at += end;
            return Some(Token::Text(&rest[..end]));
        }
        let bytes = rest.as_bytes();
        let (token, length) = match (bytes.get(1), bytes.get(2)) {
            _ if self.last.is_none_or(|last| last < self.at) => (Token::LessThan, 1),
            (Some(b), _) if b.is_ascii_alphabetic() => match self.tag(&rest[1..]) {
                Some((name, empty, length)) => (Token::Start(Tag { name, empty }), 1 + length),
                None => (Token::Comment, rest.len()),
            },
            (Some(b'/'), Some(b)) if b.is_ascii_alphabetic() => match self.tag(&rest[2..]) {
                Some((name, _, length)) => (Token::End(name), 2 + length),
                None => (Token::Comment, rest.len()),
            },
            (Some(b'!'), _) if rest.starts_with("<!--") => (Token::Comment, comment(bytes)),
            (Some(b'!'), _) => {
                let doctype = rest.get(2..9).is_some_and(|w| w.eq_ignore_ascii_case("doctype"));
                (if doctype { Token::Doctype } else { Token::Comment }, to_bracket(bytes))
            }
            (Some(b'/' | b'?'), _) => (Token::Comment, to_bracket(bytes)),
            _ => (Token::LessThan, 1),
        };
        self.at += length;
        Some(token)
    }

    /// The text up to the end tag of the element `name`, or all of it. The end tag is skipped.
    pub(super) fn raw_text(&mut self, name: &str) -> &'a str {
        let rest = &self.text[self.at..];
        let closes = |at: &usize| {
            let tag = rest.as_bytes().get(at + 2..).unwrap_or_default();
            let named =
                tag.get(..name.len()).is_some_and(|n| n.eq_ignore_ascii_case(name.as_bytes()));
            named && tag.get(name.len()).is_none_or(|b| is_space(*b) || matches!(b, b'/' | b'>'))
        };
        let Some(end) = memmem::find_iter(rest.as_bytes(), "</").find(closes) else {
            self.at = self.text.len();
            return rest;
        };
        let tag =
            2 + self.tag(&rest[end + 2..]).map_or(rest.len() - end - 2, |(_, _, length)| length);
        self.at += end + tag;
        &rest[..end]
    }

    /// Everything that is left.
    pub(super) fn remainder(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        self.at = self.text.len();
        rest
    }

    /// Reads a tag from its name on: the name, whether it ends in `/>`, and its length with the `>`. `None` if it
    /// never ends.
    fn tag(&mut self, text: &'a str) -> Option<(&'a str, bool, usize)> {
        let bytes = text.as_bytes();
        self.attributes.clear();
        let mut at = bytes.iter().position(|b| is_space(*b) || matches!(b, b'/' | b'>'))?;
        let name = &text[..at];
        let lower = name.to_ascii_lowercase();
        loop {
            let from = at;
            at += bytes[at..].iter().position(|b| !is_space(*b) && *b != b'/')?;
            if bytes[at] == b'>' {
                return Some((name, at > from && bytes[at - 1] == b'/', at + 1));
            }
            let start = at;
            // The first character belongs to the name even if it is a `=`.
            at += 1;
            let ends = |b: &u8| is_space(*b) || matches!(b, b'/' | b'>' | b'=');
            at += bytes[at..].iter().position(ends)?;
            let name_end = at;
            let after = at + bytes[at..].iter().position(|b| !is_space(*b))?;
            let mut attribute =
                Attribute { name: &text[start..name_end], value: "", quote: '"', quoted: true };
            if bytes[after] == b'=' {
                at = after + 1;
                at += bytes[at..].iter().position(|b| !is_space(*b))?;
                let value = at;
                match bytes[at] {
                    b'>' => {}
                    quote @ (b'"' | b'\'') => {
                        let length = memchr(quote, &bytes[value + 1..])?;
                        attribute.value = &text[value + 1..value + 1 + length];
                        attribute.quote = quote.into();
                        at = value + 1 + length + 1;
                    }
                    _ => {
                        at += bytes[at..].iter().position(|b| is_space(*b) || *b == b'>')?;
                        attribute.value = &text[value..at];
                        attribute.quoted = false;
                    }
                }
            }
            if self.keeps.attribute(&lower, &attribute.name.to_ascii_lowercase()) {
                self.keep(attribute);
            }
        }
    }

    fn keep(&mut self, attribute: Attribute<'a>) {
        if self.attributes.iter().any(|known| known.name.eq_ignore_ascii_case(attribute.name)) {
            return;
        }
        if self.attributes.len() < self.most {
            self.attributes.push(attribute);
        } else {
            self.surplus += 1;
        }
    }
}

/// The length of a comment that begins with `<!--`; it may never end.
fn comment(bytes: &[u8]) -> usize {
    let body = &bytes[4..];
    for (abrupt, length) in [(&b">"[..], 5), (b"->", 6)] {
        if body.starts_with(abrupt) {
            return length;
        }
    }
    let mut from = 0;
    while let Some(at) = memmem::find(&body[from..], b"--") {
        // There may be more dashes, as in `--->`.
        let run = body[from + at..].iter().position(|b| *b != b'-');
        let Some(after) = run.map(|length| from + at + length) else { break };
        match (body[after], body.get(after + 1)) {
            (b'>', _) => return 4 + after + 1,
            (b'!', Some(b'>')) => return 4 + after + 2,
            _ => from = after,
        }
    }
    bytes.len()
}

fn to_bracket(bytes: &[u8]) -> usize {
    memchr(b'>', bytes).map_or(bytes.len(), |at| at + 1)
}
