//! Subscription lists with folders, in OPML 2.0.
//!
//! We use our own tokeniser and not the `opml` crate. That crate is recursive, so that a deeply nested
//! list overflows the stack, and it rejects a list with a bare `&`, which several feed readers export.

use crate::limits::prefix;
use crate::markup::chars::{Declared, push_allowed, push_decoded, push_escaped};
use crate::markup::lexer::{Lexer, Tag, Token, attributes};

/// Levels of folders; deeper ones are flattened into the last.
const DEPTH: usize = 64;
/// Entries of one list, folders included.
const ENTRIES: usize = 50_000;
/// Bytes of a list.
const BYTES: usize = 10 << 20;
/// Bytes of one name or address.
const TEXT: usize = 4096;

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
    pub children: Vec<Outline>,
}

/// Why a list could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpmlError {
    #[error("this is not OPML: it has no `opml` or `outline` element")]
    NotOpml,
}

impl Opml {
    /// Reads a list, however damaged.
    ///
    /// # Errors
    /// If the bytes contain no `opml` or `outline` element.
    pub fn parse(bytes: &[u8]) -> Result<Self, OpmlError> {
        let mut warnings = Vec::new();
        let text = crate::markup::decode(bytes, None, BYTES, &mut warnings);
        Reader::default().read(&text)
    }

    /// The list as OPML 2.0.
    pub fn write(&self) -> String {
        let mut out =
            String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\">\n");
        out.push_str("<head>\n<title>");
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
    let kind = outline.feed.as_ref().map(|_| "rss");
    let title = outline.feed.as_ref().map(|_| outline.text.as_str());
    let attributes = [
        ("type", kind),
        ("text", Some(outline.text.as_str())),
        ("title", title),
        ("xmlUrl", outline.feed.as_deref()),
        ("htmlUrl", outline.home.as_deref()),
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

#[derive(Default)]
struct Reader {
    opml: Opml,
    /// Open folders, and the number of flattened ones inside the deepest.
    open: Vec<Outline>,
    flattened: usize,
    entries: usize,
    seen: bool,
}

impl Reader {
    fn read(mut self, text: &str) -> Result<Opml, OpmlError> {
        let mut lexer = Lexer::new(text);
        while let Some(token) = lexer.next() {
            match token {
                Token::Start(tag) => match tag.name.to_ascii_lowercase().as_str() {
                    "opml" | "body" => self.seen = true,
                    "title" if self.open.is_empty() && self.opml.title.is_none() => {
                        let here = lexer.position();
                        match lexer.next() {
                            Some(Token::Text(text) | Token::CData(text)) => {
                                let mut title = String::new();
                                push_decoded(&mut title, prefix(text, TEXT), &Declared::new());
                                let title = title.trim().to_owned();
                                self.opml.title = Some(title).filter(|title| !title.is_empty());
                            }
                            _ => lexer.jump(here),
                        }
                    }
                    "outline" if self.entries < ENTRIES => self.outline(tag),
                    _ => {}
                },
                Token::End { name, .. } if name.eq_ignore_ascii_case("outline") => self.close(),
                _ => {}
            }
        }
        while !self.open.is_empty() {
            self.flattened = 0;
            self.close();
        }
        if self.seen { Ok(self.opml) } else { Err(OpmlError::NotOpml) }
    }

    fn outline(&mut self, tag: Tag<'_>) {
        self.seen = true;
        let list = attributes(tag.attributes, &Declared::new());
        let find = |wanted: &[&str]| {
            let named = |wanted: &&str| {
                let found = list.iter().find(|(name, value)| {
                    name.eq_ignore_ascii_case(wanted) && !value.trim().is_empty()
                });
                found.map(|(_, value)| prefix(value.trim(), TEXT).to_owned())
            };
            wanted.iter().find_map(named)
        };
        let kind = find(&["type"]).unwrap_or_default().to_ascii_lowercase();
        let feed = find(&["xmlUrl"]);
        // Some programs write the address of a feed as `url`.
        let feed =
            feed.or_else(|| find(&["url"]).filter(|_| matches!(kind.as_str(), "rss" | "atom")));
        let home = find(&["htmlUrl"]);
        let text = find(&["text", "title"]).or_else(|| feed.clone()).unwrap_or_default();
        let outline = Outline { text, feed, home, children: Vec::new() };
        if tag.empty {
            self.add(outline);
        } else if self.open.len() >= DEPTH {
            self.add(outline);
            self.flattened += 1;
        } else {
            self.open.push(outline);
        }
    }

    fn close(&mut self) {
        if self.flattened > 0 {
            self.flattened -= 1;
        } else if let Some(outline) = self.open.pop() {
            self.add(outline);
        }
    }

    fn add(&mut self, outline: Outline) {
        if outline.text.is_empty() && outline.feed.is_none() && outline.children.is_empty() {
            return;
        }
        self.entries += 1;
        match self.open.last_mut() {
            Some(folder) => folder.children.push(outline),
            None => self.opml.outlines.push(outline),
        }
    }
}
