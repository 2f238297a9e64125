//! The same item by two routes: is the second way shorter than the one it came by first?
//!
//! Only the source that holds an item may edit it, so an item changes hands with care: the two must say
//! the same and name the same feed as their origin. And a source that passes on the items of others
//! without being a node is a stop that nobody counts: it is counted here, or a copy would always be
//! nearer than the way through nodes. What cannot be compared stays where it is.
//!
//! Most items that come twice have come equally far, so the numbers of their hops are compared first,
//! and each chunk is unpacked once for that.

use std::collections::{HashMap, hash_map};

use pergola_feed::Item;

use pergola_store::archive::{Archive, ArchiveError, Changes, Entry, SourceId};

/// What was read to compare ways within one group.
#[derive(Default)]
pub(super) struct Routes {
    /// How many nodes the items of a chunk have passed.
    hops: HashMap<(SourceId, u32), Vec<usize>>,
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
        let old = self.hops(archive, changes, held)?;
        let new = self.hops(archive, changes, come)?;
        if old.zip(new).is_none_or(|(old, new)| new >= old) {
            return Ok(false);
        }
        let item = |entry: &Entry| -> Result<Option<Item>, ArchiveError> {
            let mut items = items(archive, changes, entry)?.into_iter();
            Ok(items.nth(usize::from(entry.index)))
        };
        let Some((old, new)) = item(held)?.zip(item(come)?) else { return Ok(false) };
        Ok(is_same(&old, &new) && stops(archive, come, &new)? < stops(archive, held, &old)?)
    }

    fn hops(
        &mut self,
        archive: &Archive,
        changes: &Changes,
        entry: &Entry,
    ) -> Result<Option<usize>, ArchiveError> {
        let chunk = match self.hops.entry((entry.source, entry.chunk)) {
            hash_map::Entry::Occupied(read) => read.into_mut(),
            hash_map::Entry::Vacant(new) => {
                let items = items(archive, changes, entry)?;
                new.insert(items.iter().map(|item| item.hops.len()).collect())
            }
        };
        Ok(chunk.get(usize::from(entry.index)).copied())
    }
}

/// The items of the chunk that an entry refers to; none if they cannot be read. That is no reason to
/// refuse what has come: whoever reads the feed is told, too.
fn items(archive: &Archive, changes: &Changes, entry: &Entry) -> Result<Vec<Item>, ArchiveError> {
    let found = match changes.chunk(entry.source, entry.chunk) {
        Ok(None) => archive.chunk(entry.source, entry.chunk),
        found => found.map(Option::unwrap_or_default),
    };
    match found {
        Err(error @ ArchiveError::Damaged { .. }) => {
            tracing::warn!(source = entry.source.0, %error, "an item cannot be compared");
            Ok(Vec::new())
        }
        found => found,
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
