//! New segments.

use std::collections::HashMap;

use pergola_query::text::Words;

use crate::document::Document;
use crate::rows::Row;
use crate::terms::{Writer, source_term, term_of};
use crate::{MOST_DOCUMENTS, table};

/// Gathers documents for a segment.
#[derive(Debug, Default)]
pub struct Builder {
    documents: Vec<Document>,
    terms: HashMap<Vec<u8>, u32>,
    /// For each term, the last document that contains it, counted from one.
    last: Vec<u32>,
    /// The terms of all documents, one document after the other …
    contained: Vec<u32>,
    /// … and where those of each end.
    ends: Vec<usize>,
    words: Words,
}

/// A new segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// Its rows.
    pub rows: Vec<Row>,
    /// Its documents.
    pub documents: usize,
    /// The date of the newest document …
    pub newest: i64,
    /// … and of the oldest one.
    pub oldest: i64,
}

impl Builder {
    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Adds a document with its texts; beyond [`MOST_DOCUMENTS`] there is no room.
    pub fn add<'a>(&mut self, document: Document, texts: impl IntoIterator<Item = &'a str>) {
        if self.len() >= MOST_DOCUMENTS {
            return;
        }
        self.documents.push(document);
        let Self { documents, terms, last, contained, words, .. } = self;
        let number = documents.len() as u32;
        let mut take = |term: &[u8]| {
            let term = match terms.get(term) {
                Some(known) => *known,
                None => {
                    let new = last.len() as u32;
                    terms.insert(term.to_vec(), new);
                    last.push(0);
                    new
                }
            };
            if std::mem::replace(&mut last[term as usize], number) != number {
                contained.push(term);
            }
        };
        take(&source_term(document.source));
        for text in texts {
            words.each_folded(text, |word| take(&term_of(word)));
        }
        self.ends.push(self.contained.len());
    }

    /// The segment.
    pub fn finish(self) -> Built {
        let mut order: Vec<usize> = (0..self.documents.len()).collect();
        order.sort_unstable_by_key(|place| self.documents[*place].order());
        let documents: Vec<Document> = order.iter().map(|place| self.documents[*place]).collect();
        let mut rows = table::rows_of(&documents);
        let of_terms = self.documents_of_terms(&order);
        let mut terms: Vec<(Vec<u8>, u32)> = self.terms.into_iter().collect();
        terms.sort_unstable();
        let mut writer = Writer::new(documents.len());
        for (term, number) in &terms {
            writer.push(term, &of_terms[*number as usize]);
        }
        rows.extend(writer.finish());
        let (newest, oldest) = ends(&documents);
        Built { rows, documents: documents.len(), newest, oldest }
    }

    /// For each term the documents that contain it, by their places in the order.
    fn documents_of_terms(&self, order: &[usize]) -> Vec<Vec<u16>> {
        let mut of_terms = vec![Vec::new(); self.last.len()];
        for (place, document) in (0..).zip(order) {
            let from = document.checked_sub(1).map_or(0, |before| self.ends[before]);
            for term in &self.contained[from..self.ends[*document]] {
                of_terms[*term as usize].push(place);
            }
        }
        of_terms
    }
}

/// The dates of the newest and the oldest of documents in order.
pub(crate) fn ends(documents: &[Document]) -> (i64, i64) {
    let date = |document: Option<&Document>| document.map_or(0, |document| document.date);
    (date(documents.first()), date(documents.last()))
}
