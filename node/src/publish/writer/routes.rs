//! The same item by two routes: is the second way shorter than the one it came by first?
//!
//! Only the source that holds an item may edit it, so an item changes hands with care: the two must say
//! the same and name the same feed as their origin. And a source that passes on the items of others
//! without being a node is a stop that nobody counts: it is counted here, or a copy would always be
//! nearer than the way through nodes. What cannot be compared stays where it is.
//!
//! Comparing means reading two items, which happens only when both routes exist; items of one look lie
//! together, so the chunks last read are kept.

use std::collections::HashMap;

use pergola_feed::Item;

use crate::archive::{Archive, ArchiveError, Changes, Entry, SourceId};

/// Chunks kept before they are forgotten.
const KEPT: usize = 16;

/// Chunks that were read to compare ways.
#[derive(Default)]
pub(super) struct Routes {
    chunks: HashMap<(SourceId, u32), Vec<Item>>,
}

impl Routes {
    /// Whether `come` has come a shorter way than `held`; either may still be among the changes.
    pub(super) fn is_shorter(
        &mut self,
        archive: &Archive,
        changes: &Changes,
        held: &Entry,
        come: &Entry,
    ) -> Result<bool, ArchiveError> {
        let Some(new) = self.item(archive, changes, come)? else { return Ok(false) };
        let Some(old) = self.item(archive, changes, held)? else { return Ok(false) };
        if new.hops.len() >= old.hops.len() || !is_same(&old, &new) {
            return Ok(false);
        }
        Ok(stops(archive, come, &new)? < stops(archive, held, &old)?)
    }

    fn item(
        &mut self,
        archive: &Archive,
        changes: &Changes,
        entry: &Entry,
    ) -> Result<Option<Item>, ArchiveError> {
        let place = (entry.source, entry.chunk);
        if !self.chunks.contains_key(&place) {
            if self.chunks.len() >= KEPT {
                self.chunks.clear();
            }
            let items = match changes.chunk(entry.source, entry.chunk) {
                Ok(None) => archive.chunk(entry.source, entry.chunk),
                found => found.map(Option::unwrap_or_default),
            };
            let items = match items {
                // It is no reason to refuse what has come: whoever reads the feed is told, too.
                Err(error @ ArchiveError::Damaged { .. }) => {
                    tracing::warn!(source = entry.source.0, %error, "an item cannot be compared");
                    Vec::new()
                }
                items => items?,
            };
            self.chunks.insert(place, items);
        }
        let items = self.chunks.get(&place);
        Ok(items.and_then(|items| items.get(usize::from(entry.index))).cloned())
    }
}

/// Whether two items are one: they come from the same feed and say the same, however it was spelt on
/// the way.
fn is_same(one: &Item, other: &Item) -> bool {
    let origin = |item: &Item| item.origin.as_ref().and_then(|origin| origin.feed.clone());
    origin(one).is_some()
        && origin(one) == origin(other)
        && one.normalised().content_digest() == other.normalised().content_digest()
}

/// The stops of an item on its way here, this node included.
fn stops(archive: &Archive, entry: &Entry, item: &Item) -> Result<usize, ArchiveError> {
    let mut stops = item.hops.len();
    if stops < 2 {
        let source = archive.source(entry.source)?;
        let origin = item.origin.as_ref().and_then(|origin| origin.feed.as_deref());
        let is_origin = source.is_some_and(|source| Some(source.url.as_str()) == origin);
        stops += usize::from(!is_origin);
    }
    Ok(stops)
}
