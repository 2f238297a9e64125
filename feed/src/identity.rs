//! Decides which items are the same.
//!
//! [`assign`] gives each item of a document the best id that the document allows; every reader calls
//! it. [`SourceIdentity`] learns over many fetches whether the ids of a source can be trusted. Some
//! publishers give every item the same id, or a new one at each request. A source with more than one
//! bad id in twenty falls back from ids to links, and from links to a digest of the content, and
//! reports it.
//!
//! The state is a value that can be stored. Dates are ignored: an edited date must not make a new item.

mod source;
mod uri;

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use crate::model::{Document, Item, ItemId};
pub use source::{Assigned, Degraded, IdentityParts, SourceIdentity};
pub(crate) use uri::{from_uri, to_uri};
pub use uri::{is_global, original, published};

/// What identifies the items of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The publisher's id.
    Id,
    /// The page that the item links to.
    Link,
    /// A digest of title and content.
    Digest,
}

/// The id of one item under a policy; falls back to the next policy if the part is missing.
pub fn identify(item: &Item, policy: Policy) -> ItemId {
    let id = item.guid.as_ref().filter(|_| policy == Policy::Id);
    let link = || item.link.as_ref().filter(|_| policy != Policy::Digest);
    match id.or_else(link) {
        Some(text) => ItemId(text.clone()),
        None => item.digest_id(),
    }
}

/// Whether two items of a document are one that it shows twice. A publisher may do that for a while, and then its
/// ids are no worse than before. Dates are ignored here, too.
fn is_repeated(one: &Item, other: &Item) -> bool {
    let parts = |item: &Item| (item.guid.clone(), item.link.clone(), item.digest_id());
    parts(one) == parts(other)
}

/// Gives every item of a document its id: the guid if no other item of the document has it, else the link if
/// no other has that, else a digest. Two items share an id only if they are the same.
pub fn assign(document: &mut Document) {
    let repeated = |part: fn(&Item) -> Option<&str>| {
        let mut seen: HashMap<&str, &Item> = HashMap::with_capacity(document.items.len());
        let mut repeated = HashSet::new();
        for item in &document.items {
            let Some(part) = part(item) else { continue };
            match seen.entry(part) {
                Entry::Vacant(first) => _ = first.insert(item),
                Entry::Occupied(first) if is_repeated(first.get(), item) => {}
                Entry::Occupied(_) => _ = repeated.insert(part.to_owned()),
            }
        }
        repeated
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
            None => item.digest_id(),
        };
    }
    if duplicated > 0 {
        document.warnings.push(format!("{duplicated} items share their id with another"));
    }
}
