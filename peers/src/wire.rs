//! Items as messages and back: the door between the contract and the rest of the node.
//!
//! What comes in was written by a stranger. What an item cannot do without is an error that names the
//! field; what is blank elsewhere is passed over, as in a document. When this node first saw an item is
//! nobody else's business and stays here.

mod fetched;
mod hints;
mod media;
#[cfg(test)]
mod tests;

use pergola_feed::{
    Category, Hop, Item, ItemId, Link, Millis, NodeId, Origin, OriginId, Person, Text, TextKind,
    Timestamp,
};
use pergola_proto::v1;

pub use fetched::{FetchAnswer, FetchCodec, append_entry};
pub use hints::{hints_from_wire, hints_to_wire};
use media::{
    enclosure_from_wire, enclosure_to_wire, media_from_wire, media_to_wire, series_from_wire,
    series_to_wire,
};

/// Bytes of one answer, as most clients accept them without being told.
pub const ANSWER_BYTES: usize = 4 << 20;
/// Bytes of one entry: a larger one goes without its texts. An entry beyond [`ANSWER_BYTES`] goes alone.
pub const ENTRY_BYTES: usize = 16 << 20;
/// Bytes of a message that whoever fetches must be ready to take: the largest entry and what is around it.
pub const MESSAGE_BYTES: usize = ENTRY_BYTES + (1 << 20);
/// Nodes that an item is believed to have passed, as in documents.
const MOST_HOPS: usize = 128;

/// A message that cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` {reason}")]
pub struct WireError {
    /// The field, with the way to it.
    pub field: String,
    /// What is wrong with it.
    pub reason: &'static str,
}

impl WireError {
    fn new(field: impl Into<String>, reason: &'static str) -> Self {
        Self { field: field.into(), reason }
    }

    /// The same, further down in a message.
    pub fn within(self, place: &str) -> Self {
        Self { field: format!("{place}.{}", self.field), ..self }
    }
}

/// An entry of a feed as a peer delivers it.
#[derive(Debug, Clone, PartialEq)]
pub struct Delivered {
    /// Its number in the peer's feed.
    pub sequence: u64,
    /// When the peer published it, by the peer's clock.
    pub published_at: f64,
    /// It was delivered before and says something else now.
    pub edited: bool,
    /// It was too large for a message: its texts are missing.
    pub cut: bool,
    /// The item.
    pub item: Item,
}

/// An entry as a message.
pub fn entry_to_wire(entry: Delivered) -> v1::Entry {
    v1::Entry {
        sequence: entry.sequence,
        published_at_ms: millis(entry.published_at),
        edited: entry.edited,
        item: Some(item_to_wire(entry.item)),
        cut: entry.cut,
    }
}

/// The entry in a message.
pub fn entry_from_wire(entry: v1::Entry) -> Result<Delivered, WireError> {
    let item = entry.item.ok_or_else(|| WireError::new("item", "is missing"))?;
    Ok(Delivered {
        sequence: entry.sequence,
        published_at: seconds(entry.published_at_ms),
        edited: entry.edited,
        cut: entry.cut,
        item: item_from_wire(item).map_err(|error| error.within("item"))?,
    })
}

/// An item as a message.
pub fn item_to_wire(item: Item) -> v1::Item {
    v1::Item {
        id: item.id.0,
        guid: item.guid,
        title: item.title,
        link: item.link,
        links: item.links.into_iter().map(link_to_wire).collect(),
        summary: item.summary.map(text_to_wire),
        content: item.content.map(text_to_wire),
        authors: item.authors.into_iter().map(person_to_wire).collect(),
        categories: item.categories.into_iter().map(category_to_wire).collect(),
        published_ms: item.published.map(date_to_wire),
        updated_ms: item.updated.map(date_to_wire),
        enclosures: item.enclosures.into_iter().map(enclosure_to_wire).collect(),
        media: item.media.map(|media| media_to_wire(*media)),
        origin: item.origin.map(origin_to_wire),
        hops: item.hops.into_iter().map(hop_to_wire).collect(),
    }
}

/// The item in a message.
pub fn item_from_wire(item: v1::Item) -> Result<Item, WireError> {
    let id = stated(item.id).ok_or_else(|| WireError::new("id", "is empty"))?;
    Ok(Item {
        id: ItemId(id),
        guid: item.guid.and_then(stated),
        title: item.title.and_then(stated),
        link: item.link.and_then(stated),
        links: item.links.into_iter().filter_map(link_from_wire).collect(),
        summary: item.summary.and_then(text_from_wire),
        content: item.content.and_then(text_from_wire),
        authors: item.authors.into_iter().filter_map(person_from_wire).collect(),
        categories: item.categories.into_iter().filter_map(category_from_wire).collect(),
        published: item.published_ms.map(date_from_wire),
        updated: item.updated_ms.map(date_from_wire),
        first_seen: None,
        enclosures: item.enclosures.into_iter().filter_map(enclosure_from_wire).collect(),
        media: item.media.and_then(media_from_wire),
        origin: item.origin.map(origin_from_wire).filter(|origin| !origin.is_empty()),
        hops: item.hops.into_iter().filter_map(hop_from_wire).take(MOST_HOPS).collect(),
    })
}

fn link_to_wire(link: Link) -> v1::Link {
    v1::Link { href: link.href, rel: link.rel, media_type: link.media_type }
}

fn link_from_wire(link: v1::Link) -> Option<Link> {
    let media_type = link.media_type.and_then(stated);
    Some(Link { href: stated(link.href)?, rel: link.rel, media_type })
}

fn text_to_wire(text: Text) -> v1::Text {
    v1::Text { body: text.body, html: text.kind == TextKind::Html }
}

fn text_from_wire(text: v1::Text) -> Option<Text> {
    let kind = if text.html { TextKind::Html } else { TextKind::Plain };
    Some(Text { kind, body: stated(text.body)? })
}

fn person_to_wire(person: Person) -> v1::Person {
    v1::Person { name: person.name, uri: person.uri, email: person.email }
}

fn person_from_wire(person: v1::Person) -> Option<Person> {
    let v1::Person { name, uri, email } = person;
    let person = Person {
        name: name.and_then(stated),
        uri: uri.and_then(stated),
        email: email.and_then(stated),
    };
    (person != Person::default()).then_some(person)
}

fn category_to_wire(category: Category) -> v1::Category {
    v1::Category { term: category.term, scheme: category.scheme }
}

fn category_from_wire(category: v1::Category) -> Option<Category> {
    Some(Category { term: stated(category.term)?, scheme: category.scheme.and_then(stated) })
}

fn origin_to_wire(origin: Origin) -> v1::Origin {
    let Origin { id, title, feed, home, identity, series } = origin;
    let identity = identity.map(|identity| identity.0.to_be_bytes().to_vec());
    let series = series.map(|series| series_to_wire(*series));
    v1::Origin { id, title, feed, home, identity, series }
}

fn origin_from_wire(origin: v1::Origin) -> Origin {
    let v1::Origin { id, title, feed, home, identity, series } = origin;
    let identity = identity.and_then(|identity| identity.try_into().ok());
    Origin {
        id: id.and_then(stated),
        title: title.and_then(stated),
        feed: feed.and_then(stated),
        home: home.and_then(stated),
        identity: identity.map(u128::from_be_bytes).map(OriginId),
        series: series.and_then(series_from_wire),
    }
}

fn hop_to_wire(hop: Hop) -> v1::Hop {
    let Hop { node, fetched, published } = hop;
    let (fetched_ms, published_ms) = (fetched.map(Millis::unix), published.map(Millis::unix));
    v1::Hop { node: node.0, fetched_ms, published_ms }
}

fn hop_from_wire(hop: v1::Hop) -> Option<Hop> {
    let v1::Hop { node, fetched_ms, published_ms } = hop;
    let (fetched, published) =
        (fetched_ms.map(Millis::from_unix), published_ms.map(Millis::from_unix));
    Some(Hop { node: NodeId(stated(node)?), fetched, published })
}

fn date_to_wire(at: Timestamp) -> i64 {
    at.unix() * 1000
}

fn date_from_wire(millis: i64) -> Timestamp {
    Timestamp::from_unix(millis.div_euclid(1000))
}

/// A text that says something.
fn stated(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// The clock's seconds as milliseconds.
pub fn millis(seconds: f64) -> i64 {
    (seconds * 1000.0).round() as i64
}

/// Milliseconds as the clock's seconds.
pub fn seconds(millis: i64) -> f64 {
    millis as f64 / 1000.0
}
