//! Items, an index of them, and a slow search.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use pergola_index::{
    Asked, Builder, Built, Cursor, Document, Library, Limits, Merge, Normal, Row, Rows, Search,
    Segment, Waiting, search,
};

/// An item: its number, its date and its texts.
type Item = (u64, i64, Vec<String>);

/// A row that is missing, or makes no sense.
#[derive(Debug)]
pub(crate) struct Broken;

#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// A source delivers items in a chunk.
    Deliver { source: u32, items: Vec<Item> },
    /// What waits becomes a segment.
    Index,
    /// A chunk is deleted.
    Delete(proptest::sample::Index),
    /// Some segments become one.
    Merge(u64),
}

#[derive(Debug, Clone, Default)]
struct Memory(BTreeMap<Vec<u8>, Vec<u8>>);

impl Rows for Memory {
    type Error = Broken;

    fn broken(&self, _: &[u8]) -> Broken {
        Broken
    }

    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Broken> {
        Ok(self.0.get(key).cloned())
    }

    fn last(&self, from: &[u8], to: &[u8]) -> Result<Option<Row>, Broken> {
        let mut range = self.0.range(from.to_vec()..=to.to_vec());
        Ok(range.next_back().map(|(key, value)| (key.clone(), value.clone())))
    }

    fn each(
        &self,
        from: &[u8],
        to: &[u8],
        visit: &mut pergola_index::Visit<'_>,
    ) -> Result<(), Broken> {
        for (key, value) in self.0.range(from.to_vec()..to.to_vec()) {
            if visit(key, value).is_break() {
                break;
            }
        }
        Ok(())
    }
}

type Chunks = BTreeMap<(u32, u32), Vec<(Document, Vec<String>)>>;

#[derive(Default)]
pub(crate) struct World {
    chunks: Chunks,
    next_chunk: u32,
    waiting: BTreeSet<(u32, u32)>,
    segments: Vec<(i64, Segment<Memory>)>,
}

struct Shelf<'a>(&'a Chunks);

impl Library for Shelf<'_> {
    type Error = Broken;

    fn texts(&mut self, document: &Document) -> Result<Option<Normal>, Broken> {
        let chunk = self.0.get(&(document.source, document.chunk));
        Ok(chunk.map(|items| normal(&items[usize::from(document.index)].1)))
    }

    fn has(&mut self, document: &Document) -> Result<bool, Broken> {
        Ok(self.0.contains_key(&(document.source, document.chunk)))
    }

    fn admits(&mut self, _: &Document) -> Result<bool, Broken> {
        Ok(true)
    }
}

fn normal(texts: &[String]) -> Normal {
    Normal::of(texts.iter().map(String::as_str))
}

impl World {
    pub(crate) fn play(&mut self, step: Step) {
        match step {
            Step::Deliver { source, items } => {
                let chunk = self.next_chunk;
                self.next_chunk += 1;
                let document = |(index, (number, date, texts)): (u16, Item)| {
                    let arrived = date + i64::from(chunk);
                    (Document { number, source, chunk, index, date, arrived }, texts)
                };
                self.chunks.insert((source, chunk), (0..).zip(items).map(document).collect());
                self.waiting.insert((source, chunk));
            }
            Step::Index => {
                let mut builder = Builder::default();
                for chunk in std::mem::take(&mut self.waiting) {
                    for (document, texts) in self.chunks.get(&chunk).into_iter().flatten() {
                        builder.add(*document, texts.iter().map(String::as_str));
                    }
                }
                if !builder.is_empty() {
                    self.take_in(builder.finish());
                }
            }
            Step::Delete(which) => {
                let all: Vec<_> = self.chunks.keys().copied().collect();
                if !all.is_empty() {
                    let gone = which.get(&all);
                    self.chunks.remove(gone);
                    self.waiting.remove(gone);
                }
            }
            Step::Merge(which) => {
                let mut number = 0;
                let some = self.segments.extract_if(.., |_| {
                    number += 1;
                    which >> (number % 64) & 1 == 1
                });
                let some: Vec<_> = some.map(|(_, segment)| segment).collect();
                self.merge(&some);
            }
        }
    }

    pub(crate) fn merge_all(&mut self) {
        let all: Vec<_> = self.segments.drain(..).map(|(_, segment)| segment).collect();
        self.merge(&all);
    }

    fn merge(&mut self, segments: &[Segment<Memory>]) {
        let keep =
            |document: &Document| Ok(self.chunks.contains_key(&(document.source, document.chunk)));
        let mut merge = Merge::new(segments, keep).unwrap();
        let mut all = Vec::new();
        loop {
            let rows = merge.next(segments, 100).unwrap();
            if rows.is_empty() {
                break;
            }
            all.extend(rows);
        }
        let ((newest, oldest), documents) = (merge.dates(), merge.documents());
        if documents > 0 {
            self.take_in(Built { rows: all, documents, newest, oldest });
        }
    }

    fn take_in(&mut self, built: Built) {
        let count = built.rows.len();
        let rows = Memory(built.rows.into_iter().collect());
        assert_eq!(rows.0.len(), count, "two rows have the same key");
        self.segments.push((built.newest, Segment::new(rows, built.documents)));
    }

    /// All results in order, page by page.
    pub(crate) fn all_pages(
        &mut self,
        asked: &Asked,
        source: Option<u32>,
        limit: usize,
        limits: Limits,
    ) -> Vec<Cursor> {
        let sources = source.map(|source| BTreeSet::from([source]));
        self.pages(Search { asked: asked.clone(), sources, after: None, limit }, limits)
    }

    pub(crate) fn all_of_sources(&mut self, asked: &Asked, sources: Range<u32>) -> Vec<Cursor> {
        let sources = Some(sources.collect());
        self.pages(Search { asked: asked.clone(), sources, after: None, limit: 100 }, crate::ENOUGH)
    }

    fn pages(&mut self, mut wanted: Search, limits: Limits) -> Vec<Cursor> {
        let waiting: Vec<Waiting> = self
            .waiting
            .iter()
            .flat_map(|chunk| &self.chunks[chunk])
            .map(|(document, texts)| (*document, normal(texts)))
            .collect();
        let waiting: Vec<&[Waiting]> = waiting.chunks(2).collect();
        let mut found = Vec::new();
        loop {
            let mut shelf = Shelf(&self.chunks);
            let segments = &mut self.segments;
            let page = search(segments, &waiting, &mut shelf, &wanted, limits).unwrap();
            assert!(page.found.len() <= wanted.limit);
            found.extend(page.found.iter().map(Document::cursor));
            match page.next {
                Some(next) => {
                    assert!(wanted.after.is_none_or(|after| next > after), "it stands still");
                    wanted.after = Some(next);
                }
                None => return found,
            }
        }
    }

    pub(crate) fn slow(&self, asked: &Asked, source: Option<u32>) -> Vec<Cursor> {
        self.slow_of(asked, |one| source.is_none_or(|source| source == one))
    }

    /// Looks at every item.
    pub(crate) fn slow_of(&self, asked: &Asked, is_in: impl Fn(u32) -> bool) -> Vec<Cursor> {
        let all = || self.chunks.values().flatten();
        let is_latest = |one: &Document| {
            !all().any(|(other, _)| {
                (other.source, other.number) == (one.source, one.number)
                    && (other.chunk, other.index) > (one.chunk, one.index)
            })
        };
        let mut found: BTreeMap<u64, Cursor> = BTreeMap::new();
        for (document, texts) in all() {
            if is_in(document.source) && asked.matches(&normal(texts)) && is_latest(document) {
                let place = found.entry(document.number).or_insert(document.cursor());
                *place = document.cursor().min(*place);
            }
        }
        let mut found: Vec<Cursor> = found.into_values().collect();
        found.sort();
        found
    }

    /// How many documents there are for an item.
    pub(crate) fn located(&self, number: u64) -> usize {
        let of = |(_, segment): &(i64, Segment<Memory>)| segment.of_item(number).unwrap().len();
        self.segments.iter().map(of).sum()
    }

    /// Removes and shortens each row of the first segment in turn, searches, and returns how often that failed.
    pub(crate) fn breaking_every_row(&mut self, asked: &Asked) -> usize {
        let (newest, segment) = self.segments.remove(0);
        let (rows, documents) = (segment.rows().clone(), segment.len());
        let mut failed = 0;
        for key in rows.0.keys() {
            for left in 0..rows.0[key].len().min(40) {
                let mut broken = rows.clone();
                broken.0.get_mut(key).unwrap().truncate(left);
                let wanted =
                    Search { asked: asked.clone(), sources: None, after: None, limit: 1_000 };
                let limits = crate::ENOUGH;
                let mut segments = [(newest, Segment::new(broken.clone(), documents))];
                let mut shelf = Shelf(&self.chunks);
                let found = search(&mut segments, &[], &mut shelf, &wanted, limits);
                failed += usize::from(found.is_err());
                let merged = Merge::new(&[Segment::new(broken, documents)], |_| Ok(true));
                failed += usize::from(merged.is_err());
            }
        }
        failed
    }
}
