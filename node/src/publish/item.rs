//! An item as this node publishes it: documents, pages for people, messages to other nodes and the API all
//! show the item that [`Publisher`] returns.
//!
//! The item keeps its id, authors, dates and origin. The node adds when it published the item, says
//! which source delivered it if the item names no origin, and calls its own sources by the titles that its user
//! gave them.
//!
//! Other nodes get the id that the item has in the feed it comes from. Everybody else gets an id that means the
//! same everywhere: documents merge feeds, and two of these may use the same ids.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;

use pergola_feed::address::{has_secrets, identity_of, masked};
use pergola_feed::{Item, Millis, Origin, Timestamp, identity};
use pergola_store::archive::{
    Archive, ArchiveError, Entry, FeedId, OldIds, Published, SourceId, SourceKind, SourceRecord,
};
use url::Url;

use super::shelf::Imprint;

/// Turns archived items into published ones. It reads each source once.
pub(crate) struct Publisher<'a> {
    archive: &'a Archive,
    imprint: &'a Imprint,
    sources: HashMap<SourceId, Source>,
    /// Which entries of each feed keep their old ids.
    old: HashMap<FeedId, OldIds>,
}

impl<'a> Publisher<'a> {
    pub(crate) fn new(archive: &'a Archive, imprint: &'a Imprint) -> Self {
        Self { archive, imprint, sources: HashMap::new(), old: HashMap::new() }
    }

    /// The item of an entry, as this node publishes it. Blocks.
    pub(crate) fn publish(&mut self, entry: &Entry, mut item: Item) -> Result<Item, ArchiveError> {
        item.first_seen.get_or_insert(Timestamp::from_unix(entry.at as i64));
        item.published_by(&self.imprint.node, Millis::from_seconds(entry.at));
        let archive = self.archive;
        let source = self.source(entry.source)?;
        let mut origin = match (item.origin.take(), &source.record) {
            (None, Some(record)) => Some(origin(archive, entry.source, record)?),
            (told, _) => told,
        };
        if let Some(origin) = &mut origin {
            source.complete(origin);
        }
        // Of a source that is gone for good nobody knows any more whether it was private.
        let known = source.record.is_some() || item.hops.len() > 1;
        let open = |origin| if known { open(origin, &source.hidden) } else { unaddressed(origin) };
        item.origin = origin.map(open);
        Ok(item)
    }

    /// The items of entries of a feed, as this node publishes them to all but other nodes. Blocks.
    pub(crate) fn publish_all(
        mut self,
        feed: FeedId,
        archived: Vec<Published>,
    ) -> Result<Vec<Published>, ArchiveError> {
        archived.into_iter().map(|archived| self.publish_for(feed, archived)).collect()
    }

    /// The item of an entry of a feed, as this node publishes it to all but other nodes. Blocks.
    pub(crate) fn publish_for(
        &mut self,
        feed: FeedId,
        Published { sequence, entry, item }: Published,
    ) -> Result<Published, ArchiveError> {
        let mut item = self.publish(&entry, item)?;
        let keeps = match self.old.entry(feed) {
            Slot::Occupied(known) => known.into_mut(),
            Slot::Vacant(new) => new.insert(self.archive.old_ids(feed)?),
        }
        .keeps(sequence);
        if !keeps && let Some(identity) = item.origin.as_ref().and_then(identity_of) {
            item.id = identity::published(&item.id, identity);
        }
        Ok(Published { sequence, entry, item })
    }

    fn source(&mut self, id: SourceId) -> Result<&Source, ArchiveError> {
        Ok(match self.sources.entry(id) {
            Slot::Occupied(known) => known.into_mut(),
            Slot::Vacant(new) => new.insert(source(self.archive, id)?),
        })
    }
}

/// What is told of a source.
#[derive(Default)]
struct Source {
    /// `None` if it was removed for good.
    record: Option<SourceRecord>,
    /// The hosts of its addresses, if it is private.
    hidden: Vec<String>,
}

impl Source {
    /// Adds to an origin what this node knows better: the title that its user gave the source, and what identifies
    /// the source if the origin does not say. The latter comes before the address goes, from which it may be made.
    fn complete(&self, origin: &mut Origin) {
        let Some(record) = &self.record else {
            origin.identity = identity_of(origin);
            return;
        };
        if record.title.is_some() && is_of(origin, record) {
            origin.title.clone_from(&record.title);
        }
        origin.identity = identity_of(origin).or(Some(record.origin));
    }
}

/// Whether a source is the feed that an item comes from, now or before it moved.
fn is_of(origin: &Origin, source: &SourceRecord) -> bool {
    origin.feed.as_deref().is_some_and(|feed| source.addresses().any(|own| own == feed))
}

/// What is told of a source.
fn source(archive: &Archive, id: SourceId) -> Result<Source, ArchiveError> {
    let removed = || Ok(archive.removed_source(id)?.map(|removed| removed.what));
    let record = match archive.source(id) {
        Ok(Some(record)) => Some(record),
        // Its items stay, and so does its privacy.
        Ok(None) => removed().or_else(unless_damaged)?,
        Err(error) => unless_damaged(error)?,
    };
    let mut hidden = Vec::new();
    if let Some(record) = record.as_ref().filter(|record| record.private) {
        let home = archive.state_alone(id)?.and_then(|state| state.home);
        hidden.extend(record.addresses().chain(home.as_deref()).filter_map(host));
    }
    Ok(Source { record, hidden })
}

/// A source as the origin of its items. The user's title comes before the source's own.
fn origin(archive: &Archive, id: SourceId, source: &SourceRecord) -> Result<Origin, ArchiveError> {
    let (title, home) =
        archive.state_alone(id)?.map(|state| (state.title, state.home)).unwrap_or_default();
    let (title, url) = (source.title.clone().or(title), Some(source.url.clone()));
    Ok(match source.kind {
        SourceKind::Page(_) => Origin { title, home: url, ..Origin::default() },
        SourceKind::Feed | SourceKind::List => {
            Origin { title, home, feed: url, ..Origin::default() }
        }
    })
}

/// An origin as others may see it: without the addresses of a private source, and without secrets.
fn open(mut origin: Origin, hidden: &[String]) -> Origin {
    for address in [&mut origin.id, &mut origin.feed, &mut origin.home] {
        let is_hidden = |known: &String| host(known).is_some_and(|host| hidden.contains(&host));
        *address = address.take().filter(|known| hidden.is_empty() || !is_hidden(known));
        if let Some(secret) = address.as_mut().filter(|known| has_secrets(known)) {
            *secret = masked(secret).into_owned();
        }
    }
    origin
}

/// An origin without any address.
fn unaddressed(origin: Origin) -> Origin {
    Origin { id: None, feed: None, home: None, ..origin }
}

fn host(address: &str) -> Option<String> {
    Url::parse(address).ok()?.host_str().map(str::to_owned)
}

/// Nothing is known of a source whose record is damaged.
fn unless_damaged<T>(error: ArchiveError) -> Result<Option<T>, ArchiveError> {
    match error {
        ArchiveError::Damaged { .. } => Ok(None),
        ArchiveError::Store(_) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_and_no_private_address_is_in_an_origin() {
        let [id, feed] = ["https://a.example/f?token=x", "https://bob:x@a.example/"];
        let home = Some("https://a.example/".to_owned());
        let origin = Origin {
            title: None,
            id: Some(id.into()),
            feed: Some(feed.into()),
            home,
            ..Origin::default()
        };
        let shown = open(origin.clone(), &[]);
        assert_eq!(shown.id.as_deref(), Some("https://a.example/f?token=********"));
        assert_eq!(shown.feed.as_deref(), Some("https://a.example/"));
        assert_eq!(shown.home, origin.home);
        assert_eq!(open(origin.clone(), &["b.example".to_owned()]), shown);
        assert_eq!(open(origin, &["a.example".to_owned()]), Origin::default());
    }
}
