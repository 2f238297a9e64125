//! The strict pass: checks whether feed-rs can read a document, and collects what feed-rs ignores.
//!
//! It is one run of quick-xml over the text. If it finds anything that feed-rs rejects, misreads or
//! panics on (we know the list from its source), the verdict is [`Verdict::Dirty`] and the document is
//! repaired first. Otherwise it returns the fields that feed-rs ignores: origins, passed nodes, Dublin
//! Core, refresh hints, XHTML in its original form. It runs on every document, so it borrows from the
//! text and resolves prefixes once. feed-rs does not see the parts that the pass has taken
//! ([`Skeleton`]), which saves about as much time as the pass costs.

mod attributes;
mod bulk;
mod extras;
mod fields;
mod scope;

use std::io::BufRead;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use url::Url;

use super::sniff::{Family, Root};
use crate::limits::Limits;
use crate::markup::names::Ns;
use crate::markup::{chars, lexer, xhtml};
use attributes::Attributes;
pub(crate) use bulk::Skeleton;
use extras::Dirt;
pub(crate) use extras::{Extras, Field, ItemExtras};
use scope::{Scope, Scopes};

/// The result of the strict pass.
pub(crate) enum Verdict {
    /// feed-rs can read it. Holds the fields that feed-rs ignores.
    Clean(Box<Extras>),
    /// It must be repaired. Holds the reason.
    Dirty(&'static str),
}

/// Checks `text`, which starts at the root element.
pub(crate) fn survey(text: &str, root: &Root, base: Option<&Url>, limits: &Limits) -> Verdict {
    if !chars::all_allowed(text) {
        return Verdict::Dirty("characters that XML forbids");
    }
    let mut pass = Pass {
        text,
        scopes: Scopes::default(),
        bases: base.map(|url| (0, url.clone())).into_iter().collect(),
        tag: 0,
        capture: None,
        extras: Extras::default(),
        seen: Vec::new(),
        linked: false,
        family: root.family,
        limits,
    };
    match pass.run() {
        Ok(()) => Verdict::Clean(Box::new(pass.extras)),
        Err(dirt) => Verdict::Dirty(dirt),
    }
}

struct Pass<'a> {
    text: &'a str,
    scopes: Scopes,
    /// The current `xml:base` values, each with the depth of its element.
    bases: Vec<(usize, Url)>,
    /// Where the current event starts.
    tag: usize,
    capture: Option<Capture>,
    extras: Extras,
    /// Fields of the open item so far, and whether one was a link.
    seen: Vec<(Ns, &'static str)>,
    linked: bool,
    family: Family,
    limits: &'a Limits,
}

/// A field whose text is being collected.
struct Capture {
    field: Field,
    /// Where the element starts.
    tag: usize,
    /// Where the content of the element starts, for XHTML, which is taken verbatim.
    start: usize,
    verbatim: bool,
    /// A text of the item: the pass takes it as a whole and hides it from feed-rs.
    bulk: bool,
}

impl<'a> Pass<'a> {
    fn run(&mut self) -> Result<(), Dirt> {
        let mut reader = Reader::from_str(self.text);
        loop {
            let before = reader.buffer_position();
            self.tag = position(before);
            match reader.read_event().map_err(|_| "not well-formed")? {
                Event::Start(tag) => {
                    let inside = position(reader.buffer_position());
                    self.start(&tag, inside)?;
                    if let Some(capture) =
                        self.capture.as_mut().filter(|c| c.start == inside && c.bulk)
                    {
                        let rest = self.text.get(inside..).unwrap_or("");
                        if let Some((length, text)) = bulk::take(rest)? {
                            reader.stream().consume(length);
                            capture.field.text = text;
                        }
                    }
                }
                Event::Empty(tag) => {
                    let inside = position(reader.buffer_position());
                    self.start(&tag, inside)?;
                    self.end(inside, inside)?;
                }
                Event::End(_) => {
                    self.end(position(before), position(reader.buffer_position()))?;
                    if self.scopes.depth() == 0 {
                        self.extras.end = position(reader.buffer_position());
                        return Ok(());
                    }
                }
                Event::Text(text) => self.characters(&text)?,
                Event::CData(text) => {
                    if lexer::runs_over(&text) {
                        return Err("a CDATA section that is never closed");
                    }
                    self.characters(&text)?;
                }
                Event::GeneralRef(reference) => {
                    let value = resolved(&reference)?;
                    self.characters(&value)?;
                }
                Event::Eof => return Err("the root element is never closed"),
                Event::DocType(_) => return Err("a document type inside the feed"),
                Event::Decl(_) => return Err("an XML declaration inside the feed"),
                Event::Comment(_) | Event::PI(_) => {}
            }
        }
    }

    fn start(&mut self, tag: &BytesStart<'a>, inside: usize) -> Result<(), Dirt> {
        if attributes::too_many(tag) {
            return Err("too many attributes");
        }
        let parent = self.scopes.current();
        if matches!(parent, Scope::Skipped | Scope::Verbatim) {
            self.scopes.push(parent);
            return self.check_depth();
        }
        let attributes = Attributes::read(tag)?;
        let name = if self.scopes.depth() == 0 {
            self.scopes.root(tag, &attributes, self.family)?
        } else {
            self.scopes.resolve(tag, &attributes)?
        };
        if let Some(base) = attributes.get("xml:base") {
            self.push_base(&base)?;
        }
        let scope = self.enter(parent, name, &attributes, inside)?;
        self.scopes.push(scope);
        self.check_depth()
    }

    fn check_depth(&self) -> Result<(), Dirt> {
        if self.scopes.depth() > self.limits.depth { Err("nested too deeply") } else { Ok(()) }
    }

    fn push_base(&mut self, base: &str) -> Result<(), Dirt> {
        let depth = self.scopes.depth() + 1;
        let url = match Url::parse(base) {
            Ok(url) => Some(url),
            Err(url::ParseError::RelativeUrlWithoutBase) => {
                self.bases.last().and_then(|(_, last)| last.join(base).ok())
            }
            Err(_) => return Err("an xml:base that is not an address"),
        };
        self.bases.extend(url.map(|url| (depth, url)));
        Ok(())
    }

    /// Leaves an element whose content ends at `inside_end` and whose end tag ends at `after`.
    fn end(&mut self, inside_end: usize, after: usize) -> Result<(), Dirt> {
        let depth = self.scopes.depth();
        let scope = self.scopes.pop();
        if let Some(capture) = self.capture.take_if(|c| c.field.depth == depth) {
            if self.extras.open.is_some() || capture.verbatim {
                self.extras.cuts.push(capture.tag..after);
            }
            self.finish(capture, inside_end)?;
        }
        if scope == Scope::Item {
            self.close_item()?;
        }
        while self.bases.last().is_some_and(|(since, _)| *since >= depth && *since > 0) {
            self.bases.pop();
        }
        Ok(())
    }

    fn characters(&mut self, text: &str) -> Result<(), Dirt> {
        match self.scopes.current() {
            Scope::Leaf => {
                if let Some(capture) = &mut self.capture {
                    capture.field.text.push_str(text);
                }
                Ok(())
            }
            Scope::Skipped | Scope::Verbatim | Scope::Block("category") => Ok(()),
            _ if text.bytes().all(|b| b.is_ascii_whitespace()) => Ok(()),
            _ => Err("text between the elements"),
        }
    }

    fn finish(&mut self, capture: Capture, inside_end: usize) -> Result<(), Dirt> {
        let mut field = capture.field;
        if capture.verbatim {
            let inner = self.text.get(capture.start..inside_end).unwrap_or("");
            let escaped = field.name == "xhtml:body" && !inner.contains('<');
            field.text = if escaped { chars::decoded(inner) } else { xhtml::to_html(inner) };
        }
        let person = matches!(field.name, "person" | "editor" | "itunes:author");
        if self.extras.open.is_none()
            && person
            && field.text.contains('@')
            && !field.text.is_ascii()
        {
            return Err("a name that feed-rs would split inside a character");
        }
        if let Some((since, url)) = self.bases.last()
            && *since >= field.depth
        {
            field.more.get_or_insert_default().base = Some(url.clone());
        }
        match &mut self.extras.open {
            Some(item) => item.fields.push(field),
            None => self.extras.fields.push(field),
        }
        Ok(())
    }

    fn close_item(&mut self) -> Result<(), Dirt> {
        let Some(mut item) = self.extras.open.take() else {
            return Ok(());
        };
        if self.scopes.is_rdf() && !self.linked {
            return Err("an RDF item without a link");
        }
        self.seen.clear();
        self.linked = false;
        item.base = self.bases.last().map(|(_, url)| url.clone());
        self.extras.items.push(item);
        if self.extras.items.len() > self.limits.items {
            return Err("too many items");
        }
        Ok(())
    }
}

/// Offsets into a slice fit into `usize`.
fn position(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

/// Resolves a reference. The document is dirty if feed-rs would resolve it differently.
fn resolved(reference: &quick_xml::events::BytesRef<'_>) -> Result<String, Dirt> {
    const UNKNOWN: Dirt = "an unknown character reference";
    if reference.is_char_ref() {
        let c = reference.resolve_char_ref().map_err(|_| UNKNOWN)?.ok_or(UNKNOWN)?;
        let plain = chars::allowed(c) && !('\u{80}'..='\u{9f}').contains(&c);
        return if plain { Ok(c.into()) } else { Err(UNKNOWN) };
    }
    quick_xml::escape::resolve_predefined_entity(reference).map(str::to_owned).ok_or(UNKNOWN)
}
