//! Which elements matter, and which of them feed-rs ignores.

use std::borrow::Cow;

use super::attributes::Attributes;
use super::extras::{Dirt, Field, ItemExtras, More};
use super::scope::{Resolved, Scope};
use super::{Capture, Pass};
use crate::markup::names::Ns;
use crate::model::media_type;
use crate::parse::sniff::Family;

impl<'a> Pass<'a> {
    /// Decides what an element inside `parent` is, and starts to collect it if it is wanted.
    pub(super) fn enter(
        &mut self,
        parent: Scope,
        name: Resolved,
        attributes: &Attributes<'_>,
        inside: usize,
    ) -> Result<Scope, Dirt> {
        if parent == Scope::Outside {
            let atom = self.family == Family::Atom;
            return Ok(if atom { Scope::Channel } else { Scope::Root });
        }
        let Some((ns, local)) = name else {
            return match parent {
                Scope::Leaf => Err("markup inside a text"),
                _ => Ok(Scope::Skipped),
            };
        };
        match (parent, ns, local) {
            (Scope::Leaf, ..) => Err("markup inside a text"),
            (Scope::Root, _, "channel") if !self.extras.channel => {
                self.extras.channel = true;
                Ok(Scope::Channel)
            }
            (Scope::Root | Scope::Channel, Ns::Rss, "item")
            | (Scope::Channel, Ns::Atom, "entry") => self.open_item(parent, attributes),
            (Scope::Root, _, "channel") => Err("a second channel"),
            (Scope::Root, _, _) => Ok(Scope::Skipped),
            (_, Ns::Rss, "item" | "channel" | "rss") | (_, Ns::Atom, "entry" | "feed") => {
                Err("an item inside an item")
            }
            (Scope::Block(block), _, _) => self.part(block, ns, local, attributes, inside),
            (_, Ns::Rss, "image" | "textInput" | "items" | "cloud") => Ok(Scope::Skipped),
            (_, Ns::Rss, "skipHours") => Ok(Scope::Block("skipHours")),
            (_, Ns::Rss, "skipDays") => Ok(Scope::Block("skipDays")),
            (_, Ns::Media, "group") => Ok(Scope::Block("media")),
            (_, Ns::Media, "content") => self.media_content(attributes),
            (_, Ns::Itunes, "owner") => Ok(Scope::Block("owner")),
            (_, Ns::Itunes, "category") => Ok(self.podcast_category(attributes)),
            (_, Ns::Atom, "author") => self.person("author"),
            (_, Ns::Atom, "contributor") => Ok(Scope::Block("contributor")),
            (_, Ns::Atom, "source") => Ok(Scope::Block("source")),
            (Scope::Item, ..) => self.item_field(ns, local, attributes, inside),
            _ => self.feed_field(ns, local, attributes, inside),
        }
    }

    fn open_item(&mut self, parent: Scope, attributes: &Attributes<'_>) -> Result<Scope, Dirt> {
        if parent == Scope::Root && !self.scopes.is_rdf() {
            return Err("an item outside the channel");
        }
        if parent == Scope::Channel && self.scopes.is_rdf() {
            return Err("an item inside an RDF channel");
        }
        let mut item = ItemExtras::default();
        item.fields.reserve(8);
        if let Some(about) = attributes.get("rdf:about") {
            item.fields.push(Field {
                name: "rdf:about",
                text: about.into_owned(),
                ..Field::default()
            });
        }
        self.extras.open = Some(item);
        Ok(Scope::Item)
    }

    /// Marks the start of an Atom person inside RSS, which feed-rs ignores.
    fn person(&mut self, block: &'static str) -> Result<Scope, Dirt> {
        if self.family == Family::Rss {
            self.push(Field { name: "author", ..Field::default() });
        }
        Ok(Scope::Block(block))
    }

    fn push(&mut self, field: Field) {
        match &mut self.extras.open {
            Some(item) => item.fields.push(field),
            None => self.extras.fields.push(field),
        }
    }

    /// A field of a block.
    fn part(
        &mut self,
        block: &'static str,
        ns: Ns,
        local: &'static str,
        attributes: &Attributes<'_>,
        inside: usize,
    ) -> Result<Scope, Dirt> {
        let name = match (block, ns, local) {
            ("skipHours", _, "hour") => "hour",
            ("skipDays", _, "day") => "day",
            ("source", Ns::Atom, "id") => "source/id",
            ("source", Ns::Atom, "title") => "source/title",
            ("source", Ns::Atom, "link") => "source/link",
            ("source" | "contributor", ..) => return Ok(Scope::Skipped),
            ("author", Ns::Atom, "name") => "author/name",
            ("author", Ns::Atom, "uri") => "author/uri",
            ("author", Ns::Atom, "email") => "author/email",
            ("owner", Ns::Itunes, "name") => "editor",
            ("media", Ns::Media, "title") => "media:title",
            ("media", Ns::Media, "description") => "media:description",
            ("media", Ns::Media, "thumbnail") => "thumbnail",
            ("media", Ns::Media, "credit") => "credit",
            ("media", Ns::Media, "content" | "group") => return self.media_content(attributes),
            ("category", Ns::Itunes, "category") => return Ok(self.podcast_category(attributes)),
            _ => return Ok(Scope::Skipped),
        };
        if block == "author" && self.family == Family::Atom {
            return Ok(Scope::Leaf); // feed-rs reads it
        }
        self.collect(name, attributes, inside, false)
    }

    /// Takes the attributes of a media file, or of a group of them. Its parts are fields of their own.
    fn media_content(&mut self, attributes: &Attributes<'_>) -> Result<Scope, Dirt> {
        if attributes.iter().any(|(name, value)| is_duration(name) && value.len() > 12) {
            return Err("an invalid duration");
        }
        let most = self.limits.list * 4;
        if self.extras.open.as_ref().is_some_and(|item| item.fields.len() <= most) {
            let name = "media:content";
            let more = Some(Box::new(More::of(name, attributes)));
            self.push(Field { name, more, ..Field::default() });
        }
        Ok(Scope::Block("media"))
    }

    /// Takes a category of a podcast; its parts are categories, too.
    fn podcast_category(&mut self, attributes: &Attributes<'_>) -> Scope {
        if self.extras.open.is_none() && self.extras.fields.len() <= self.limits.list {
            let text = attributes.get("text").map(Cow::into_owned).unwrap_or_default();
            self.push(Field { name: "itunes:category", text, ..Field::default() });
        }
        Scope::Block("category")
    }

    fn item_field(
        &mut self,
        ns: Ns,
        local: &'static str,
        attributes: &Attributes<'_>,
        inside: usize,
    ) -> Result<Scope, Dirt> {
        let rdf = self.scopes.is_rdf();
        let Some(item) = &mut self.extras.open else {
            return Ok(Scope::Skipped);
        };
        if item.fields.len() > self.limits.list * 16 || self.seen.len() > self.limits.list * 4 {
            return Err("too many fields in one item");
        }
        if !many(ns, local) && self.seen.contains(&(ns, local)) {
            return Err("a field that is given twice");
        }
        self.seen.push((ns, local));
        self.linked |= ns == Ns::Rss && local == "link";
        item.updated |= ns == Ns::Rss && local == "updated";
        match (ns, local) {
            (Ns::Rss, "guid") => {
                let permalink = attributes.get("isPermaLink");
                item.opaque_guid = permalink.is_some_and(|v| v.eq_ignore_ascii_case("false"));
            }
            (Ns::Rss, "link") if attributes.get("href").is_some() => {
                return Err("an RSS link with its address in an attribute");
            }
            (Ns::Rss, "category") if attributes.get("term").is_some() => {
                return Err("an RSS category with its term in an attribute");
            }
            _ => {}
        }
        if rdf && ns == Ns::Rss && !matches!(local, "title" | "link" | "description") {
            return Err("a field of RSS 2.0 in RDF");
        }
        if self.family == Family::Atom && ns == Ns::Atom {
            return self.atom_field(local, attributes, inside);
        }
        match (ns, local) {
            (Ns::Rss, "description") => self.collect_text("own/summary", attributes, inside),
            (Ns::Content, "encoded") => self.collect_text("own/content", attributes, inside),
            _ => match wanted(ns, local) {
                Some(name) => self.collect(name, attributes, inside, ns == Ns::Xhtml),
                None => Ok(Scope::Leaf),
            },
        }
    }

    /// Collects a text of the item. RSS texts are HTML, unless our own attribute says otherwise.
    fn collect_text(
        &mut self,
        name: &'static str,
        attributes: &Attributes<'_>,
        inside: usize,
    ) -> Result<Scope, Dirt> {
        let scope = self.collect(name, attributes, inside, false)?;
        if let Some(capture) = &mut self.capture {
            capture.bulk = true;
            if self.family == Family::Rss {
                capture.field.html = attributes.get("pergola:type").as_deref() != Some("text");
            }
        }
        Ok(scope)
    }

    /// A field of an Atom entry; feed-rs reads it if it knows the type.
    fn atom_field(
        &mut self,
        local: &'static str,
        attributes: &Attributes<'_>,
        inside: usize,
    ) -> Result<Scope, Dirt> {
        let name = match local {
            "title" => "xhtml/title",
            "summary" => "own/summary",
            "content" => "own/content",
            "rights" | "subtitle" => "xhtml/other",
            "link" if attributes.get("href").is_none() => return Err("a link without an address"),
            "category" if attributes.get("term").is_none() => {
                return Err("a category without a term");
            }
            "modified" | "issued" | "created" | "tagline" | "copyright" | "url" => {
                return Err("a field of Atom 0.3");
            }
            "pubDate" => return Err("a field of RSS in Atom"),
            _ => return Ok(Scope::Leaf),
        };
        if attributes.get("mode").is_some() {
            return Err("a mode, as in Atom 0.3");
        }
        match attributes.get("type").as_deref() {
            kind if attributes.get("src").is_some() => match kind {
                Some(kind) if media_type(kind.to_owned()).is_none() => {
                    Err("content from elsewhere")
                }
                _ => Ok(Scope::Block("src")),
            },
            None | Some("text" | "html") if name.starts_with("own/") => {
                self.collect_text(name, attributes, inside)
            }
            None | Some("text" | "html") => Ok(Scope::Leaf),
            Some("xhtml") => self.collect(name, attributes, inside, true),
            Some(_) => Err("an unusual type of text"),
        }
    }

    fn feed_field(
        &mut self,
        ns: Ns,
        local: &'static str,
        attributes: &Attributes<'_>,
        inside: usize,
    ) -> Result<Scope, Dirt> {
        if self.extras.fields.len() > self.limits.list * 4 {
            return Err("too many fields in the feed");
        }
        match (ns, local) {
            (Ns::Rss, "link") if attributes.get("href").is_some() => {
                Err("an RSS link with its address in an attribute")
            }
            (Ns::Rss, "managingEditor" | "webMaster") => {
                self.collect("editor", attributes, inside, false)
            }
            (Ns::Atom, _) if self.family == Family::Atom => {
                self.atom_field(local, attributes, inside)
            }
            (Ns::Dc | Ns::DcTerms | Ns::Itunes | Ns::Sy | Ns::History | Ns::Atom, _) => {
                match wanted(ns, local) {
                    Some(name) => self.collect(name, attributes, inside, false),
                    None => Ok(Scope::Leaf),
                }
            }
            _ => Ok(Scope::Leaf),
        }
    }

    fn collect(
        &mut self,
        name: &'static str,
        attributes: &Attributes<'_>,
        inside: usize,
        verbatim: bool,
    ) -> Result<Scope, Dirt> {
        let more = (!attributes.is_empty()).then(|| Box::new(More::of(name, attributes)));
        let html = attributes.get("type").is_some_and(|t| t.contains("html"));
        let field = Field {
            name,
            text: String::new(),
            html: html || verbatim,
            more,
            depth: self.scopes.depth() + 1,
        };
        self.capture = Some(Capture { field, tag: self.tag, start: inside, verbatim, bulk: false });
        Ok(if verbatim { Scope::Verbatim } else { Scope::Leaf })
    }
}

/// Attributes that feed-rs multiplies without checking for overflow.
fn is_duration(attribute: &str) -> bool {
    matches!(attribute, "duration" | "time" | "start" | "end")
}

/// Fields of which an item may have several.
fn many(ns: Ns, local: &str) -> bool {
    matches!(
        (ns, local),
        (_, "link" | "category" | "author" | "enclosure" | "contributor" | "subject" | "creator")
            | (Ns::Media | Ns::Pergola, _)
    )
}

/// The name under which to collect a field that feed-rs ignores.
fn wanted(ns: Ns, local: &str) -> Option<&'static str> {
    Some(match (ns, local) {
        (Ns::Rss, "author") => "person",
        (Ns::Rss, "source") => "source",
        (Ns::Rss, "enclosure") => "enclosure",
        (Ns::Rss, "published") => "published",
        (Ns::Rss, "summary") => "summary",
        (Ns::Rss, "body") => "body",
        (Ns::Dc, "creator") | (Ns::DcTerms, "creator") => "person",
        (Ns::Pergola, "person") => "own-person",
        (Ns::Dc, "title") | (Ns::DcTerms, "title") => "dc:title",
        (Ns::Dc, "date") | (Ns::DcTerms, "date") => "dc:date",
        (Ns::Dc, "subject") | (Ns::DcTerms, "subject") => "dc:subject",
        (Ns::Dc, "description") | (Ns::DcTerms, "description" | "abstract") => "dc:description",
        (Ns::Dc, "identifier") | (Ns::DcTerms, "identifier") => "dc:identifier",
        (Ns::Dc, "language") => "dc:language",
        (Ns::DcTerms, "issued" | "available") => "issued",
        (Ns::DcTerms, "created") => "created",
        (Ns::DcTerms, "modified") => "modified",
        (Ns::Itunes, "author") => "itunes:author",
        (Ns::Itunes, "summary") => "itunes:summary",
        (Ns::Itunes, "subtitle") => "itunes:subtitle",
        (Ns::Itunes, "title") => "itunes:title",
        (Ns::Itunes, "duration") => "duration",
        (Ns::Itunes, "keywords") => "itunes:keywords",
        (Ns::Itunes, "image") => "itunes:image",
        (Ns::Itunes, "season") => "season",
        (Ns::Itunes, "episode") => "episode",
        (Ns::Itunes, "episodeType") => "episodeType",
        (Ns::Itunes, "explicit") => "explicit",
        (Ns::Itunes, "type") => "itunes:type",
        (Ns::Media, "thumbnail") => "thumbnail",
        (Ns::Media, "credit") => "credit",
        (Ns::Media, "title") => "media:title",
        (Ns::Media, "description") => "media:description",
        (Ns::Xhtml, _) => "xhtml:body",
        (Ns::Atom, "id") => "atom:id",
        (Ns::Atom, "title") => "atom:title",
        (Ns::Atom, "link") => "atom:link",
        (Ns::Atom, "summary" | "subtitle") => "atom:summary",
        (Ns::Atom, "content") => "atom:content",
        (Ns::Atom, "published" | "issued") => "published",
        (Ns::Atom, "updated" | "modified") => "modified",
        (Ns::Atom, "category") => "atom:category",
        (Ns::Sy, "updatePeriod") => "sy:updatePeriod",
        (Ns::Sy, "updateFrequency") => "sy:updateFrequency",
        (Ns::History, "archive") => "fh:archive",
        (Ns::History, "complete") => "fh:complete",
        (Ns::Pergola, "hop") => "hop",
        (Ns::Pergola, "stand-in") => "stand-in",
        (Ns::Pergola, "content-is") => "content-is",
        (Ns::Pergola, "origin") => "origin",
        (Ns::Pergola, "series") => "series",
        _ => return None,
    })
}
