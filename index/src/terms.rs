//! The dictionary of a segment: its words in order, each with the documents that contain it.
//!
//! The words stand in blocks that fit into a page of a store; the key of a block is its first word. A word shares its
//! beginning with the word before. A few documents are a list of gaps, many a bitmap.
//!
//! ```text
//! for each word:
//!   bytes shared with the word before (for the first word: with the key), further bytes, these
//!   number of documents × 2, + 1 for a bitmap
//!   one document: its number; a bitmap: its bytes; else the length of the list, and the list
//! ```

use std::borrow::Cow;
use std::ops::ControlFlow;

use crate::MOST_DOCUMENTS;
use crate::bytes::{Reader, put};
use crate::rows::{Row, Rows, kind};
use crate::set::Set;

/// Bytes of a word that are kept; longer words are rare, and looked up in the texts.
const MOST_WORD_BYTES: usize = 48;
/// After the kept bytes of a longer word. No word contains it.
const CUT: u8 = 0xff;
/// Before the number of a source in place of a word. No word begins with it.
const SOURCE: u8 = 0;
/// Bytes of a block: with its key it fits into a page of 4 kB.
const BLOCK_BYTES: usize = 3_800;

/// What stands for a word in the dictionary.
pub(crate) fn term_of(word: &str) -> Cow<'_, [u8]> {
    if is_whole(word) {
        return Cow::Borrowed(word.as_bytes());
    }
    let mut kept = word.as_bytes()[..word.floor_char_boundary(MOST_WORD_BYTES)].to_vec();
    kept.push(CUT);
    Cow::Owned(kept)
}

/// Whether a word, or the beginning of one, stands in the dictionary as it is.
pub(crate) fn is_whole(word: &str) -> bool {
    word.len() <= MOST_WORD_BYTES
}

/// What stands for a source.
pub(crate) fn source_term(source: u32) -> [u8; 5] {
    let [a, b, c, d] = source.to_be_bytes();
    [SOURCE, a, b, c, d]
}

/// The source that a term stands for, if it does.
pub(crate) fn source_of(term: &[u8]) -> Option<u32> {
    let [SOURCE, source @ ..] = term else { return None };
    Some(u32::from_be_bytes(*source.first_chunk()?))
}

fn key_of(term: &[u8]) -> Vec<u8> {
    [&[kind::TERMS], term].concat()
}

/// Writes a dictionary.
pub(crate) struct Writer {
    documents: usize,
    /// The block that is being written, and its first and last word.
    block: Vec<u8>,
    first: Vec<u8>,
    last: Vec<u8>,
    rows: Vec<Row>,
}

impl Writer {
    /// A dictionary of so many documents.
    pub(crate) fn new(documents: usize) -> Self {
        let (block, first, last) = (Vec::new(), Vec::new(), Vec::new());
        Self { documents, block, first, last, rows: Vec::new() }
    }

    /// Adds a word that comes after all before, and its documents in order.
    pub(crate) fn push(&mut self, term: &[u8], documents: &[u16]) {
        let list = encoded(documents, self.documents);
        if !self.block.is_empty() && self.block.len() + term.len() + 4 + list.len() > BLOCK_BYTES {
            self.end_block();
        }
        if self.block.is_empty() {
            self.first = term.to_vec();
            self.last = term.to_vec();
        }
        let shared = self.last.iter().zip(term).take_while(|(a, b)| a == b).count();
        put(&mut self.block, shared as u64);
        put(&mut self.block, (term.len() - shared) as u64);
        self.block.extend_from_slice(&term[shared..]);
        self.block.extend_from_slice(&list);
        self.last.truncate(shared);
        self.last.extend_from_slice(&term[shared..]);
    }

    fn end_block(&mut self) {
        if !self.block.is_empty() {
            self.rows.push((key_of(&self.first), std::mem::take(&mut self.block)));
        }
    }

    /// The blocks that are finished so far, each once.
    pub(crate) fn finished(&mut self) -> Vec<Row> {
        std::mem::take(&mut self.rows)
    }

    /// Nothing follows.
    pub(crate) fn finish(&mut self) -> Vec<Row> {
        self.end_block();
        self.finished()
    }
}

fn encoded(documents: &[u16], of: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(documents.len() + 4);
    let count = documents.len() as u64;
    if documents.len() > of.div_ceil(8) {
        put(&mut bytes, count << 1 | 1);
        let mut set = Set::none(of);
        documents.iter().for_each(|document| set.insert(*document));
        bytes.extend(set.bitmap(of));
        return bytes;
    }
    put(&mut bytes, count << 1);
    let mut gaps = Vec::with_capacity(documents.len() + 2);
    let mut next = 0;
    for document in documents {
        put(&mut gaps, u64::from(document - next));
        next = document + 1;
    }
    if documents.len() != 1 {
        put(&mut bytes, gaps.len() as u64);
    }
    bytes.extend(gaps);
    bytes
}

/// The documents of a word as they are stored.
#[derive(Debug, Clone, Copy)]
struct List<'a> {
    bytes: &'a [u8],
    is_bitmap: bool,
}

impl List<'_> {
    /// Calls `each` with every document, in order.
    fn each(&self, mut each: impl FnMut(u16)) -> Option<()> {
        if self.is_bitmap {
            for (place, byte) in self.bytes.iter().enumerate() {
                let mut bits = *byte;
                while bits != 0 {
                    each(u16::try_from(place * 8 + bits.trailing_zeros() as usize).ok()?);
                    bits &= bits - 1;
                }
            }
            return Some(());
        }
        let (mut reader, mut next) = (Reader(self.bytes), 0);
        while !reader.is_empty() {
            let document = reader.number()?.checked_add(next)?;
            each(u16::try_from(document).ok().filter(|it| usize::from(*it) < MOST_DOCUMENTS)?);
            next = document + 1;
        }
        Some(())
    }

    fn add_to(&self, set: &mut Set) -> Option<()> {
        if self.is_bitmap {
            set.insert_bitmap(self.bytes);
            return Some(());
        }
        self.each(|document| set.insert(document))
    }
}

/// Reads the words of one block.
struct Block<'a> {
    reader: Reader<'a>,
    term: Vec<u8>,
    documents: usize,
}

impl<'a> Block<'a> {
    fn new(key: &[u8], bytes: &'a [u8], documents: usize) -> Self {
        let term = key.get(1..).unwrap_or_default().to_vec();
        Self { reader: Reader(bytes), term, documents }
    }

    /// The next word, which is in `term` then; nothing at the end.
    fn next(&mut self) -> Option<Option<List<'a>>> {
        if self.reader.is_empty() {
            return Some(None);
        }
        let (shared, further): (usize, usize) = (self.reader.small()?, self.reader.small()?);
        if shared > self.term.len() {
            return None;
        }
        self.term.truncate(shared);
        self.term.extend_from_slice(self.reader.take(further)?);
        let count = self.reader.number()?;
        let is_bitmap = count & 1 == 1;
        let bytes = match count >> 1 {
            _ if is_bitmap => self.reader.take(self.documents.div_ceil(8))?,
            1 => {
                let from = self.reader.0;
                self.reader.number()?;
                &from[..from.len() - self.reader.0.len()]
            }
            _ => {
                let length = self.reader.small()?;
                self.reader.take(length)?
            }
        };
        Some(Some(List { bytes, is_bitmap }))
    }
}

/// Adds the documents of one word to a set.
pub(crate) fn look_up<R: Rows>(
    rows: &R,
    documents: usize,
    term: &[u8],
    set: &mut Set,
) -> Result<(), R::Error> {
    let Some((key, bytes)) = rows.last(&[kind::TERMS], &key_of(term))? else { return Ok(()) };
    let mut block = Block::new(&key, &bytes, documents);
    loop {
        let Some(next) = block.next() else { return Err(rows.broken(&key)) };
        match next {
            Some(list) if block.term == term => {
                return list.add_to(set).ok_or_else(|| rows.broken(&key));
            }
            Some(_) if block.term.as_slice() < term => {}
            _ => return Ok(()),
        }
    }
}

/// Adds the documents of all words that begin with some bytes and that `is_wanted` accepts to a set.
pub(crate) fn look_up_all<R: Rows>(
    rows: &R,
    documents: usize,
    beginning: &[u8],
    mut is_wanted: impl FnMut(&[u8]) -> bool,
    set: &mut Set,
) -> Result<(), R::Error> {
    let first = rows.last(&[kind::TERMS], &key_of(beginning))?;
    let from = first.map_or_else(|| vec![kind::TERMS], |(key, _)| key);
    let mut broken = None;
    rows.each(&from, &[kind::TERMS + 1], &mut |key, bytes| {
        let mut block = Block::new(key, bytes, documents);
        loop {
            let read = block.next().and_then(|next| match next {
                Some(list) if block.term.starts_with(beginning) => {
                    if is_wanted(&block.term) {
                        list.add_to(set)?
                    }
                    Some(ControlFlow::Continue(()))
                }
                Some(_) if block.term.as_slice() > beginning => Some(ControlFlow::Break(false)),
                Some(_) => Some(ControlFlow::Continue(())),
                None => Some(ControlFlow::Break(true)),
            });
            match read {
                Some(ControlFlow::Continue(())) => {}
                Some(ControlFlow::Break(true)) => return ControlFlow::Continue(()),
                Some(ControlFlow::Break(false)) => return ControlFlow::Break(()),
                None => {
                    broken = Some(rows.broken(key));
                    return ControlFlow::Break(());
                }
            }
        }
    })?;
    broken.map_or(Ok(()), Err)
}

/// Reads a whole dictionary, word by word.
pub(crate) struct Walk {
    documents: usize,
    /// The words of the current block that were not read yet, the next one last.
    words: Vec<(Vec<u8>, Vec<u16>)>,
    /// The key of the current block.
    key: Vec<u8>,
    ended: bool,
}

impl Walk {
    pub(crate) fn new(documents: usize) -> Self {
        Self { documents, words: Vec::new(), key: vec![kind::TERMS], ended: false }
    }

    /// The next word, without going on.
    pub(crate) fn peek<R: Rows>(&mut self, rows: &R) -> Result<Option<&[u8]>, R::Error> {
        if self.words.is_empty() && !self.ended {
            self.read_block(rows)?;
        }
        Ok(self.words.last().map(|(term, _)| term.as_slice()))
    }

    /// Goes on; returns the documents of the word that was next.
    pub(crate) fn take(&mut self) -> Vec<u16> {
        self.words.pop().map(|(_, documents)| documents).unwrap_or_default()
    }

    fn read_block<R: Rows>(&mut self, rows: &R) -> Result<(), R::Error> {
        let mut next = None;
        rows.each(&self.key, &[kind::TERMS + 1], &mut |key, bytes| {
            next = Some((key.to_vec(), bytes.to_vec()));
            ControlFlow::Break(())
        })?;
        let Some((key, bytes)) = next else {
            self.ended = true;
            return Ok(());
        };
        let mut block = Block::new(&key, &bytes, self.documents);
        loop {
            let read = block.next().and_then(|next| {
                let Some(list) = next else { return Some(false) };
                let mut documents = Vec::new();
                list.each(|document| documents.push(document))?;
                self.words.push((block.term.clone(), documents));
                Some(true)
            });
            match read {
                Some(true) => {}
                Some(false) => break,
                None => return Err(rows.broken(&key)),
            }
        }
        self.words.reverse();
        self.key = key;
        self.key.push(0);
        Ok(())
    }
}
