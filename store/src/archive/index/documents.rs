//! The items of chunks as documents of the index.

use std::borrow::Cow;
use std::collections::HashMap;

use pergola_feed::address::origin_of;
use pergola_feed::html::plain_text;
use pergola_feed::{Item, OriginId, Timestamp};
use pergola_index::Document;
use pergola_manners::source::{ItemKey, ItemNumber, Known, SourceId, item_key};

use super::super::{Archive, ArchiveError, or_again};
use crate::engine::Table;
use crate::rows::chunk::{Chunk, delivered_at};
use crate::rows::keys::chunk_key;

/// Reads chunks, and remembers what is known of their sources.
pub(super) struct Documents<'a> {
    archive: &'a Archive,
    sources: HashMap<SourceId, Keys>,
}

/// What the keys of a source's items follow from.
struct Keys {
    known: Known,
    origin: OriginId,
}

impl<'a> Documents<'a> {
    pub(super) fn new(archive: &'a Archive) -> Self {
        Self { archive, sources: HashMap::new() }
    }

    /// The items of a chunk; none if it is gone or damaged.
    pub(super) fn of_chunk(
        &mut self,
        source: SourceId,
        chunk: u32,
    ) -> Result<Vec<(Document, Item)>, ArchiveError> {
        let key = chunk_key(source, chunk);
        let Some(row) = self.archive.store.get(Table::Chunk, &key)? else { return Ok(Vec::new()) };
        let whole = self.archive.whole(Table::Chunk, &key, &row);
        let read = whole.and_then(|row| Ok((delivered_at(row)?, Chunk::of_row(row)?.items()?)));
        let (at, items) = match read {
            Ok(read) => read,
            Err(nonsense) => {
                self.archive.damaged(Table::Chunk, &key, &nonsense);
                return Ok(Vec::new());
            }
        };
        let keys = self.keys(source)?;
        let arrived = Timestamp::from_unix(at as i64);
        let documents = (0..).zip(items).map(|(index, item)| {
            let document = Document {
                number: ItemNumber::from(keys.of(&item, chunk, index)).0,
                source: source.0,
                chunk,
                index,
                date: item.dated(arrived).map_or(arrived, |(date, _)| date).unix(),
                arrived: arrived.unix(),
            };
            (document, item)
        });
        Ok(documents.collect())
    }

    fn keys(&mut self, source: SourceId) -> Result<&Keys, ArchiveError> {
        if !self.sources.contains_key(&source) {
            let known = self.archive.known(source)?.unwrap_or_default();
            let there = or_again(self.archive.source(source), || Ok(None))?;
            let record = match there {
                Some(record) => Some(record),
                None => or_again(self.archive.removed_source(source), || Ok(None))?
                    .map(|removed| removed.what),
            };
            // Items say themselves which feed they come from, since schema 5.
            let origin = record.map_or_else(|| origin_of(""), |record| record.origin);
            self.sources.insert(source, Keys { known, origin });
        }
        Ok(&self.sources[&source])
    }
}

impl Keys {
    /// The key of an item: that by which it is known, since an item gets another one when its source becomes one with
    /// another.
    fn of(&self, item: &Item, chunk: u32, index: u16) -> ItemKey {
        let mut known = self.known.items.iter();
        let known = known.find(|known| (known.chunk, known.index) == (chunk, index));
        known.map_or_else(|| item_key(&item.id, item, self.origin), |known| known.key)
    }
}

/// The texts of an item that are searched: what a reader sees of it, without markup.
pub(super) fn texts_of(item: &Item) -> Vec<Cow<'_, str>> {
    let mut texts: Vec<Cow<'_, str>> = Vec::new();
    texts.extend(item.title.as_deref().map(Cow::Borrowed));
    texts.extend([&item.summary, &item.content].into_iter().flatten().map(plain_text));
    texts.extend(item.authors.iter().filter_map(|author| author.label()).map(Cow::Borrowed));
    texts.extend(item.categories.iter().map(|category| Cow::Borrowed(category.term.as_str())));
    texts
}
