//! Detects the kind of a text, and where its feed starts.
//!
//! Servers put PHP warnings, comments and blank lines before a feed, wrap it in a page, or send a page
//! instead. The media type is ignored, because it is often wrong.

use crate::limits::prefix;
use crate::markup::chars::{Declared, push_decoded};
use crate::markup::lexer::{Lexer, Tag, Token};
use crate::markup::names::{Ns, split};
use crate::model::Format;

/// The two formats that XML feeds are rewritten to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Rss,
    Atom,
}

impl Family {
    /// The namespace of names without a prefix.
    pub(crate) fn home(self) -> Ns {
        match self {
            Self::Rss => Ns::Rss,
            Self::Atom => Ns::Atom,
        }
    }
}

/// The root element of a feed.
#[derive(Debug)]
pub(crate) struct Root {
    /// Where it starts.
    pub at: usize,
    pub family: Family,
    pub format: Format,
    /// Entities that the document declares.
    pub declared: Declared,
    /// There is unexpected text before the root.
    pub junk: bool,
}

/// The kind of a text.
#[derive(Debug)]
pub(crate) enum Kind {
    Xml(Root),
    Json,
    Html,
    /// Something else, described in words.
    Unknown(String),
}

/// Finds the start of a feed.
pub(crate) fn sniff(text: &str) -> Kind {
    let trimmed =
        text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}' || c == '\0');
    if trimmed.starts_with('{') || json_after_junk(trimmed) {
        return Kind::Json;
    }
    let mut lexer = Lexer::new(text);
    let mut declared = Declared::new();
    let (mut html, mut junk, mut first) = (false, false, None);
    loop {
        let at = lexer.position();
        match lexer.next() {
            Some(Token::Start(tag)) => {
                if let Some((family, format)) = root(tag, html) {
                    if html && !has_items(&text[at..]) {
                        return Kind::Html;
                    }
                    return Kind::Xml(Root { at, family, format, declared, junk: junk || html });
                }
                html |= is_html(tag.name);
                junk = true;
                first.get_or_insert(tag.name);
            }
            Some(Token::Doctype(body)) => {
                html |= body.get(9..).is_some_and(|b| {
                    b.trim_start().get(..4).is_some_and(|name| name.eq_ignore_ascii_case("html"))
                });
                declared = entities(body);
            }
            Some(Token::Text(text)) => junk |= !text.trim().is_empty(),
            Some(_) => {}
            None => break,
        }
    }
    if html {
        return Kind::Html;
    }
    Kind::Unknown(match first {
        Some(name) => format!("the root element is `{}`", prefix(name, 40)),
        None => "this is neither XML nor JSON nor HTML".into(),
    })
}

/// Whether JSON follows a few other bytes, such as a guard against inclusion as a script.
fn json_after_junk(text: &str) -> bool {
    let head = prefix(text, 256);
    let Some(brace) = head.find('{') else {
        return false;
    };
    !head[..brace].contains('<') && prefix(text, 4096).contains("jsonfeed.org/version")
}

fn is_html(name: &str) -> bool {
    matches!(
        name.to_ascii_lowercase().as_str(),
        "html" | "head" | "body" | "meta" | "div" | "table" | "script"
    )
}

/// Whether a tag is the root of a feed. Inside an HTML page only unambiguous roots count.
fn root(tag: Tag<'_>, html: bool) -> Option<(Family, Format)> {
    let (_, local) = split(tag.name);
    match local.to_ascii_lowercase().as_str() {
        "rss" => Some((
            Family::Rss,
            match tag.attribute("version") {
                Some(version) if version.trim().starts_with("0.") => Format::Rss0,
                Some(version) if version.trim().starts_with("1.") => Format::Rss1,
                _ => Format::Rss2,
            },
        )),
        "rdf" => {
            let netscape = tag.attributes.contains("netscape.com/rdf");
            Some((Family::Rss, if netscape { Format::Rss0 } else { Format::Rss1 }))
        }
        "feed" => {
            let old =
                tag.attribute("version").is_some_and(|version| version.trim().starts_with("0."))
                    || tag.attributes.contains("purl.org/atom/ns");
            Some((Family::Atom, if old { Format::Atom03 } else { Format::Atom }))
        }
        "channel" | "item" if !html => Some((Family::Rss, Format::Rss2)),
        "entry" if !html => {
            let old = tag.attribute("xmlns").is_some_and(|uri| Ns::lenient(&uri) == Ns::Atom03);
            Some((Family::Atom, if old { Format::Atom03 } else { Format::Atom }))
        }
        _ => None,
    }
}

fn has_items(text: &str) -> bool {
    ["<item", "<entry", "<ITEM"]
        .iter()
        .any(|tag| memchr::memmem::find(text.as_bytes(), tag.as_bytes()).is_some())
}

/// The short entities that a document type declares. Their values cannot refer to one another.
fn entities(doctype: &str) -> Declared {
    let mut declared = Declared::new();
    for piece in doctype.split("<!ENTITY").skip(1).take(512) {
        let piece = piece.trim_start();
        let Some((name, rest)) = piece.split_once(char::is_whitespace) else {
            continue;
        };
        let rest = rest.trim_start();
        let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
            continue;
        };
        let Some(value) = rest[1..].split(quote).next() else {
            continue;
        };
        if name == "%" || name.len() > 64 || value.len() > 256 {
            continue;
        }
        let mut decoded = String::new();
        push_decoded(&mut decoded, value, &Declared::new());
        declared.insert(name.to_owned(), decoded);
    }
    declared
}
