//! Subscription lists with folders, in OPML 2.0.
//!
//! We use our own tokeniser and not the `opml` crate. That crate is recursive, so that a deeply nested
//! list overflows the stack, and it rejects a list with a bare `&`, which several feed readers export.
//!
//! A page that is read by selectors is no subscription for other programs. It is written as a link, with its
//! selectors in attributes of our own namespace.

mod folder;
mod read;

use std::borrow::Cow;

use crate::html::Selectors;
use crate::markup::chars::{push_allowed, push_escaped};
use crate::markup::names::PERGOLA_NS;

pub use folder::{folder_name, is_inside};
use read::Reader;

/// Bytes of a list.
const BYTES: usize = 10 << 20;

/// A subscription list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opml {
    pub title: Option<String>,
    /// Folders and subscriptions, in order.
    pub outlines: Vec<Outline>,
}

/// A subscription if it has a feed, else a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    pub text: String,
    /// The address of the feed.
    pub feed: Option<String>,
    /// The page that the feed belongs to.
    pub home: Option<String>,
    /// If the address is that of a page, what finds the items on it.
    pub page: Option<Selectors>,
    pub children: Vec<Outline>,
}

/// Why a list could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpmlError {
    #[error("this is not OPML: it has no `opml` or `outline` element")]
    NotOpml,
}

/// Something in a list that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// Where it is, counted from 1.
    pub line: usize,
    /// The name of the entry, if it is about one.
    pub text: String,
    pub kind: FlawKind,
}

/// What is wrong with a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlawKind {
    /// An entry names no address and holds no others.
    NoAddress,
    /// The list ends in the middle.
    CutOff,
    /// There are more entries than are read.
    TooMany,
}

impl Opml {
    /// Reads a list, however damaged.
    ///
    /// # Errors
    /// If the bytes contain no `opml` or `outline` element.
    pub fn parse(bytes: &[u8]) -> Result<Self, OpmlError> {
        Self::inspect(bytes).map(|(list, _)| list)
    }

    /// Reads a list, however damaged, and says what is wrong with it.
    ///
    /// # Errors
    /// If the bytes contain no `opml` or `outline` element.
    pub fn inspect(bytes: &[u8]) -> Result<(Self, Vec<Flaw>), OpmlError> {
        Reader::new(&Self::text(bytes)).read()
    }

    /// The text of a list, decoded by its mark or declaration; at most 10 MiB.
    pub fn text(bytes: &[u8]) -> Cow<'_, str> {
        crate::markup::decode(bytes, None, BYTES, &mut Vec::new())
    }

    /// The list as OPML 2.0.
    pub fn write(&self) -> String {
        let mut out =
            String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\"");
        if self.subscriptions().iter().any(|(_, outline)| outline.page.is_some()) {
            out.push_str(&format!(" xmlns:pergola=\"{PERGOLA_NS}\""));
        }
        out.push_str(">\n<head>\n<title>");
        push_clean(&mut out, self.title.as_deref().unwrap_or("Subscriptions"));
        out.push_str("</title>\n</head>\n<body>\n");
        // A stack of iterators instead of recursion, because folders can nest to any depth.
        let mut open = vec![self.outlines.iter()];
        while let Some(level) = open.last_mut() {
            match level.next() {
                Some(outline) => {
                    push_outline(&mut out, outline);
                    if !outline.children.is_empty() {
                        open.push(outline.children.iter());
                    }
                }
                None => {
                    open.pop();
                    out.push_str(if open.is_empty() { "" } else { "</outline>\n" });
                }
            }
        }
        out.push_str("</body>\n</opml>\n");
        out
    }

    /// Every subscription with the names of its folders, outermost first.
    pub fn subscriptions(&self) -> Vec<(Vec<&str>, &Outline)> {
        let mut found = Vec::new();
        let mut path: Vec<&str> = Vec::new();
        let mut open = vec![self.outlines.iter()];
        while let Some(level) = open.last_mut() {
            match level.next() {
                Some(outline) => {
                    if outline.feed.is_some() {
                        found.push((path.clone(), outline));
                    }
                    if !outline.children.is_empty() {
                        path.push(&outline.text);
                        open.push(outline.children.iter());
                    }
                }
                None => {
                    open.pop();
                    path.pop();
                }
            }
        }
        found
    }
}

fn push_clean(out: &mut String, text: &str) {
    let mut clean = String::new();
    push_allowed(&mut clean, text);
    push_escaped(out, &clean);
}

fn push_outline(out: &mut String, outline: &Outline) {
    let Outline { text, feed, home, page, .. } = outline;
    let address = feed.as_deref();
    let kind = address.map(|_| if page.is_some() { "link" } else { "rss" });
    let page = page.as_ref();
    let attributes = [
        ("type", kind),
        ("text", Some(text.as_str())),
        ("title", address.map(|_| text.as_str())),
        ("xmlUrl", address.filter(|_| page.is_none())),
        ("url", address.filter(|_| page.is_some())),
        ("htmlUrl", home.as_deref()),
        ("pergola:item", page.map(|page| page.item.as_str())),
        ("pergola:title", page.and_then(|page| page.title.as_deref())),
        ("pergola:link", page.and_then(|page| page.link.as_deref())),
        ("pergola:date", page.and_then(|page| page.date.as_deref())),
        ("pergola:content", page.and_then(|page| page.content.as_deref())),
    ];
    out.push_str("<outline");
    for (name, value) in attributes {
        if let Some(value) = value {
            out.push_str(&format!(" {name}=\""));
            push_clean(out, value);
            out.push('"');
        }
    }
    out.push_str(if outline.children.is_empty() { "/>\n" } else { ">\n" });
}
