//! An item as this node publishes it: documents, pages for people, messages to other nodes and the API all
//! show the item that [`Publisher`] returns.
//!
//! The item keeps its id, authors, dates and origin. The node adds when it published the item, and says
//! which source delivered it if the item names no origin.
//!
//! Other nodes get the id that the item has in the feed it comes from. Everybody else gets an id that means the
//! same everywhere: documents merge feeds, and two of these may use the same ids.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;

use pergola_feed::address::identity_of;
use pergola_feed::{Item, Millis, Origin, Timestamp, identity};
use pergola_store::Table;
use pergola_store::archive::{
    Archive, ArchiveError, Entry, FeedId, Published, SourceId, SourceKind,
};

use super::shelf::Imprint;

/// Turns archived items into published ones. It reads each source once.
pub(crate) struct Publisher<'a> {
    archive: &'a Archive,
    imprint: &'a Imprint,
    origins: HashMap<SourceId, Option<Origin>>,
}

impl<'a> Publisher<'a> {
    pub(crate) fn new(archive: &'a Archive, imprint: &'a Imprint) -> Self {
        Self { archive, imprint, origins: HashMap::new() }
    }

    /// The item of an entry, as this node publishes it. Blocks.
    pub(crate) fn publish(&mut self, entry: &Entry, mut item: Item) -> Result<Item, ArchiveError> {
        item.first_seen.get_or_insert(Timestamp::from_unix(entry.at as i64));
        item.published_by(&self.imprint.node, Millis::from_seconds(entry.at));
        if item.origin.is_none() {
            item.origin = self.origin(entry.source)?;
        }
        if let Some(origin) = &mut item.origin {
            origin.identity = match identity_of(origin) {
                None => self.origin(entry.source)?.and_then(|source| source.identity),
                known => known,
            };
        }
        Ok(item)
    }

    /// The items of entries of a feed, as this node publishes them to all but other nodes. Blocks.
    pub(crate) fn publish_all(
        mut self,
        feed: FeedId,
        archived: Vec<Published>,
    ) -> Result<Vec<Published>, ArchiveError> {
        let old = self.archive.old_ids(feed)?;
        let publish = |Published { sequence, entry, item }| {
            let mut item = self.publish(&entry, item)?;
            if !old.keeps(sequence)
                && let Some(identity) = item.origin.as_ref().and_then(identity_of)
            {
                item.id = identity::published(&item.id, identity);
            }
            Ok(Published { sequence, entry, item })
        };
        archived.into_iter().map(publish).collect()
    }

    fn origin(&mut self, source: SourceId) -> Result<Option<Origin>, ArchiveError> {
        Ok(match self.origins.entry(source) {
            Slot::Occupied(known) => known.get().clone(),
            Slot::Vacant(new) => new.insert(origin(self.archive, source)?).clone(),
        })
    }
}

/// A source as the origin of its items; `None` if the source was removed. The title is the source's own;
/// the name that the operator gave it is used only if the source has none.
fn origin(archive: &Archive, id: SourceId) -> Result<Option<Origin>, ArchiveError> {
    let Some(source) = archive.source(id)? else { return Ok(None) };
    let (title, home) =
        archive.state_alone(id)?.map(|state| (state.title, state.home)).unwrap_or_default();
    let title = title.or(source.title);
    let identity = Some(source.origin);
    Ok(Some(match source.kind {
        SourceKind::Page(_) => {
            Origin { title, home: Some(source.url), identity, ..Origin::default() }
        }
        SourceKind::Feed | SourceKind::List => {
            Origin { title, home, feed: Some(source.url), identity, ..Origin::default() }
        }
    }))
}

/// The name to show for where a published item comes from.
pub(crate) fn origin_name(item: &Item) -> Option<&str> {
    let origin = item.origin.as_ref()?;
    origin.title.as_deref().or(origin.home.as_deref()).or(origin.feed.as_deref())
}

/// Reads entries with their items. Retention may delete old items after the entries were read and before
/// their items are: then the entries are gone, too, and the second attempt does not find them.
pub(crate) fn read_entries<T>(
    read: impl Fn() -> Result<T, ArchiveError>,
) -> Result<T, ArchiveError> {
    match read() {
        Err(ArchiveError::Damaged { table: Table::Entry, .. }) => read(),
        done => done,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn an_origin_is_named_by_its_title_else_its_page_else_its_feed() {
        let mut item = Item::new("x");
        assert_eq!(origin_name(&item), None);
        let [title, home, feed] = ["Title", "http://home", "http://feed"].map(|s| Some(s.into()));
        let mut origin = Origin { title, home, feed, ..Origin::default() };
        item.origin = Some(origin.clone());
        assert_eq!(origin_name(&item), Some("Title"));
        origin.title = None;
        item.origin = Some(origin.clone());
        assert_eq!(origin_name(&item), Some("http://home"));
        origin.home = None;
        item.origin = Some(origin);
        assert_eq!(origin_name(&item), Some("http://feed"));
    }

    #[test]
    fn an_item_deleted_between_two_reads_is_read_again_once() {
        let damaged = |table| ArchiveError::Damaged { table, reason: "gone".into() };
        let reads = Cell::new(0);
        let read = |table, failures| {
            reads.set(0);
            read_entries(|| {
                reads.set(reads.get() + 1);
                if reads.get() > failures { Ok(()) } else { Err(damaged(table)) }
            })
        };
        assert!(read(Table::Entry, 1).is_ok());
        assert!(read(Table::Entry, 2).is_err());
        assert!(read(Table::Chunk, 1).is_err());
        assert_eq!(reads.get(), 1, "only a missing item is read again");
    }
}
