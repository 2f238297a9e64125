//! Searching, and finding where an item is stored.

use std::collections::{BTreeSet, HashMap, HashSet};

use pergola_feed::Item;
use pergola_index::{
    Asked, Cursor, Document, Library, Limits, Normal, Page, Search, Segment, Waiting, search,
};
use pergola_manners::source::{ItemNumber, SourceId};

use super::super::{Archive, ArchiveError};
use super::Found;
use super::documents::texts_of;
use super::segments::{Failure, SegmentRows};
use crate::engine::Table;
use crate::records::Manifest;
use crate::rows::chunk::Chunk;
use crate::rows::keys::chunk_key;

/// Items on a page at most.
const MOST_ITEMS: usize = 1_000;
/// Documents that the words point to and that the caller does not want to see, at most.
const MOST_PASSED_OVER: usize = 300_000;
/// Documents beyond those shown that are checked at most: versions that were replaced, items that are gone.
const MOST_CHECKED: usize = 500;
/// Documents whose texts are read at most, to find phrases.
const MOST_TEXTS: usize = 400;
/// Unpacked chunks that are held.
const CHUNKS_HELD: usize = 32;
/// Times that a search begins again because the index has changed under it.
const TRIES: usize = 20;

/// What to search for, and where.
#[derive(Debug, Clone)]
pub struct Find {
    /// What the items contain.
    pub asked: Asked,
    /// Only items of these sources.
    pub sources: Option<BTreeSet<SourceId>>,
    /// Only items after this place: the `next` of the page before.
    pub after: Option<Cursor>,
    /// Items on the page at most, up to a thousand.
    pub limit: usize,
}

/// One page of items that were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The items, the newest first.
    pub found: Vec<Found>,
    /// Stored items that contain the words and were looked at, shown or not.
    pub looked_at: usize,
    /// Where the next page begins; nothing at the end. A search does a limited amount of work, so a page may have
    /// fewer items than asked for, or none, although others follow.
    pub next: Option<Cursor>,
    /// Every stored item was searched. Not so while the index is made again, or more waits to be indexed than a
    /// search looks through.
    pub complete: bool,
}

impl Archive {
    /// Searches all stored items. Blocks.
    pub fn find(&self, find: &Find) -> Result<Finding, ArchiveError> {
        self.find_among(find, &|_| true)
    }

    /// Searches those stored items that `admits` says yes to. Blocks.
    pub fn find_among(
        &self,
        find: &Find,
        admits: &dyn Fn(ItemNumber) -> bool,
    ) -> Result<Finding, ArchiveError> {
        let wanted = Search {
            asked: find.asked.clone(),
            sources: find.sources.as_ref().map(|some| some.iter().map(|id| id.0).collect()),
            after: find.after,
            limit: find.limit.clamp(1, MOST_ITEMS),
        };
        let limits = Limits {
            passed_over: MOST_PASSED_OVER,
            checked: wanted.limit + MOST_CHECKED,
            texts: MOST_TEXTS,
        };
        let (page, complete) = self.reading(|_, segments, waiting| {
            let mut stacks = Stacks { archive: self, admits, chunks: HashMap::new() };
            search(segments, waiting, &mut stacks, &wanted, limits)
        })?;
        let Page { found, looked_at, next } = page;
        let found = found.into_iter().map(Found::from).collect();
        Ok(Finding { found, looked_at, next, complete })
    }

    /// Where an item is stored: its latest version, by the source that delivered that last. Blocks.
    pub fn locate(&self, item: ItemNumber) -> Result<Option<Found>, ArchiveError> {
        let (mut copies, _) = self.reading(|archive, segments, waiting| {
            let waiting = waiting.iter().copied().flatten().map(|(document, _)| *document);
            let mut copies: Vec<Document> =
                waiting.filter(|document| document.number == item.0).collect();
            for (_, segment) in segments {
                copies.extend(segment.of_item(item.0)?);
            }
            let mut there = Vec::new();
            for copy in copies {
                if archive.has_chunk(&key_of(&copy))? {
                    there.push(copy);
                }
            }
            Ok(there)
        })?;
        copies.sort_by_key(|copy| (copy.arrived, copy.source, copy.chunk, copy.index));
        Ok(copies.pop().map(Found::from))
    }

    /// Lets `read` read the index as it is at one moment, and says whether it was complete. A segment that cannot be
    /// read is left out.
    fn reading<T>(
        &self,
        mut read: impl FnMut(
            &Self,
            &mut [(i64, Segment<SegmentRows>)],
            &[&[Waiting]],
        ) -> Result<T, Failure>,
    ) -> Result<(T, bool), ArchiveError> {
        let mut broken = HashSet::new();
        let mut tries = 0;
        loop {
            // What waits is read first: what is indexed after that is in the manifest then, and found twice at most.
            let waiting = self.waiting()?;
            let manifest = self.manifest()?;
            let used = manifest.segments.iter().filter(|one| !broken.contains(&one.number));
            let mut segments: Vec<_> = used.map(|one| (one.newest, self.segment(one))).collect();
            let chunks: Vec<&[Waiting]> = waiting.chunks.iter().map(AsRef::as_ref).collect();
            let outcome = read(self, &mut segments, &chunks);
            // Rows are deleted only after the manifest has stopped naming their segment. If it still names all of
            // them, they were all there.
            let later = self.manifest()?;
            let is_same = names_all(&later, &manifest);
            tries += 1;
            match outcome {
                Ok(read) if is_same || tries >= TRIES => {
                    let whole = manifest.whole && broken.is_empty() && !waiting.is_cut;
                    return Ok((read, whole && is_same));
                }
                Ok(_) => {}
                Err(Failure::Archive(error)) => return Err(error),
                Err(Failure::Segment { number, key }) => {
                    if is_same || tries >= TRIES {
                        let reason = "it is missing or makes no sense";
                        self.damage.note(Table::Index, &key, reason);
                        broken.insert(number);
                    }
                }
            }
        }
    }
}

fn names_all(manifest: &Manifest, of: &Manifest) -> bool {
    let there: HashSet<u32> = manifest.segments.iter().map(|segment| segment.number).collect();
    of.segments.iter().all(|segment| there.contains(&segment.number))
}

fn key_of(document: &Document) -> [u8; 8] {
    chunk_key(SourceId(document.source), document.chunk)
}

impl From<Document> for Found {
    fn from(document: Document) -> Self {
        let Document { number, source, chunk, index, date, arrived } = document;
        let (item, source) = (ItemNumber(number), SourceId(source));
        Self { item, source, chunk, index, date, arrived }
    }
}

/// Where texts are looked up.
struct Stacks<'a> {
    archive: &'a Archive,
    admits: &'a dyn Fn(ItemNumber) -> bool,
    /// Chunks that were unpacked lately; nothing for those that are damaged or gone.
    chunks: HashMap<(u32, u32), Option<Chunk>>,
}

impl Stacks<'_> {
    /// The items of a chunk; nothing if it is damaged or gone.
    fn chunk(&mut self, document: &Document) -> Result<Option<&Chunk>, Failure> {
        let place = (document.source, document.chunk);
        if !self.chunks.contains_key(&place) {
            if self.chunks.len() >= CHUNKS_HELD {
                self.chunks.clear();
            }
            let chunk = match self.archive.unpacked(SourceId(place.0), place.1) {
                Ok(chunk) => Some(chunk),
                Err(ArchiveError::Damaged { .. }) => None,
                Err(error) => return Err(error.into()),
            };
            self.chunks.insert(place, chunk);
        }
        Ok(self.chunks.get(&place).and_then(Option::as_ref))
    }

    fn item(&mut self, document: &Document) -> Result<Option<Item>, Failure> {
        let chunk = self.chunk(document)?;
        Ok(chunk.and_then(|chunk| chunk.item(document.index).ok().flatten()))
    }
}

impl Library for Stacks<'_> {
    type Error = Failure;

    fn texts(&mut self, document: &Document) -> Result<Option<Normal>, Failure> {
        let item = self.item(document)?;
        Ok(item.map(|item| Normal::of(texts_of(&item).iter().map(AsRef::as_ref))))
    }

    fn has(&mut self, document: &Document) -> Result<bool, Failure> {
        Ok(self.archive.has_chunk(&key_of(document))?)
    }

    fn admits(&mut self, document: &Document) -> Result<bool, Failure> {
        Ok((self.admits)(ItemNumber(document.number)))
    }
}
