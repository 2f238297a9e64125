//! Rewrites a damaged feed into a well-formed one that feed-rs can read.
//!
//! Because of the rewriting, clean and damaged documents share one reader, and a repair can be printed
//! as text. It knows the elements of feeds. An element with text ends at its end tag or, if that is
//! missing, where the next field or item starts. Markup inside it becomes text. Names, namespaces and
//! versions become those that feed-rs knows: Atom 0.3 becomes Atom 1.0, and RDF becomes RSS 2.0 (the
//! strict pass still reads `rdf:about`).
//!
//! Invariants: the result is always well-formed; an item that was started is never lost; an id, link
//! or date that is cut off at the end of the document is dropped.

mod base64;
mod block;
mod fields;
mod leaf;
mod lookahead;

use std::collections::HashMap;

use super::sniff::{Family, Root};
use crate::limits::{Limits, prefix};
use crate::markup::chars::{Declared, push_escaped};
use crate::markup::lexer::{Lexer, Tag, Token, attributes};
use crate::markup::links::usable_base;
use crate::markup::names::{Ns, canonical, split};
use lookahead::{Lookahead, ends_item};

/// A repaired document.
pub(crate) struct Repaired {
    pub xml: String,
    /// The document ends in the middle of its last item.
    pub cut_off: bool,
    pub warnings: Vec<String>,
}

/// Rewrites `text`, which starts at the root element.
pub(crate) fn repair(text: &str, root: &Root, limits: &Limits) -> Repaired {
    let mut repairer = Repairer {
        lexer: Lexer::new(text),
        ahead: Lookahead::new(text.len()),
        declared: &root.declared,
        family: root.family,
        prefixes: HashMap::new(),
        resolved: HashMap::new(),
        limits,
        out: String::with_capacity(text.len() + text.len() / 16 + 1024),
        in_item: false,
        channel_seen: Vec::new(),
        item_seen: Vec::new(),
        items: 0,
        ended: false,
        cut_off: false,
        warnings: Vec::new(),
    };
    repairer.run();
    Repaired { xml: repairer.out, cut_off: repairer.cut_off, warnings: repairer.warnings }
}

struct Repairer<'a> {
    lexer: Lexer<'a>,
    ahead: Lookahead,
    declared: &'a Declared,
    family: Family,
    prefixes: HashMap<String, Ns>,
    /// Cached names; a document repeats the same few tags.
    resolved: HashMap<&'a str, Option<Name>>,
    limits: &'a Limits,
    out: String,
    in_item: bool,
    /// Fields already written to the channel and to the open item.
    channel_seen: Vec<String>,
    item_seen: Vec<String>,
    items: usize,
    /// The end tag of the root was found.
    ended: bool,
    cut_off: bool,
    warnings: Vec<String>,
}

/// The resolved name of an element.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Name {
    ns: Ns,
    local: &'static str,
}

impl<'a> Repairer<'a> {
    fn run(&mut self) {
        self.open_root();
        while let Some(token) = self.lexer.next() {
            match token {
                Token::Start(tag) => self.start(tag),
                Token::End { name, .. } => self.end(name),
                Token::Cut => self.warn("the document ends inside a tag"),
                _ => {}
            }
            if self.items > self.limits.items {
                self.warn(&format!("more than {} items; the rest was not read", self.limits.items));
                self.ended = true;
                break;
            }
        }
        if !self.ended {
            self.cut_off = self.in_item;
            let position = if self.in_item { "inside an item" } else { "before its end tag" };
            self.warn(&format!("the document ends {position}"));
        }
        self.close_item();
        self.out.push_str(match self.family {
            Family::Rss => "</channel></rss>",
            Family::Atom => "</feed>",
        });
    }

    fn open_root(&mut self) {
        self.out.push_str(match self.family {
            Family::Rss => "<rss version=\"2.0\"",
            Family::Atom => "<feed xmlns=\"http://www.w3.org/2005/Atom\"",
        });
        self.out.push_str(" xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"");
        for (prefix, uri, _) in Ns::BOUND {
            self.out.push_str(&format!(" xmlns:{prefix}=\"{uri}\""));
        }
        // The root's own attributes, for xml:base and xml:lang.
        let root = match self.lexer.clone().next() {
            Some(Token::Start(tag)) => self.kept_attributes(tag, &["xml:base", "xml:lang"]),
            _ => String::new(),
        };
        self.out.push_str(&root);
        self.out.push('>');
        if self.family == Family::Rss {
            self.out.push_str("<channel>");
        }
    }

    fn start(&mut self, tag: Tag<'a>) {
        let Some(name) = self.resolve(tag) else {
            self.skip_unknown(tag);
            return;
        };
        match name.local {
            "rss" | "feed" | "RDF" | "channel" => {
                self.close_item();
                self.ended = false;
            }
            "item" | "entry" => self.open_item(tag),
            "group" => {} // media:group only wraps other fields
            "items" | "textInput" | "owner" | "cloud" => self.skip_unknown(tag),
            _ => self.field(tag, name),
        }
    }

    fn end(&mut self, name: &str) {
        match split(name).1.to_ascii_lowercase().as_str() {
            "item" | "entry" => self.close_item(),
            "rss" | "feed" | "rdf" => {
                self.close_item();
                self.ended = true;
            }
            "channel" => {
                self.close_item();
                self.ended |= self.family == Family::Rss;
            }
            _ => {}
        }
    }

    fn open_item(&mut self, tag: Tag<'a>) {
        self.close_item();
        self.items += 1;
        if self.items > self.limits.items {
            return;
        }
        self.ended = false;
        let kept = self.kept_attributes(tag, &["xml:base", "xml:lang", "rdf:about"]);
        self.out.push_str(if self.family == Family::Rss { "<item" } else { "<entry" });
        self.out.push_str(&kept);
        self.out.push('>');
        self.in_item = true;
        if tag.empty {
            self.close_item();
        }
    }

    fn close_item(&mut self) {
        if self.in_item {
            self.out.push_str(if self.family == Family::Rss { "</item>" } else { "</entry>" });
            self.in_item = false;
            self.item_seen.clear();
        }
    }

    /// Skips an element that we do not read, if it is closed before the next item.
    fn skip_unknown(&mut self, tag: Tag<'a>) {
        if tag.empty || !self.ahead.closes(&self.lexer, tag.name) {
            return;
        }
        let mut depth = 1;
        loop {
            let before = self.lexer.position();
            let Some(token) = self.lexer.next() else {
                break;
            };
            match token {
                // Not closed: the end tag belonged to an inner element of the same name.
                Token::Start(Tag { name, .. }) | Token::End { name, .. }
                    if ends_item(split(name).1) =>
                {
                    self.lexer.jump(before);
                    break;
                }
                Token::Start(inner) if !inner.empty && inner.name == tag.name => depth += 1,
                Token::End { name, .. } if name.eq_ignore_ascii_case(tag.name) => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }

    /// Resolves a name by its declared namespace, else by its prefix, else by the name alone.
    fn resolve(&mut self, tag: Tag<'a>) -> Option<Name> {
        if !tag.attributes.contains("xmlns") {
            if let Some(known) = self.resolved.get(tag.name) {
                return *known;
            }
            let name = self.look_up(tag.name, None);
            if self.resolved.len() < 256 {
                self.resolved.insert(tag.name, name);
            }
            return name;
        }
        let mut own_default = None;
        for (name, uri) in attributes(tag.attributes, self.declared) {
            if let Some(prefix) = name.strip_prefix("xmlns:") {
                let ns = match Ns::lenient(&uri) {
                    Ns::Other => Ns::by_prefix(prefix),
                    known => known,
                };
                if self.prefixes.len() < 64 && !self.prefixes.contains_key(prefix) {
                    self.prefixes.insert(prefix.to_owned(), ns);
                    self.resolved.clear();
                }
            } else if name == "xmlns" {
                own_default = Some(Ns::lenient(&uri));
            }
        }
        self.look_up(tag.name, own_default)
    }

    fn look_up(&self, name: &str, own_default: Option<Ns>) -> Option<Name> {
        let (prefix, local) = split(name);
        let home = self.family.home();
        if prefix.is_empty() {
            if own_default == Some(Ns::Xhtml) || own_default == Some(Ns::Other) {
                return own_default.and_then(|ns| named(ns, local)).or_else(|| named(home, local));
            }
            let first = own_default.unwrap_or(home);
            let away = if home == Ns::Rss { Ns::Atom } else { Ns::Rss };
            return [first, home, away, Ns::Dc, Ns::Content, Ns::DcTerms]
                .into_iter()
                .find_map(|ns| named(ns, local));
        }
        let ns = match self.prefixes.get(prefix) {
            Some(ns) => *ns,
            None => Ns::by_prefix(prefix),
        };
        named(ns, local)
    }

    /// The listed attributes of a tag, each once, without an invalid base.
    fn known_attributes(&self, tag: Tag<'a>, keep: &[&'static str]) -> Vec<(&'static str, String)> {
        let mut found: Vec<(&'static str, String)> = Vec::new();
        for (name, value) in attributes(tag.attributes, self.declared) {
            let Some(known) = keep.iter().find(|known| known.eq_ignore_ascii_case(name)) else {
                continue;
            };
            let usable = *known != "xml:base" || usable_base(&value);
            if usable && !found.iter().any(|(other, _)| other == known) {
                found.push((*known, value));
            }
        }
        found
    }

    /// The listed attributes of a tag as text.
    fn kept_attributes(&self, tag: Tag<'a>, keep: &[&'static str]) -> String {
        let mut out = String::new();
        for (name, value) in self.known_attributes(tag, keep) {
            self.push_attribute(&mut out, name, &value);
        }
        out
    }

    fn push_attribute(&self, out: &mut String, name: &str, value: &str) {
        let value = value.trim();
        out.push(' ');
        out.push_str(name);
        out.push_str("=\"");
        push_escaped(out, prefix(value, self.limits.text));
        out.push('"');
    }

    fn warn(&mut self, text: &str) {
        if !self.warnings.iter().any(|known| known == text) {
            self.warnings.push(text.to_owned());
        }
    }
}

fn named(ns: Ns, local: &str) -> Option<Name> {
    let ns = if ns == Ns::Atom03 { Ns::Atom } else { ns };
    canonical(ns, local).map(|local| Name { ns, local })
}
