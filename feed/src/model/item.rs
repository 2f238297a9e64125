//! One item and its parts.

use serde::{Deserialize, Serialize};

use super::hop::{Hop, Millis};
use super::ids::{ItemId, NodeId, digest};
use super::timestamp::Timestamp;

/// One entry of a feed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// What identifies the item: see [`crate::identity`].
    pub id: ItemId,
    /// The id exactly as the publisher gave it, if it did.
    pub guid: Option<String>,
    /// The title as plain text.
    pub title: Option<String>,
    /// The page that the item is about.
    pub link: Option<String>,
    /// Other links, with their relation.
    pub links: Vec<Link>,
    /// A short form of the content, or all there is.
    pub summary: Option<Text>,
    /// The full content.
    pub content: Option<Text>,
    /// Who wrote it.
    pub authors: Vec<Person>,
    /// What it is about.
    pub categories: Vec<Category>,
    /// When it was first published, as its publisher says.
    pub published: Option<Timestamp>,
    /// When it last changed, as its publisher says.
    pub updated: Option<Timestamp>,
    /// When this node first saw it; filled in by whoever fetched, never by a parser.
    pub first_seen: Option<Timestamp>,
    /// Attached media.
    pub enclosures: Vec<Enclosure>,
    /// The feed it comes from, kept when it is republished.
    pub origin: Option<Origin>,
    /// The nodes it has passed, oldest first; an item that has passed a node is not taken again.
    pub hops: Vec<Hop>,
}

impl Item {
    /// An item with an id and nothing else.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: ItemId(id.into()),
            guid: None,
            title: None,
            link: None,
            links: Vec::new(),
            summary: None,
            content: None,
            authors: Vec::new(),
            categories: Vec::new(),
            published: None,
            updated: None,
            first_seen: None,
            enclosures: Vec::new(),
            origin: None,
            hops: Vec::new(),
        }
    }

    /// Whether the item has already been at this node, so that taking it again would be a loop.
    pub fn has_passed(&self, node: &NodeId) -> bool {
        self.hops.iter().any(|hop| hop.node == *node)
    }

    /// A node hands the item on: its own hop, the last one, says since when it publishes the item.
    pub fn published_by(&mut self, node: &NodeId, at: Millis) {
        if !self.has_passed(node) {
            self.hops.push(Hop::at(node.clone()));
        }
        if let Some(own) = self.hops.last_mut().filter(|hop| hop.node == *node) {
            own.published = Some(at);
        }
    }

    /// The date to show, and what kind of date it is. A date in the future is clamped to `now`;
    /// dates never decide whether an item is new.
    pub fn dated(&self, now: Timestamp) -> Option<(Timestamp, Dated)> {
        let published = self.published.map(|at| (at, Dated::Published));
        let updated = self.updated.map(|at| (at, Dated::Updated));
        let seen = self.first_seen.map(|at| (at, Dated::FirstSeen));
        let (at, kind) = published.or(updated).or(seen)?;
        if at > now { Some((now, Dated::Clamped)) } else { Some((at, kind)) }
    }

    /// A digest of what a reader would see: it changes when the item was edited.
    pub fn content_digest(&self) -> u128 {
        fn body(text: &Option<Text>) -> &str {
            text.as_ref().map_or("", |text| &text.body)
        }
        digest(&[
            self.title.as_deref().unwrap_or(""),
            self.link.as_deref().unwrap_or(""),
            body(&self.summary),
            body(&self.content),
        ])
    }

    /// Whether there is nothing in the item that anybody could read or follow.
    pub fn is_blank(&self) -> bool {
        self.guid.is_none()
            && self.title.is_none()
            && self.link.is_none()
            && self.links.is_empty()
            && self.summary.is_none()
            && self.content.is_none()
            && self.enclosures.is_empty()
            && self.published.is_none()
            && self.updated.is_none()
    }
}

/// Where an item's date comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dated {
    /// The publisher's date of publication.
    Published,
    /// The publisher's date of the last change; there was no other.
    Updated,
    /// No date was given: the time this node first saw the item stands in.
    FirstSeen,
    /// The publisher's date lies in the future: now stands in.
    Clamped,
}

/// Whether a text is markup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TextKind {
    /// To be shown as it is.
    Plain,
    /// An HTML fragment; sanitise it before a browser sees it.
    Html,
}

/// A text together with what it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// Plain text or HTML.
    pub kind: TextKind,
    /// The text itself, as published.
    pub body: String,
}

impl Text {
    /// Plain text.
    pub fn plain(body: impl Into<String>) -> Self {
        Self { kind: TextKind::Plain, body: body.into() }
    }

    /// An HTML fragment.
    pub fn html(body: impl Into<String>) -> Self {
        Self { kind: TextKind::Html, body: body.into() }
    }
}

/// A link with its meaning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Where it leads.
    pub href: String,
    /// Its relation, such as `alternate`, `self` or `hub`.
    pub rel: String,
    /// The media type, if told.
    pub media_type: Option<String>,
}

impl Link {
    /// A link with a relation.
    pub fn new(rel: impl Into<String>, href: impl Into<String>) -> Self {
        Self { href: href.into(), rel: rel.into(), media_type: None }
    }
}

/// Somebody who wrote something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// A name to show.
    pub name: Option<String>,
    /// A page of that person.
    pub uri: Option<String>,
    /// A mail address.
    pub email: Option<String>,
}

impl Person {
    /// A person with a name only.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), uri: None, email: None }
    }

    /// The same person without a name that only repeats the address or the page.
    pub(crate) fn plainly(mut self) -> Self {
        if self.name.is_some() && (self.name == self.email || self.name == self.uri) {
            self.name = None;
        }
        self
    }

    /// The best thing to show: the name, else the address, else the page.
    pub fn label(&self) -> Option<&str> {
        self.name.as_deref().or(self.email.as_deref()).or(self.uri.as_deref())
    }
}

/// A subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Category {
    /// The subject itself.
    pub term: String,
    /// The scheme it belongs to, if any.
    pub scheme: Option<String>,
}

impl Category {
    /// A category without a scheme.
    pub fn new(term: impl Into<String>) -> Self {
        Self { term: term.into(), scheme: None }
    }
}

/// A media file that belongs to an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enclosure {
    /// Where the file is.
    pub url: String,
    /// Its media type, if told.
    pub media_type: Option<String>,
    /// Its size in bytes, if told.
    pub length: Option<u64>,
}

/// The feed that an item was first published in (`atom:source`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// That feed's id.
    pub id: Option<String>,
    /// That feed's title.
    pub title: Option<String>,
    /// That feed's own address.
    pub feed: Option<String>,
    /// The page it belongs to.
    pub home: Option<String>,
}

impl Origin {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
