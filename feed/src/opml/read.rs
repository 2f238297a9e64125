//! Reads lists, and notes what is wrong with them.

use super::{Flaw, FlawKind, Opml, OpmlError, Outline};
use crate::html::Selectors;
use crate::limits::prefix;
use crate::markup::chars::{Declared, push_decoded};
use crate::markup::lexer::{Lexer, Tag, Token, attributes};
use crate::markup::names::PERGOLA_NS;

/// Levels of folders; deeper ones are flattened into the last.
const DEPTH: usize = 64;
/// Entries of one list, folders included.
const ENTRIES: usize = 50_000;
/// Bytes of one name or address.
const TEXT: usize = 4096;
/// Flaws that are noted.
const FLAWS: usize = 1_000;

pub(super) struct Reader<'t> {
    lexer: Lexer<'t>,
    opml: Opml,
    /// Open folders, and the number of flattened ones inside the deepest.
    open: Vec<Open>,
    flattened: usize,
    entries: usize,
    /// There is an `opml` or `outline` element.
    seen: bool,
    /// The `opml` element is open.
    inside: bool,
    flaws: Vec<Flaw>,
    /// The line at a position.
    at: (usize, usize),
    /// What attributes of our namespace begin with.
    own: String,
}

/// An element that is not closed yet.
struct Open {
    outline: Outline,
    line: usize,
    /// It says that it is a subscription.
    claims: bool,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            lexer: Lexer::new(text),
            opml: Opml::default(),
            open: Vec::new(),
            flattened: 0,
            entries: 0,
            seen: false,
            inside: false,
            flaws: Vec::new(),
            at: (0, 1),
            own: "pergola:".to_owned(),
        }
    }

    pub(super) fn read(mut self) -> Result<(Opml, Vec<Flaw>), OpmlError> {
        let mut cut = false;
        loop {
            let start = self.lexer.position();
            let Some(token) = self.lexer.next() else { break };
            match token {
                Token::Start(tag) => self.start(tag, start),
                Token::End { name, .. } if name.eq_ignore_ascii_case("outline") => self.close(),
                Token::End { name, .. } if name.eq_ignore_ascii_case("opml") => self.inside = false,
                Token::Cut => cut = true,
                _ => {}
            }
        }
        if cut || self.inside || !self.open.is_empty() {
            let end = self.lexer.text().trim_end().len();
            self.flaw(FlawKind::CutOff, end, String::new());
        }
        while !self.open.is_empty() {
            self.flattened = 0;
            self.close();
        }
        if self.seen { Ok((self.opml, self.flaws)) } else { Err(OpmlError::NotOpml) }
    }

    fn start(&mut self, tag: Tag<'_>, start: usize) {
        match tag.name.to_ascii_lowercase().as_str() {
            "opml" => {
                (self.seen, self.inside) = (true, !tag.empty);
                let list = attributes(tag.attributes, &Declared::new());
                let own = list.iter().find(|(_, value)| value == PERGOLA_NS);
                if let Some(prefix) = own.and_then(|(name, _)| name.strip_prefix("xmlns:")) {
                    self.own = format!("{prefix}:");
                }
            }
            "title" if self.open.is_empty() && self.opml.title.is_none() => self.title(),
            "outline" if self.entries < ENTRIES => self.outline(tag, start),
            "outline" if self.entries == ENTRIES => {
                self.entries += 1;
                self.flaw(FlawKind::TooMany, start, String::new());
            }
            _ => {}
        }
    }

    fn title(&mut self) {
        let here = self.lexer.position();
        match self.lexer.next() {
            Some(Token::Text(text) | Token::CData(text)) => {
                let mut title = String::new();
                push_decoded(&mut title, prefix(text, TEXT), &Declared::new());
                let title = title.trim().to_owned();
                self.opml.title = Some(title).filter(|title| !title.is_empty());
            }
            _ => self.lexer.jump(here),
        }
    }

    fn outline(&mut self, tag: Tag<'_>, start: usize) {
        self.seen = true;
        let list = attributes(tag.attributes, &Declared::new());
        let named = |wanted: &str| {
            let found = list.iter().find(|(name, value)| {
                name.eq_ignore_ascii_case(wanted) && !value.trim().is_empty()
            });
            found.map(|(_, value)| prefix(value.trim(), TEXT).to_owned())
        };
        let own = |wanted: &str| named(&format!("{}{wanted}", self.own));
        let page = own("item").map(|item| Selectors {
            item,
            title: own("title"),
            link: own("link"),
            date: own("date"),
            content: own("content"),
        });
        let kind = named("type").unwrap_or_default().to_ascii_lowercase();
        let is_feed = matches!(kind.as_str(), "rss" | "atom");
        // Some programs write the address of a feed as `url`, and so do we for a page.
        let feed = named("xmlUrl").or_else(|| named("url").filter(|_| is_feed || page.is_some()));
        let home = named("htmlUrl");
        let text = named("text").or_else(|| named("title"));
        let text = text.or_else(|| feed.clone()).unwrap_or_default();
        let claims = feed.is_none() && (is_feed || home.is_some() || page.is_some());
        let outline = Outline { text, feed, home, page, children: Vec::new() };
        if tag.empty {
            if outline.feed.is_none() {
                self.flaw(FlawKind::NoAddress, start, outline.text.clone());
            }
            self.add(outline);
        } else if self.open.len() >= DEPTH {
            self.add(outline);
            self.flattened += 1;
        } else {
            let line = self.line(start);
            self.open.push(Open { outline, line, claims });
        }
    }

    fn close(&mut self) {
        if self.flattened > 0 {
            self.flattened -= 1;
        } else if let Some(Open { outline, line, claims }) = self.open.pop() {
            if claims && outline.children.is_empty() {
                let text = outline.text.clone();
                self.push(Flaw { line, text, kind: FlawKind::NoAddress });
            }
            self.add(outline);
        }
    }

    fn add(&mut self, outline: Outline) {
        if outline.text.is_empty() && outline.feed.is_none() && outline.children.is_empty() {
            return;
        }
        self.entries += 1;
        match self.open.last_mut() {
            Some(folder) => folder.outline.children.push(outline),
            None => self.opml.outlines.push(outline),
        }
    }

    fn flaw(&mut self, kind: FlawKind, at: usize, text: String) {
        let line = self.line(at);
        self.push(Flaw { line, text, kind });
    }

    /// The list may be cut off after any number of other flaws.
    fn push(&mut self, flaw: Flaw) {
        if self.flaws.len() < FLAWS || flaw.kind != FlawKind::NoAddress {
            self.flaws.push(flaw);
        }
    }

    /// The line of a position that is not before the last one asked for.
    fn line(&mut self, at: usize) -> usize {
        let (last, line) = self.at;
        let passed = self.lexer.text().as_bytes().get(last..at).unwrap_or_default();
        let line = line + memchr::memchr_iter(b'\n', passed).count();
        self.at = (at.max(last), line);
        line
    }
}
