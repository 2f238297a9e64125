//! Writes one field of the channel or of an item in the form that feed-rs reads.

use super::leaf::Leaf;
use super::{Name, Repairer, base64};
use crate::limits::prefix;
use crate::markup::chars::{push_decoded, push_escaped};
use crate::markup::lexer::{self, Tag, Token};
use crate::markup::names::{Ns, canonical};
use crate::markup::xhtml;
use crate::model::media_type;
use crate::parse::sniff::Family;
use crate::time::parse_date;

/// Fields that may occur several times. Of all others, only the first non-empty one counts.
const MANY: [&str; 17] = [
    "link",
    "category",
    "author",
    "contributor",
    "enclosure",
    "dc:subject",
    "dc:creator",
    "dcterms:subject",
    "dcterms:creator",
    "atom:link",
    "atom:category",
    "atom:author",
    "media:content",
    "media:thumbnail",
    "media:credit",
    "itunes:category",
    "pergola:hop",
];

/// Attributes that we keep.
const ATTRIBUTES: [&str; 30] = [
    "href",
    "rel",
    "type",
    "length",
    "title",
    "term",
    "scheme",
    "label",
    "domain",
    "url",
    "src",
    "isPermaLink",
    "fileSize",
    "xml:base",
    "xml:lang",
    "pergola:type",
    "medium",
    "width",
    "height",
    "duration",
    "role",
    "text",
    "author",
    "kind",
    "explicit",
    "categories",
    "uri",
    "email",
    "fetched",
    "published",
];

impl<'a> Repairer<'a> {
    /// Reads the field that `tag` opens and writes it.
    pub(super) fn field(&mut self, tag: Tag<'a>, name: Name) {
        let name = self.translate(name);
        match (name.ns, name.local) {
            (Ns::Atom, "author" | "contributor") => {
                self.block(tag, name, &["name", "uri", "email", "url"], Some("name"))
            }
            (Ns::Atom, "source") => self.block(tag, name, &["id", "title", "link"], None),
            (Ns::Rss, "image") => self.block(tag, name, &["url", "title", "link"], None),
            (Ns::Rss, "skipHours") => self.block(tag, name, &["hour"], None),
            (Ns::Rss, "skipDays") => self.block(tag, name, &["day"], None),
            (Ns::Itunes, "name" | "email")
            | (_, "hour" | "day" | "name" | "uri" | "email" | "url" | "width" | "height") => {
                self.leaf(tag, name);
            }
            _ => self.plain_field(tag, name),
        }
    }

    /// Translates RSS names in Atom documents, and names of Atom 0.3.
    fn translate(&self, name: Name) -> Name {
        let atom = |local| Name { ns: Ns::Atom, local };
        match (self.family, name.ns, name.local) {
            (_, Ns::Atom, "modified") => atom("updated"),
            (_, Ns::Atom, "issued") => atom("published"),
            (_, Ns::Atom, "created") => Name { ns: Ns::DcTerms, local: "created" },
            (_, Ns::Atom, "tagline") => atom("subtitle"),
            (_, Ns::Atom, "copyright") => atom("rights"),
            (Family::Atom, Ns::Rss | Ns::Atom, "pubDate") => atom("published"),
            (Family::Atom, Ns::Rss, "description") if self.in_item => atom("summary"),
            (Family::Atom, Ns::Rss, "description") => atom("subtitle"),
            (Family::Atom, Ns::Rss, "guid") => atom("id"),
            (Family::Atom, Ns::Rss, "lastBuildDate") => atom("updated"),
            (Family::Atom, Ns::Rss, "enclosure") => name,
            (Family::Atom, Ns::Rss, local) => match canonical(Ns::Atom, local) {
                Some(local) => atom(local),
                None => Name { ns: Ns::Other, local },
            },
            _ => name,
        }
    }

    /// The name under which a field is written.
    pub(super) fn written(&self, name: Name) -> String {
        match name.ns.prefix() {
            Some(prefix) if name.ns != self.family.home() => format!("{prefix}:{}", name.local),
            _ => name.local.to_owned(),
        }
    }

    fn plain_field(&mut self, tag: Tag<'a>, mut name: Name) {
        // The elements inside `media:content` count as fields of the item.
        let mut leaf = match (name.ns, name.local) {
            (Ns::Media, "content") => Leaf::default(),
            _ => self.leaf(tag, name),
        };
        let mut attributes = self.known_attributes(tag, &ATTRIBUTES);
        self.adapt(tag, &mut name, &mut leaf, &mut attributes);
        if name.ns == Ns::Other {
            return; // an RSS name without a meaning in Atom
        }
        if leaf.cut && must_be_whole(name.local) {
            return;
        }
        // An invalid date must not replace a valid one.
        if is_date(name.local) && parse_date(&leaf.text).is_none() {
            return;
        }
        let flag = name.ns == Ns::History; // <fh:archive/> has no text
        if !flag
            && leaf.text.trim().is_empty()
            && attributes.iter().all(|(_, v)| v.trim().is_empty())
        {
            return;
        }
        self.write(name, &leaf.text, &attributes);
    }

    /// Changes a field to the form that feed-rs reads. `Ns::Other` means that it has none.
    fn adapt(
        &mut self,
        tag: Tag<'a>,
        name: &mut Name,
        leaf: &mut Leaf,
        attributes: &mut Vec<(&'static str, String)>,
    ) {
        match (name.ns, name.local) {
            (Ns::Atom, "title" | "summary" | "content" | "rights" | "subtitle") => {
                self.atom_text(tag, *name, leaf, attributes);
            }
            (_, "link") => self.link(tag, name, leaf, attributes),
            (Ns::Atom, "category") => {
                let text = std::mem::take(&mut leaf.text);
                let termed = attributes.iter().any(|(known, _)| *known == "term");
                attributes.extend((!termed).then_some(("term", text)));
            }
            (Ns::Rss, "enclosure") if self.family == Family::Atom => {
                let url = attributes.iter_mut().find(|(known, _)| *known == "url");
                let addressed = url.map(|attribute| attribute.0 = "href").is_some()
                    || attributes.iter().any(|(known, _)| *known == "href");
                attributes.push(("rel", "enclosure".into()));
                leaf.text.clear();
                let ns = if addressed { Ns::Atom } else { Ns::Other };
                *name = Name { ns, local: "link" };
            }
            (Ns::Rss, "category") if leaf.text.trim().is_empty() => {
                let term = attributes.iter().find(|(known, _)| matches!(*known, "term" | "label"));
                leaf.text = term.map(|(_, value)| value.clone()).unwrap_or_default();
                attributes.retain(|(known, _)| *known == "domain");
            }
            // feed-rs slices these texts by bytes, so we parse them ourselves.
            (Ns::Rss, "author" | "managingEditor" | "webMaster") | (Ns::Dc, "creator")
                if !leaf.text.is_ascii() =>
            {
                *name = Name { ns: Ns::Pergola, local: "person" };
            }
            // The strict pass takes that of an item.
            (Ns::Itunes, "author") if !leaf.text.is_ascii() && !self.in_item => {
                *name = Name { ns: Ns::Pergola, local: "person" };
            }
            _ => {}
        }
    }

    fn write(&mut self, name: Name, text: &str, attributes: &[(&'static str, String)]) {
        let written = self.written(name);
        let many = MANY.contains(&written.as_str()) || written == "pergola:person";
        let most = if many { self.limits.list } else { 1 };
        let seen = if self.in_item { &mut self.item_seen } else { &mut self.channel_seen };
        let same = seen.iter().filter(|known| **known == written).count();
        if same >= most || seen.len() >= self.limits.list * 3 {
            return;
        }
        seen.push(written.clone());
        self.out.push('<');
        self.out.push_str(&written);
        let mut list = String::new();
        for (attribute, value) in attributes {
            self.push_attribute(&mut list, attribute, value);
        }
        self.out.push_str(&list);
        self.out.push('>');
        push_escaped(&mut self.out, prefix(text, self.limits.text));
        self.out.push_str("</");
        self.out.push_str(&written);
        self.out.push('>');
    }

    /// Repairs a link whose address is in the text instead of an attribute, or the other way round.
    fn link(
        &mut self,
        tag: Tag<'a>,
        name: &mut Name,
        leaf: &mut Leaf,
        attributes: &mut Vec<(&'static str, String)>,
    ) {
        let href = attributes.iter().position(|(known, _)| *known == "href");
        if leaf.text.trim().is_empty() && href.is_none() && tag.empty {
            // `<link/>http://…`: an HTML tool took `link` for a void element.
            let here = self.lexer.position();
            match self.lexer.next() {
                Some(Token::Text(text)) if text.trim_start().starts_with("http") => {
                    push_decoded(&mut leaf.text, text.trim(), self.declared);
                }
                _ => self.lexer.jump(here),
            }
        }
        match (name.ns, href) {
            (Ns::Atom, None) => attributes.push(("href", std::mem::take(&mut leaf.text))),
            (Ns::Rss, Some(at)) if leaf.text.trim().is_empty() => {
                let rel = attributes.iter().find(|(known, _)| *known == "rel");
                if rel.is_some_and(|(_, rel)| rel != "alternate") {
                    name.ns = Ns::Atom;
                } else {
                    leaf.text = attributes[at].1.clone();
                }
            }
            _ => {}
        }
        match name.ns {
            Ns::Atom => leaf.text.clear(),
            _ => attributes.retain(|(known, _)| *known == "xml:base"),
        }
    }

    /// Converts Atom texts of all types and modes to `text` or `html`.
    fn atom_text(
        &mut self,
        tag: Tag<'a>,
        name: Name,
        leaf: &mut Leaf,
        attributes: &mut Vec<(&'static str, String)>,
    ) {
        let given = lexer::attributes(tag.attributes, self.declared);
        let find = |wanted: &str| {
            let found = given.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
            found.map_or(String::new(), |(_, value)| value.trim().to_ascii_lowercase())
        };
        let (kind, mode) = (find("type"), find("mode"));
        attributes.retain(|(known, _)| *known != "type");
        if attributes.iter().any(|(known, _)| *known == "src") {
            leaf.text.clear();
            attributes.extend(media_type(kind).map(|kind| ("type", kind)));
            return;
        }
        let binary = kind.contains('/') && !kind.starts_with("text/") && !kind.ends_with("xml");
        if mode == "base64" || (binary && name.local == "content" && !leaf.markup) {
            match base64::decode(&leaf.text) {
                Some(text) => leaf.text = text,
                None if mode == "base64" || leaf.text.len() > 64 => leaf.text.clear(),
                None => {}
            }
        }
        if kind.contains("html") || kind.ends_with("xml") || leaf.markup {
            if leaf.markup {
                leaf.text = xhtml::to_html(&leaf.text);
            }
            attributes.push(("type", "html".into()));
        }
    }
}

fn is_date(local: &str) -> bool {
    matches!(
        local,
        "pubDate"
            | "published"
            | "updated"
            | "date"
            | "created"
            | "issued"
            | "modified"
            | "available"
            | "lastBuildDate"
    )
}

/// Fields that are useless if they are cut off.
fn must_be_whole(local: &str) -> bool {
    matches!(
        local,
        "guid"
            | "id"
            | "link"
            | "pubDate"
            | "published"
            | "updated"
            | "date"
            | "created"
            | "issued"
            | "modified"
            | "identifier"
            | "enclosure"
            | "hop"
            | "category"
    )
}
