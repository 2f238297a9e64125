//! Chunks that were read lately, ready to be sent again: what one peer fetches, the next one fetches too.
//!
//! A chunk never changes once it is written, so nothing here can be out of date. Two generations: when the
//! younger one is full it becomes the older one, and what is asked for again moves over. Memory stays within
//! the limit without a list of who was used when.

use std::collections::HashMap;
use std::sync::Arc;

use pergola_feed::Item;

use pergola_store::archive::{Archive, ArchiveError, SourceId};

use pergola_outside::locks::Mutex;

/// Bytes of items that are kept, as they were before packing.
const LIMIT: usize = 16 << 20;

type Place = (SourceId, u32);
type Chunk = Arc<Vec<Item>>;

/// Chunks read lately.
pub(super) struct Recent {
    generations: Mutex<Generations>,
    limit: usize,
}

#[derive(Default)]
struct Generations {
    young: HashMap<Place, (Chunk, usize)>,
    old: HashMap<Place, (Chunk, usize)>,
    /// Bytes of the young.
    bytes: usize,
}

impl Default for Recent {
    fn default() -> Self {
        Self { generations: Mutex::default(), limit: LIMIT }
    }
}

impl Recent {
    /// The items of a chunk, from memory or from the disk.
    pub(super) fn chunk(
        &self,
        archive: &Archive,
        source: SourceId,
        chunk: u32,
    ) -> Result<Chunk, ArchiveError> {
        let place = (source, chunk);
        if let Some(known) = self.known(place) {
            return Ok(known);
        }
        let items = Arc::new(archive.chunk(source, chunk)?);
        let bytes = items.iter().map(weight).sum();
        // What is not there yet, or larger than everything together, is not worth its place.
        if !items.is_empty() && bytes <= self.limit / 2 {
            self.keep(place, Arc::clone(&items), bytes);
        }
        Ok(items)
    }

    fn known(&self, place: Place) -> Option<Chunk> {
        let mut generations = self.generations.lock();
        if let Some((chunk, _)) = generations.young.get(&place) {
            return Some(Arc::clone(chunk));
        }
        let (chunk, bytes) = generations.old.remove(&place)?;
        generations.keep(place, Arc::clone(&chunk), bytes, self.limit);
        Some(chunk)
    }

    fn keep(&self, place: Place, chunk: Chunk, bytes: usize) {
        let mut generations = self.generations.lock();
        generations.keep(place, chunk, bytes, self.limit);
    }
}

impl Generations {
    fn keep(&mut self, place: Place, chunk: Chunk, bytes: usize, limit: usize) {
        if self.bytes + bytes > limit / 2 {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
        if self.young.insert(place, (chunk, bytes)).is_none() {
            self.bytes += bytes;
        }
    }
}

/// About what an item takes in memory.
fn weight(item: &Item) -> usize {
    let text = |text: &Option<pergola_feed::Text>| text.as_ref().map_or(0, |text| text.body.len());
    let string = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let parts =
        item.links.len() + item.authors.len() + item.categories.len() + item.enclosures.len();
    // Pictures and series are short texts.
    let media = if item.media.is_some() { 1_000 } else { 0 };
    1_000
        + media
        + 200 * parts
        + item.id.0.len()
        + string(&item.guid)
        + string(&item.title)
        + string(&item.link)
        + text(&item.summary)
        + text(&item.content)
}

#[cfg(test)]
mod tests {
    use pergola_store::archive::Commit;

    use super::*;

    fn archive(chunks: u32) -> (Archive, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let store = pergola_store::open(folder.path(), None, 1 << 20).unwrap().store;
        let archive = Archive::new(store);
        let mut commit = Commit::new();
        for number in 0..chunks {
            let item = Item::new(format!("item {number}"));
            commit.source(SourceId(1)).put_chunk(number, 0.0, &[&item]);
        }
        archive.commit(commit).unwrap();
        (archive, folder)
    }

    #[test]
    fn what_was_read_is_the_same_again_and_memory_stays_within_the_limit() {
        let (archive, _folder) = archive(40);
        let recent = Recent { limit: 10 * 1_010, ..Recent::default() };
        for round in 0..2 {
            for number in 0..40 {
                let chunk = recent.chunk(&archive, SourceId(1), number).unwrap();
                assert_eq!(chunk[0].id.0, format!("item {number}"), "round {round}");
            }
        }
        let generations = recent.generations.lock();
        let held = generations.young.len() + generations.old.len();
        assert!((5..=10).contains(&held), "{held} chunks are held");
    }

    #[test]
    fn what_is_asked_for_again_stays() {
        let (archive, _folder) = archive(40);
        let recent = Recent { limit: 10 * 1_010, ..Recent::default() };
        let first = recent.chunk(&archive, SourceId(1), 0).unwrap();
        for number in 1..40 {
            recent.chunk(&archive, SourceId(1), number).unwrap();
            let again = recent.chunk(&archive, SourceId(1), 0).unwrap();
            assert!(Arc::ptr_eq(&first, &again), "read anew after chunk {number}");
        }
    }

    #[test]
    fn a_chunk_that_is_not_there_is_not_remembered_as_empty() {
        let (archive, _folder) = archive(0);
        let recent = Recent::default();
        assert!(recent.chunk(&archive, SourceId(1), 0).unwrap().is_empty());
        let mut commit = Commit::new();
        commit.source(SourceId(1)).put_chunk(0, 0.0, &[&Item::new("late")]);
        archive.commit(commit).unwrap();
        assert_eq!(recent.chunk(&archive, SourceId(1), 0).unwrap().len(), 1);
    }
}
