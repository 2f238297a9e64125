//! One item and its parts.

use serde::Deserialize;

use super::hop::Hop;
use super::ids::{ItemId, NodeId, OriginId, digest};
use super::media::{Details, Media, Series};
use super::person::Person;
use crate::time::{Millis, Timestamp};

/// 1990, when the first web page was published.
const FIRST_PAGE: i64 = 631_152_000;

/// One entry of a feed.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Identifies the item; the identity module chooses it.
    pub id: ItemId,
    /// The id exactly as the publisher gave it.
    pub guid: Option<String>,
    /// Plain text.
    pub title: Option<String>,
    /// The page that the item is about.
    pub link: Option<String>,
    /// Other links.
    pub links: Vec<Link>,
    /// A short form of the content, or the whole content if the feed has nothing else.
    pub summary: Option<Text>,
    pub content: Option<Text>,
    pub authors: Vec<Person>,
    pub categories: Vec<Category>,
    /// When the publisher says it was first published.
    pub published: Option<Timestamp>,
    /// When the publisher says it last changed.
    pub updated: Option<Timestamp>,
    /// When this node first saw it. The fetcher sets it, never a parser.
    pub first_seen: Option<Timestamp>,
    pub enclosures: Vec<Enclosure>,
    /// Pictures, and its place in a series.
    pub media: Option<Box<Media>>,
    /// The feed that first published it; republishing keeps it.
    pub origin: Option<Origin>,
    /// The nodes it has passed, oldest first. A node does not accept an item twice.
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
            media: None,
            origin: None,
            hops: Vec::new(),
        }
    }

    /// Whether the item has already passed this node, so that accepting it again would be a loop.
    pub fn has_passed(&self, node: &NodeId) -> bool {
        self.hops.iter().any(|hop| hop.node == *node)
    }

    /// Records in the last hop, which must be that of `node`, when the node published the item.
    pub fn published_by(&mut self, node: &NodeId, at: Millis) {
        if !self.has_passed(node) {
            self.hops.push(Hop::at(node.clone()));
        }
        if let Some(own) = self.hops.last_mut().filter(|hop| hop.node == *node) {
            own.published = Some(at);
        }
    }

    /// The publisher's date, of publication or else of the last change, if it can be true: a date after `now`
    /// or from before the web (most often 1970, a clock that was never set) is not believed.
    pub fn credible_date(&self, now: Timestamp) -> Option<(Timestamp, Dated)> {
        let credible = |at: &Timestamp| at.unix() >= FIRST_PAGE && *at <= now;
        let published = self.published.filter(credible).map(|at| (at, Dated::Published));
        let updated = || self.updated.filter(credible).map(|at| (at, Dated::Updated));
        published.or_else(updated)
    }

    /// The date to show, and where it comes from: the publisher's if it is credible, else when this node
    /// first saw the item, else `now` for a date in the future. Dates never decide whether an item is new.
    pub fn dated(&self, now: Timestamp) -> Option<(Timestamp, Dated)> {
        let seen = self.first_seen.map(|at| (at.min(now), Dated::FirstSeen));
        let future = self.published.or(self.updated).filter(|at| *at > now);
        self.credible_date(now).or(seen).or(future.map(|_| (now, Dated::Clamped)))
    }

    /// A digest of the visible parts: it changes when the item is edited.
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

    /// An id from the title and content or, for an item with neither, from everything else it has.
    pub(crate) fn digest_id(&self) -> ItemId {
        let text = self.content.as_ref().or(self.summary.as_ref()).map_or("", |text| &text.body);
        let title = self.title.as_deref().unwrap_or("");
        let mut parts = vec![title, text];
        if title.is_empty() && text.is_empty() {
            parts.push(self.link.as_deref().unwrap_or(""));
            parts.push(self.guid.as_deref().unwrap_or(""));
            parts.extend(self.enclosures.iter().map(|enclosure| enclosure.url.as_str()));
        }
        ItemId(format!("urn:pergola:digest:{:032x}", digest(&parts)))
    }

    /// Milliseconds that the item took to each node: from its publication at the previous hop (for the
    /// first node: from its publisher's date) until the node received it. `None` where a time is
    /// missing; negative where clocks differ.
    pub fn ages(&self) -> impl Iterator<Item = Option<i64>> {
        let origin = self.published.map(|at| Millis::from_unix(at.unix().saturating_mul(1000)));
        let before = std::iter::once(origin).chain(self.hops.iter().map(Hop::available));
        self.hops.iter().zip(before).map(|(hop, before)| between(before?, hop.fetched?))
    }

    /// Milliseconds from the publication of the item at its first hop until its last hop received it.
    /// `None` if it has passed fewer than two nodes, or a time is missing.
    pub fn age(&self) -> Option<i64> {
        let [first, .., last] = self.hops.as_slice() else { return None };
        between(first.available()?, last.fetched?)
    }

    /// Whether the item has nothing to read or follow.
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

fn between(from: Millis, to: Millis) -> Option<i64> {
    to.unix().checked_sub(from.unix())
}

/// Where an item's date comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dated {
    /// The publisher's date of publication.
    Published,
    /// The publisher's date of the last change, because there was no date of publication.
    Updated,
    /// When this node first saw the item, because the publisher gave no credible date.
    FirstSeen,
    /// Now, because the publisher's date lies in the future.
    Clamped,
}

/// Whether a text is markup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextKind {
    /// Show it as it is.
    Plain,
    /// An HTML fragment; sanitise it before a browser sees it.
    Html,
}

/// A text and its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    pub kind: TextKind,
    /// The text as published.
    pub body: String,
}

impl Text {
    pub fn plain(body: impl Into<String>) -> Self {
        Self { kind: TextKind::Plain, body: body.into() }
    }

    pub fn html(body: impl Into<String>) -> Self {
        Self { kind: TextKind::Html, body: body.into() }
    }
}

/// A link and its relation.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Link {
    pub href: String,
    /// The relation, such as `alternate`, `self` or `hub`.
    pub rel: String,
    pub media_type: Option<String>,
}

impl Link {
    pub fn new(rel: impl Into<String>, href: impl Into<String>) -> Self {
        Self { href: href.into(), rel: rel.into(), media_type: None }
    }
}

/// What an item is about.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Category {
    pub term: String,
    /// The vocabulary that the term belongs to.
    pub scheme: Option<String>,
}

impl Category {
    /// A category without a scheme.
    pub fn new(term: impl Into<String>) -> Self {
        Self { term: term.into(), scheme: None }
    }
}

/// A media file that belongs to an item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Enclosure {
    pub url: String,
    pub media_type: Option<String>,
    /// Size in bytes.
    pub length: Option<u64>,
    pub details: Option<Box<Details>>,
}

/// The feed that first published an item (`atom:source`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Origin {
    pub id: Option<String>,
    pub title: Option<String>,
    /// The address of the feed.
    pub feed: Option<String>,
    /// The page that the feed belongs to.
    pub home: Option<String>,
    /// Identifies the feed, also where its address is not told.
    #[serde(default, deserialize_with = "OriginId::deserialize_lenient")]
    pub identity: Option<OriginId>,
    /// The series that the feed is.
    pub series: Option<Box<Series>>,
}

impl Origin {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether anything is told of the feed besides its identity and series.
    pub(crate) fn is_told(&self) -> bool {
        let Self { id, title, feed, home, .. } = self;
        [id, title, feed, home].into_iter().any(Option::is_some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_age_at_a_node_runs_from_publication_at_the_hop_before() {
        let hop = |name: &str, fetched: Option<i64>, published: Option<i64>| Hop {
            node: NodeId(name.into()),
            fetched: fetched.map(Millis::from_unix),
            published: published.map(Millis::from_unix),
        };
        let mut item = Item::new("urn:x:1");
        assert_eq!((item.ages().count(), item.age()), (0, None));
        item.published = Some(Timestamp::from_unix(1));
        item.hops.push(hop("a", Some(3_000), Some(3_100)));
        assert_eq!(item.age(), None, "one hop has no length");
        item.hops.push(hop("b", Some(3_500), None));
        item.hops.push(hop("c", Some(3_400), Some(9_000)));
        item.hops.push(hop("d", None, None));
        let ages: Vec<_> = item.ages().collect();
        assert_eq!(ages, [Some(2_000), Some(400), Some(-100), None]);
        assert_eq!(item.age(), None);
        item.hops.pop();
        assert_eq!(item.age(), Some(300));
    }
}
