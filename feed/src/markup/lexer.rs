//! A tokeniser that cannot fail.
//!
//! quick-xml is strict; feeds are not. This tokeniser splits any text into tags and text, however
//! damaged it is: a `<` that starts no tag is text, attributes need no quotes, and a comment or CDATA
//! section without an end stops at a sensible place. It visits every byte a bounded number of times.
//! Clean documents use it only for their XHTML.

mod tags;

use memchr::memmem;

use super::chars::Declared;

pub(crate) use tags::attributes;
use tags::{end_tag, is_feed_name, start_tag};

/// One piece of the document; `raw` is the piece as it is in the text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    Text(&'a str),
    CData(&'a str),
    Start(Tag<'a>),
    End {
        name: &'a str,
        raw: &'a str,
    },
    /// The inside of a document type declaration.
    Doctype(&'a str),
    /// Comments, processing instructions, other declarations.
    Ignored,
    /// The document ends inside this tag.
    Cut,
}

/// A start tag with its attributes not yet parsed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tag<'a> {
    pub name: &'a str,
    pub attributes: &'a str,
    pub empty: bool,
    pub raw: &'a str,
}

impl Tag<'_> {
    /// The decoded value of an attribute, whose name may be in upper or lower case.
    pub(crate) fn attribute(&self, wanted: &str) -> Option<String> {
        let list = attributes(self.attributes, &Declared::new());
        list.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value)
    }
}

/// Splits a text into tokens.
#[derive(Clone, Debug)]
pub(crate) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// Where the last search found `]]>` and `-->`, so that no search runs twice.
    cdata_end: Option<usize>,
    comment_end: Option<usize>,
    /// Only the first document type declaration counts.
    doctype_seen: bool,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0, cdata_end: Some(0), comment_end: Some(0), doctype_seen: false }
    }

    /// Where the next token starts.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Continues at another position, where a token must start.
    pub(crate) fn jump(&mut self, at: usize) {
        self.at = at.min(self.text.len());
    }

    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// The next token, or `None` at the end.
    pub(crate) fn next(&mut self) -> Option<Token<'a>> {
        let rest = &self.text[self.at..];
        if rest.is_empty() {
            return None;
        }
        if rest == "<" {
            self.at = self.text.len();
            return Some(Token::Cut);
        }
        if !rest.starts_with('<') || !begins_markup(rest) {
            return Some(self.text_run(rest));
        }
        let (token, length) = match rest.as_bytes()[1] {
            b'!' if starts_with_fold(rest, "<![cdata[") => self.cdata(rest),
            b'!' if rest.starts_with("<!--") => (Token::Ignored, self.comment(rest)),
            b'!' if !self.doctype_seen && starts_with_fold(rest, "<!doctype") => {
                self.doctype_seen = true;
                doctype(rest)
            }
            b'?' => (Token::Ignored, instruction(rest)),
            b'!' => (Token::Ignored, after(rest, b'>')),
            b'/' => end_tag(rest),
            _ => start_tag(rest),
        };
        self.at += length.max(1);
        Some(token)
    }

    /// Text up to the next markup.
    fn text_run(&mut self, rest: &'a str) -> Token<'a> {
        let mut end = usize::from(rest.starts_with('<'));
        loop {
            match memchr::memchr(b'<', &rest.as_bytes()[end..]) {
                None => {
                    end = rest.len();
                    break;
                }
                Some(at) if begins_markup(&rest[end + at..]) => {
                    end += at;
                    break;
                }
                Some(at) => end += at + 1,
            }
        }
        self.at += end;
        Token::Text(&rest[..end])
    }

    fn cdata(&mut self, rest: &'a str) -> (Token<'a>, usize) {
        const OPEN: usize = "<![CDATA[".len();
        let end = Self::find_from(&mut self.cdata_end, self.text, self.at + OPEN, b"]]>");
        let inside = end.map(|end| &self.text[self.at + OPEN..end]);
        match inside {
            // A section that contains the end of its item and another section was never closed.
            Some(inside) if !runs_over(inside) => (Token::CData(inside), OPEN + inside.len() + 3),
            _ => {
                // Take it as text up to the next end tag.
                let body = &rest[OPEN..];
                let end = closing_tag(body).unwrap_or(body.len());
                (Token::CData(&body[..end]), OPEN + end)
            }
        }
    }

    fn comment(&mut self, rest: &str) -> usize {
        match Self::find_from(&mut self.comment_end, self.text, self.at + 4, b"-->") {
            Some(end) => end + 3 - self.at,
            None => rest.len().min(4), // never closed: ignore the `<!--`
        }
    }

    /// The first `needle` at or after `from`, remembered between calls.
    fn find_from(
        memory: &mut Option<usize>,
        text: &str,
        from: usize,
        needle: &[u8],
    ) -> Option<usize> {
        if memory.is_some_and(|found| found < from) {
            let from = from.min(text.len());
            *memory = memmem::find(&text.as_bytes()[from..], needle).map(|at| from + at);
        }
        *memory
    }
}

/// Whether an unclosed CDATA section contains the rest of its item.
pub(crate) fn runs_over(inside: &str) -> bool {
    let Some(nested) = memmem::find(inside.as_bytes(), b"<![CDATA[") else {
        return false;
    };
    let before = &inside.as_bytes()[..nested];
    memmem::find(before, b"</item").or_else(|| memmem::find(before, b"</entry")).is_some()
        || memmem::find(before, b"</description>").is_some()
        || memmem::find(before, b"</title>").is_some()
}

/// Where an unclosed section ends: at the end tag of an element that holds text.
fn closing_tag(text: &str) -> Option<usize> {
    const LEAVES: [&str; 9] = [
        "description",
        "content:encoded",
        "title",
        "summary",
        "content",
        "link",
        "guid",
        "item",
        "entry",
    ];
    let mut from = 0;
    while let Some(at) = memmem::find(&text.as_bytes()[from..], b"</") {
        let at = from + at;
        let name = &text[at + 2..];
        if LEAVES.iter().any(|leaf| starts_with_fold(name, leaf)) {
            return Some(at);
        }
        from = at + 2;
    }
    None
}

/// Whether a `<` starts markup: a name, `/`, `!` or `?` follows, and the tag is closed before the next
/// one starts (or the document ends inside it).
fn begins_markup(text: &str) -> bool {
    let bytes = text.as_bytes();
    match bytes.get(1) {
        Some(b'!') => {
            bytes.get(2).is_some_and(|b| b.is_ascii_alphabetic() || matches!(b, b'-' | b'['))
        }
        Some(b'?') => bytes.get(2).is_some_and(u8::is_ascii_alphabetic),
        Some(b'/') => bytes.get(2).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_'),
        Some(b) if b.is_ascii_alphabetic() || *b == b'_' => {
            // `a <b and c` is text, because another `<` comes before any `>`. `<item<title>` is a tag
            // without its `>`.
            let end = memchr::memchr2(b'<', b'>', &bytes[1..]);
            end.is_none_or(|at| {
                let inside = &bytes[1..=at];
                bytes[1 + at] == b'>' || inside.contains(&b'=') || is_feed_name(inside.trim_ascii())
            })
        }
        None => true,
        _ => false,
    }
}

fn starts_with_fold(text: &str, beginning: &str) -> bool {
    text.get(..beginning.len()).is_some_and(|head| head.eq_ignore_ascii_case(beginning))
}

fn after(text: &str, byte: u8) -> usize {
    memchr::memchr(byte, text.as_bytes()).map_or(text.len(), |at| at + 1)
}

/// The length of a processing instruction. An unclosed one ends at a bare `>` or where feed markup
/// starts, so that it does not swallow the feed.
fn instruction(rest: &str) -> usize {
    let window = &rest.as_bytes()[..rest.len().min(4096)];
    let Some(bracket) = memchr::memchr(b'>', window).map(|at| at + 1) else {
        return 2; // not an instruction: ignore the `<?`
    };
    let end = if window[..bracket].ends_with(b"?>") {
        bracket
    } else {
        memmem::find(window, b"?>").map_or(bracket, |at| at + 2)
    };
    tags::overrun(&window[1..end]).map_or(end, |at| at + 1)
}

fn doctype(rest: &str) -> (Token<'_>, usize) {
    let bracket = memchr::memchr2(b'[', b'>', rest.as_bytes());
    let end = match bracket {
        Some(at) if rest.as_bytes()[at] == b'[' => {
            let close = memmem::find(rest.as_bytes(), b"]>").map(|at| at + 2);
            close.or_else(|| {
                memmem::find(rest.as_bytes(), b"]").map(|at| at + after(&rest[at..], b'>'))
            })
        }
        Some(at) => Some(at + 1),
        None => None,
    };
    let end = end.unwrap_or_else(|| after(rest, b'>'));
    (Token::Doctype(&rest[..end]), end)
}
