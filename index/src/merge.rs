//! Several segments become one, some rows at a time.
//!
//! Documents whose chunk is gone are left out. An earlier version of an item stays as long as its chunk does: if the
//! later one goes first, it counts again.

use crate::build::ends;
use crate::document::Document;
use crate::rows::{Row, Rows};
use crate::segment::Segment;
use crate::terms::{Walk, Writer};
use crate::{MOST_DOCUMENTS, table};

/// In place of a document's new place: it has none.
const LEFT_OUT: u16 = u16::MAX;

/// A merge under way.
pub struct Merge {
    documents: Vec<Document>,
    inputs: Vec<Input>,
    writer: Writer,
    /// The rows of the documents, until they are handed out.
    first: Vec<Row>,
    ended: bool,
}

struct Input {
    /// The new place of each document.
    places: Vec<u16>,
    walk: Walk,
}

impl Merge {
    /// Begins to merge segments. Documents that `keep` refuses are left out, and so are those for which there is no
    /// room.
    pub fn new<R: Rows>(
        segments: &[Segment<R>],
        mut keep: impl FnMut(&Document) -> Result<bool, R::Error>,
    ) -> Result<Self, R::Error> {
        let mut all: Vec<(Document, usize, usize)> = Vec::new();
        for (number, segment) in segments.iter().enumerate() {
            let mut place = 0..;
            segment.each_document(|document| {
                all.extend(place.next().map(|place| (*document, number, place)));
            })?;
        }
        all.sort_by_key(|(document, ..)| document.order());
        // The same document may have been indexed twice.
        all.dedup_by_key(|(document, ..)| *document);
        let mut inputs: Vec<Input> = segments
            .iter()
            .map(|segment| Input {
                places: vec![LEFT_OUT; segment.len()],
                walk: Walk::new(segment.len()),
            })
            .collect();
        let mut documents = Vec::new();
        for (document, input, place) in all {
            if documents.len() < MOST_DOCUMENTS && keep(&document)? {
                inputs[input].places[place] = documents.len() as u16;
                documents.push(document);
            }
        }
        let first = table::rows_of(&documents);
        let writer = Writer::new(documents.len());
        Ok(Self { documents, inputs, writer, first, ended: false })
    }

    /// How many documents the new segment has.
    pub fn documents(&self) -> usize {
        self.documents.len()
    }

    /// The dates of the newest and the oldest document.
    pub fn dates(&self) -> (i64, i64) {
        ends(&self.documents)
    }

    /// Further rows of the new segment, about so many bytes of them; none at the end. The segments are those that the
    /// merge began with.
    pub fn next<R: Rows>(
        &mut self,
        segments: &[Segment<R>],
        bytes: usize,
    ) -> Result<Vec<Row>, R::Error> {
        let mut rows = std::mem::take(&mut self.first);
        let size = |(key, value): &Row| key.len() + value.len();
        let mut written: usize = rows.iter().map(size).sum();
        while written < bytes && !self.ended {
            self.ended = !self.push_word(segments)?;
            let more = if self.ended { self.writer.finish() } else { self.writer.finished() };
            written += more.iter().map(size).sum::<usize>();
            rows.extend(more);
        }
        Ok(rows)
    }

    /// Merges the documents of the next word; returns whether there was one.
    fn push_word<R: Rows>(&mut self, segments: &[Segment<R>]) -> Result<bool, R::Error> {
        let mut least: Option<Vec<u8>> = None;
        for (input, segment) in self.inputs.iter_mut().zip(segments) {
            let next = input.walk.peek(&segment.rows)?;
            if let Some(term) = next
                && least.as_deref().is_none_or(|least| term < least)
            {
                least = Some(term.to_vec());
            }
        }
        let Some(term) = least else { return Ok(false) };
        let mut documents = Vec::new();
        for (input, segment) in self.inputs.iter_mut().zip(segments) {
            if input.walk.peek(&segment.rows)? == Some(&term[..]) {
                let places = input.walk.take().into_iter();
                let new = places.filter_map(|place| input.places.get(usize::from(place)).copied());
                documents.extend(new.filter(|place| *place != LEFT_OUT));
            }
        }
        if !documents.is_empty() {
            documents.sort_unstable();
            self.writer.push(&term, &documents);
        }
        Ok(true)
    }
}
