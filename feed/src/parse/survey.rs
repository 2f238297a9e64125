//! The strict pass: would feed-rs read this document whole, and what would it leave out?
//!
//! One run of quick-xml over the text answers both. If anything is met that feed-rs refuses, panics
//! on or misreads (its source was read for this list), the verdict is [`Verdict::Dirty`] and the
//! document is rewritten first. Otherwise the pass hands over what feed-rs has no place for: origins,
//! passed nodes, Dublin Core, hints about when to come back, XHTML in its original form. It borrows
//! from the text and resolves prefixes once, because it runs on every document; and what
//! it takes itself, feed-rs never sees ([`Skeleton`]): that saves about as much time as the pass costs.

mod bulk;
mod extras;
mod fields;
mod scope;

use std::borrow::Cow;
use std::io::BufRead;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use url::Url;

use super::names::Ns;
use super::sniff::{Family, Root};
use crate::limits::Limits;
pub(crate) use bulk::Skeleton;
pub(crate) use extras::{Extras, Field, ItemExtras};
use scope::{Scope, Scopes};

/// What the strict pass found.
pub(crate) enum Verdict {
    /// feed-rs will read it; here is what it leaves out.
    Clean(Box<Extras>),
    /// It has to be rewritten, and why.
    Dirty(&'static str),
}

/// Why a document cannot go to feed-rs as it is.
pub(crate) type Dirt = &'static str;

/// Runs over `text`, which begins at the root element.
pub(crate) fn survey(text: &str, root: &Root, base: Option<&Url>, limits: &Limits) -> Verdict {
    if !super::chars::all_allowed(text) {
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
    /// `xml:base` in effect, with the depth at which it began.
    bases: Vec<(usize, Url)>,
    /// Where the event at hand begins.
    tag: usize,
    capture: Option<Capture>,
    extras: Extras,
    /// Fields that the open item has had, and whether a link was among them.
    seen: Vec<(Ns, &'static str)>,
    linked: bool,
    family: Family,
    limits: &'a Limits,
}

/// The text of a field that is being collected.
struct Capture {
    field: Field,
    /// Where the element begins.
    tag: usize,
    /// Where the element's inside begins, for XHTML, which is taken verbatim.
    start: usize,
    verbatim: bool,
    /// A text of the item itself: taken here as a whole, and not shown to feed-rs.
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
                    if super::lexer::runs_over(&text) {
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
            Err(_) => return Err("an xml:base that is no address"),
        };
        self.bases.extend(url.map(|url| (depth, url)));
        Ok(())
    }

    /// Leaves an element whose inside ends at `inside_end` and which itself ends at `after`.
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
            Scope::Skipped | Scope::Verbatim => Ok(()),
            _ if text.bytes().all(|b| b.is_ascii_whitespace()) => Ok(()),
            _ => Err("text between the elements"),
        }
    }

    fn finish(&mut self, capture: Capture, inside_end: usize) -> Result<(), Dirt> {
        let mut field = capture.field;
        if capture.verbatim {
            let inner = self.text.get(capture.start..inside_end).unwrap_or("");
            let escaped = field.name == "xhtml:body" && !inner.contains('<');
            field.text =
                if escaped { super::chars::decoded(inner) } else { super::xhtml::to_html(inner) };
        }
        let person = matches!(field.name, "person" | "editor" | "itunes:author");
        if self.extras.open.is_none()
            && person
            && field.text.contains('@')
            && !field.text.is_ascii()
        {
            return Err("a name that feed-rs would cut inside a character");
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

/// Attributes of one element, raw; none are read if there are none.
pub(crate) struct Attributes<'t>(Vec<(&'t str, &'t str)>);

impl<'t> Attributes<'t> {
    fn read(tag: &'t BytesStart<'_>) -> Result<Self, Dirt> {
        let mut list = Vec::new();
        if !tag.attributes_raw().trim_ascii().is_empty() {
            for attribute in tag.attributes() {
                let attribute = attribute.map_err(|_| "a malformed attribute")?;
                // The value always borrows from the tag; an owned one cannot occur here.
                let Cow::Borrowed(value) = attribute.value else {
                    continue;
                };
                // feed-rs takes a value whole or not at all; one bare `&` would leave the rest escaped.
                if value.contains('&') && quick_xml::escape::unescape(value).is_err() {
                    return Err("a bare ampersand in an attribute");
                }
                list.push((attribute.key.into_inner(), value));
            }
        }
        Ok(Self(list))
    }

    fn get(&self, name: &str) -> Option<Cow<'t, str>> {
        let (_, raw) = self.0.iter().find(|(known, _)| *known == name)?;
        Some(match raw.contains('&') {
            true => Cow::Owned(super::chars::decoded(raw).trim().to_owned()),
            false => Cow::Borrowed(raw.trim()),
        })
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn iter(&self) -> impl Iterator<Item = (&'t str, &'t str)> {
        self.0.iter().copied()
    }
}

/// An offset that came from a slice fits in memory.
fn position(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

/// A reference that feed-rs resolves as we do, or the document is dirty.
fn resolved(reference: &quick_xml::events::BytesRef<'_>) -> Result<String, Dirt> {
    const UNKNOWN: Dirt = "an unknown character reference";
    if reference.is_char_ref() {
        let c = reference.resolve_char_ref().map_err(|_| UNKNOWN)?.ok_or(UNKNOWN)?;
        let plain = super::chars::allowed(c) && !('\u{80}'..='\u{9f}').contains(&c);
        return if plain { Ok(c.into()) } else { Err(UNKNOWN) };
    }
    quick_xml::escape::resolve_predefined_entity(reference).map(str::to_owned).ok_or(UNKNOWN)
}

/// Whether unprefixed names belong to this family.
pub(crate) fn home(family: Family) -> Ns {
    match family {
        Family::Rss => Ns::Rss,
        Family::Atom => Ns::Atom,
    }
}
