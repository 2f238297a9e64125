//! The same item by two routes: does the second copy have fewer hops than the first?
//!
//! Only the source that delivered an item may edit it, so an entry moves to another source with care: both
//! copies must have the same content and name the same feed as their origin. A source that republishes items
//! of others without being a node is a hop that no node recorded; it is counted here, or a copy would always
//! seem nearer than the way through nodes. Copies that cannot be compared change nothing.
//!
//! Most items that arrive twice have equally many hops, so the numbers of hops are compared first, and each
//! chunk is unpacked once for that.

use std::collections::{HashMap, hash_map};

use pergola_feed::address::identity_of;
use pergola_feed::{Item, OriginId};
use pergola_store::archive::{Archive, ArchiveError, Commit, Entry, SourceId};

/// What was read to compare routes within one group.
#[derive(Default)]
pub(super) struct Routes {
    /// How many nodes the items of a chunk have passed.
    hops: HashMap<(SourceId, u32), Vec<usize>>,
}

impl Routes {
    /// Whether `new` has fewer hops than `held`; either may still be in the commit.
    pub(super) fn is_shorter(
        &mut self,
        archive: &Archive,
        commit: &Commit,
        held: &Entry,
        new: &Entry,
    ) -> Result<bool, ArchiveError> {
        let hops = (self.hops(archive, commit, held)?, self.hops(archive, commit, new)?);
        let (Some(of_held), Some(of_new)) = hops else { return Ok(false) };
        if of_new >= of_held {
            return Ok(false);
        }
        let item = |entry: &Entry| -> Result<Option<Item>, ArchiveError> {
            let mut items = items(archive, commit, entry)?.into_iter();
            Ok(items.nth(usize::from(entry.index)))
        };
        let Some((held_item, new_item)) = item(held)?.zip(item(new)?) else { return Ok(false) };
        Ok(is_same(&held_item, &new_item)
            && stops(archive, new, &new_item)? < stops(archive, held, &held_item)?)
    }

    fn hops(
        &mut self,
        archive: &Archive,
        commit: &Commit,
        entry: &Entry,
    ) -> Result<Option<usize>, ArchiveError> {
        let chunk = match self.hops.entry((entry.source, entry.chunk)) {
            hash_map::Entry::Occupied(read) => read.into_mut(),
            hash_map::Entry::Vacant(new) => {
                let items = items(archive, commit, entry)?;
                new.insert(items.iter().map(|item| item.hops.len()).collect())
            }
        };
        Ok(chunk.get(usize::from(entry.index)).copied())
    }
}

/// The items of the chunk that an entry refers to; none if they cannot be read. That is no reason to refuse
/// the new item: whoever reads the feed gets the error.
fn items(archive: &Archive, commit: &Commit, entry: &Entry) -> Result<Vec<Item>, ArchiveError> {
    match archive.chunk_after(commit, entry.source, entry.chunk) {
        Err(error @ ArchiveError::Damaged { .. }) => {
            tracing::warn!(source = entry.source.0, %error, "an item cannot be compared");
            Ok(Vec::new())
        }
        found => found,
    }
}

/// Whether two items are one: they come from the same feed and have the same content, however it was written
/// on the way.
fn is_same(one: &Item, other: &Item) -> bool {
    origin(one).is_some()
        && origin(one) == origin(other)
        && one.normalised().content_digest() == other.normalised().content_digest()
}

fn origin(item: &Item) -> Option<OriginId> {
    item.origin.as_ref().and_then(identity_of)
}

/// The stops of an item on its way here, this node included.
fn stops(archive: &Archive, entry: &Entry, item: &Item) -> Result<usize, ArchiveError> {
    let mut stops = item.hops.len();
    if stops < 2 {
        let source = archive.source(entry.source)?;
        let is_origin = source.is_some_and(|source| Some(source.origin) == origin(item));
        stops += usize::from(!is_origin);
    }
    Ok(stops)
}
