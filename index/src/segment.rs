//! Reading a segment.

use std::collections::BTreeSet;

use crate::asked::{Asked, Clause};
use crate::document::{Cursor, Document};
use crate::rows::Rows;
use crate::set::Set;
use crate::table;
use crate::terms::{is_whole, look_up, look_up_all, source_of, source_term, term_of};

/// Up to so many sources are looked up one by one; of more, all sources of the segment are read.
const FEW_SOURCES: usize = 64;

/// A segment to be read.
#[derive(Debug, Clone)]
pub struct Segment<R> {
    pub(crate) rows: R,
    documents: usize,
    /// The block of documents that was last read.
    block: Option<(usize, Vec<Document>)>,
}

/// The documents of a segment that may be what a search asks for.
pub(crate) struct Candidates {
    /// All that are, and perhaps others.
    pub(crate) all: Set,
    /// Those of which the words say too little; nothing if that is none of them.
    pub(crate) doubtful: Option<Set>,
}

impl<R: Rows> Segment<R> {
    /// The segment with these rows and so many documents.
    pub fn new(rows: R, documents: usize) -> Self {
        Self { rows, documents, block: None }
    }

    /// Where it is read from.
    pub fn rows(&self) -> &R {
        &self.rows
    }

    /// How many documents it holds.
    pub fn len(&self) -> usize {
        self.documents
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.documents == 0
    }

    /// A document by its place in the order of results.
    pub(crate) fn document(&mut self, place: u16) -> Result<Document, R::Error> {
        let place = usize::from(place);
        let number = place / table::BLOCK;
        if self.block.as_ref().is_none_or(|(held, _)| *held != number) {
            self.block = Some((number, table::block(&self.rows, self.documents, number)?));
        }
        let block = self.block.as_ref().map_or(&[][..], |(_, documents)| documents);
        let document = block.get(place % table::BLOCK).copied();
        document.ok_or_else(|| self.rows.broken(&[]))
    }

    /// Visits every document in the order of results.
    pub fn each_document(&self, mut visit: impl FnMut(&Document)) -> Result<(), R::Error> {
        for number in 0..self.documents.div_ceil(table::BLOCK) {
            table::block(&self.rows, self.documents, number)?.iter().for_each(&mut visit);
        }
        Ok(())
    }

    /// The documents for an item.
    pub fn of_item(&self, number: u64) -> Result<Vec<Document>, R::Error> {
        let mut found = Vec::new();
        for place in table::numbered(&self.rows, self.documents, number)? {
            let place = usize::from(place);
            let block = table::block(&self.rows, self.documents, place / table::BLOCK)?;
            let document = block.get(place % table::BLOCK).copied();
            found.extend(document.filter(|document| document.number == number));
        }
        Ok(found)
    }

    /// The place of the first document after a cursor.
    pub(crate) fn after(&mut self, cursor: Cursor) -> Result<usize, R::Error> {
        let (mut low, mut high) = (0, self.documents);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.document(middle as u16)?.cursor() <= cursor {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        Ok(low)
    }

    /// The documents that a search asks for, as far as words tell.
    pub(crate) fn candidates(
        &self,
        asked: &Asked,
        sources: Option<&BTreeSet<u32>>,
    ) -> Result<Candidates, R::Error> {
        let mut all: Option<Set> = sources.map(|sources| self.of_sources(sources)).transpose()?;
        let mut is_doubtful = false;
        for clause in &asked.wanted {
            if all.as_ref().is_some_and(Set::is_empty) {
                break;
            }
            let (with, certain) = self.with_words(clause)?;
            is_doubtful |= !certain;
            match &mut all {
                Some(all) => all.keep(&with),
                None => all = Some(with),
            }
        }
        let mut all = all.unwrap_or_else(|| Set::none(self.documents));
        let mut doubtful = is_doubtful.then(|| all.clone());
        for clause in &asked.unwanted {
            if all.is_empty() {
                break;
            }
            let (mut with, certain) = self.with_words(clause)?;
            if certain {
                all.remove(&with);
                continue;
            }
            with.keep(&all);
            match &mut doubtful {
                Some(doubtful) => doubtful.add(&with),
                None => doubtful = Some(with),
            }
        }
        Ok(Candidates { all, doubtful })
    }

    /// The documents with all words of a clause, and whether that is all that the clause asks for.
    fn with_words(&self, clause: &Clause) -> Result<(Set, bool), R::Error> {
        let count = clause.words().count();
        let mut certain = count == 1;
        let mut all: Option<Set> = None;
        for (number, word) in clause.words().enumerate() {
            let mut with = Set::none(self.documents);
            let is_beginning = clause.is_open() && number + 1 == count;
            // Of a longer word, or a longer beginning, only the kept part is compared.
            certain &= is_whole(word);
            let (rows, term) = (&self.rows, term_of(word));
            match is_beginning && is_whole(word) {
                true => look_up_all(rows, self.documents, &term, |_| true, &mut with)?,
                false => look_up(rows, self.documents, &term, &mut with)?,
            }
            match &mut all {
                Some(all) => all.keep(&with),
                None => all = Some(with),
            }
            if all.as_ref().is_some_and(Set::is_empty) {
                break;
            }
        }
        Ok((all.unwrap_or_else(|| Set::none(self.documents)), certain))
    }

    fn of_sources(&self, sources: &BTreeSet<u32>) -> Result<Set, R::Error> {
        let mut set = Set::none(self.documents);
        if sources.len() <= FEW_SOURCES {
            for source in sources {
                look_up(&self.rows, self.documents, &source_term(*source), &mut set)?;
            }
            return Ok(set);
        }
        let is_wanted =
            |term: &[u8]| source_of(term).is_some_and(|source| sources.contains(&source));
        look_up_all(&self.rows, self.documents, &source_term(0)[..1], is_wanted, &mut set)?;
        Ok(set)
    }
}
