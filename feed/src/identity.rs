//! What makes two items the same item.
//!
//! Two questions are answered here. Within one document: which id does each item get, so that ids
//! are as good as the document allows ([`assign`], used by every reader)? Across fetches of one
//! source: can its ids be trusted at all ([`SourceIdentity`])? Some publishers give every item the
//! same id, others a new one at each request; a source with more than one bad id in twenty degrades
//! by itself, from ids to links, from links to a digest of what the item says, and reports it.
//!
//! Pure: the state is a value that can be stored, and nothing here looks at a clock. Dates never
//! take part: an edited date must not make a new item.

mod source;

use std::collections::HashSet;

use crate::model::{Document, Item, ItemId};
pub use source::{Assigned, Degraded, IdentityParts, SourceIdentity};

/// What identifies the items of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// The id that the publisher gives.
    Id,
    /// The page that the item links to.
    Link,
    /// A digest of title and content.
    Digest,
}

/// The id of one item under a policy; falls through to the next one where the part is missing.
pub fn identify(item: &Item, policy: Policy) -> ItemId {
    let id = item.guid.as_ref().filter(|_| policy == Policy::Id);
    let link = || item.link.as_ref().filter(|_| policy != Policy::Digest);
    match id.or_else(link) {
        Some(text) => ItemId(text.clone()),
        None => digest_id(item),
    }
}

/// An id made of what the item says: title and content, and for items that have neither, whatever
/// else they have.
pub(crate) fn digest_id(item: &Item) -> ItemId {
    let text = item.content.as_ref().or(item.summary.as_ref()).map_or("", |text| &text.body);
    let title = item.title.as_deref().unwrap_or("");
    let mut parts = vec![title, text];
    if title.is_empty() && text.is_empty() {
        parts.push(item.link.as_deref().unwrap_or(""));
        parts.push(item.guid.as_deref().unwrap_or(""));
        parts.extend(item.enclosures.iter().map(|enclosure| enclosure.url.as_str()));
    }
    ItemId(format!("urn:pergola:digest:{:032x}", crate::model::digest(&parts)))
}

/// Gives every item of a document its id: the guid if it is there and unique in the document, else
/// the link if that is, else a digest. Two items keep the same id only if they are the same.
pub fn assign(document: &mut Document) {
    let repeated = |part: fn(&Item) -> Option<&str>| {
        let mut seen = HashSet::with_capacity(document.items.len());
        let parts = document.items.iter().filter_map(part);
        parts.filter(|part| !seen.insert(*part)).map(str::to_owned).collect::<HashSet<String>>()
    };
    let guids = repeated(|item| item.guid.as_deref());
    let links = repeated(|item| item.link.as_deref());
    let mut duplicated = 0;
    for item in &mut document.items {
        duplicated += usize::from(item.guid.as_ref().is_some_and(|guid| guids.contains(guid)));
        let guid = item.guid.as_ref().filter(|guid| !guids.contains(guid.as_str()));
        let link = item.link.as_ref().filter(|link| !links.contains(link.as_str()));
        item.id = match guid.or(link) {
            Some(text) => ItemId(text.clone()),
            None => digest_id(item),
        };
    }
    if duplicated > 0 {
        document.warnings.push(format!("{duplicated} items share their id with another"));
    }
}
