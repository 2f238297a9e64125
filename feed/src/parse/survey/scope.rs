//! The open elements of the strict pass, and the meaning of names inside them.

use quick_xml::events::BytesStart;

use super::attributes::Attributes;
use super::extras::Dirt;
use crate::markup::names::{Ns, canonical, split};
use crate::parse::sniff::Family;

/// The kind of element that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    Outside,
    Root,
    Channel,
    Item,
    /// An element with its own fields: a person, a source, `skipHours`, `media:group`.
    Block(&'static str),
    /// An element with text only.
    Leaf,
    /// Markup that is taken unchanged.
    Verbatim,
    /// An element that is ignored.
    Skipped,
}

/// The resolved name of an element; `None` if we do not read it.
pub(super) type Resolved = Option<(Ns, &'static str)>;

/// The open elements and the declared prefixes.
#[derive(Default)]
pub(super) struct Scopes {
    open: Vec<Scope>,
    prefixes: Vec<(String, Ns)>,
    default: Option<Ns>,
    rdf: bool,
}

impl Scopes {
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    pub(super) fn current(&self) -> Scope {
        self.open.last().copied().unwrap_or(Scope::Outside)
    }

    pub(super) fn push(&mut self, scope: Scope) {
        self.open.push(scope);
    }

    pub(super) fn pop(&mut self) -> Scope {
        self.open.pop().unwrap_or(Scope::Outside)
    }

    pub(super) fn is_rdf(&self) -> bool {
        self.rdf
    }

    /// Checks the root element and learns its prefixes.
    pub(super) fn root(
        &mut self,
        tag: &BytesStart<'_>,
        attributes: &Attributes<'_>,
        family: Family,
    ) -> Result<Resolved, Dirt> {
        let mut default = None;
        for (name, value) in attributes.iter() {
            match name.strip_prefix("xmlns") {
                Some("") => default = Some(Ns::exact(value)),
                Some(prefix) => self.declare(prefix.trim_start_matches(':'), value)?,
                None => {}
            }
        }
        let given = tag.name().into_inner();
        let (prefix, local) = split(given);
        match (family, local) {
            (Family::Rss, "rss") if prefix.is_empty() => {
                if !matches!(default, None | Some(Ns::Rss)) {
                    return Err("RSS in a namespace");
                }
                let version = attributes.get("version");
                if !matches!(version.as_deref(), Some("2.0" | "0.91" | "0.92" | "")) {
                    return Err("an unusual version of RSS");
                }
            }
            (Family::Rss, "RDF") if default == Some(Ns::Rss) => self.rdf = true,
            (Family::Atom, "feed") => {
                let ns = match prefix {
                    "" => default.unwrap_or(Ns::Atom),
                    _ => self.find(prefix).unwrap_or(Ns::Other),
                };
                if ns != Ns::Atom {
                    return Err("Atom in another namespace");
                }
            }
            _ => return Err("an unusual root element"),
        }
        self.default = Some(default.unwrap_or(family.home()));
        Ok(Some((family.home(), "root")))
    }

    /// What an element below the root is.
    pub(super) fn resolve(
        &mut self,
        tag: &BytesStart<'_>,
        attributes: &Attributes<'_>,
    ) -> Result<Resolved, Dirt> {
        for (name, value) in attributes.iter() {
            match name.strip_prefix("xmlns") {
                Some("") if self.default != Some(Ns::exact(value)) => {
                    return Err("a default namespace of its own");
                }
                Some(prefix) if !prefix.is_empty() => {
                    self.declare(prefix.trim_start_matches(':'), value)?;
                }
                _ => {}
            }
        }
        let name = tag.name().into_inner();
        let (prefix, local) = split(name);
        let ns = match prefix {
            "" => self.default.unwrap_or(Ns::Other),
            _ => self.find(prefix).ok_or("an undeclared prefix")?,
        };
        match canonical(ns, local) {
            Some(known) if known == local => Ok(Some((ns, known))),
            Some(_) => Err("a name in the wrong case"),
            None if prefix.is_empty() && strays(local) => Err("a name from another format"),
            None => Ok(None),
        }
    }

    fn find(&self, prefix: &str) -> Option<Ns> {
        self.prefixes.iter().rev().find(|(known, _)| known == prefix).map(|(_, ns)| *ns)
    }

    /// Learns a prefix. One that we recognise but feed-rs does not makes the document dirty.
    fn declare(&mut self, prefix: &str, uri: &str) -> Result<(), Dirt> {
        let ns = Ns::exact(uri);
        let meant = match Ns::lenient(uri) {
            Ns::Other => Ns::by_prefix(prefix),
            known => known,
        };
        if ns == Ns::Other && meant != Ns::Other {
            return Err("a misspelt namespace");
        }
        match self.find(prefix) {
            Some(known) if known != ns => Err("a prefix with two meanings"),
            Some(_) => Ok(()),
            None => {
                if self.prefixes.len() >= 64 {
                    return Err("too many namespaces");
                }
                self.prefixes.push((prefix.to_owned(), ns));
                Ok(())
            }
        }
    }
}

/// Whether a name without a prefix belongs to another vocabulary that publishers mix in.
fn strays(local: &str) -> bool {
    [Ns::Atom, Ns::Rss, Ns::Dc, Ns::Content, Ns::DcTerms]
        .into_iter()
        .any(|ns| canonical(ns, local).is_some())
}
