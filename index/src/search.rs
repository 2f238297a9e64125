//! One page of results: the newest items that contain what is asked for.
//!
//! Each segment yields its documents in the order of results; they are taken in that order across all segments. A
//! segment is not read before its newest document could be next. Of the documents that the words point to, each is
//! checked before it is shown:
//!
//! * a later version of the item at the same source counts instead of it;
//! * its chunk is still there;
//! * if the words are not enough (phrases), its texts have what is asked for;
//! * the item was not shown before, as a document of another source.
//!
//! Never: an item twice on a page or on two pages; more work than the limits allow. What is left then is for the next
//! page.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use crate::asked::{Asked, Normal};
use crate::document::{Cursor, Document, Order};
use crate::rows::Rows;
use crate::segment::{Candidates, Segment};

/// What is searched for, and where.
#[derive(Debug, Clone)]
pub struct Search {
    /// What the items contain.
    pub asked: Asked,
    /// Only items of these sources; `None` for all.
    pub sources: Option<BTreeSet<u32>>,
    /// Only items after this place.
    pub after: Option<Cursor>,
    /// Items at most.
    pub limit: usize,
}

/// How much a search may do.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Documents that the words point to but the caller does not want to see.
    pub passed_over: usize,
    /// Documents that are checked.
    pub checked: usize,
    /// Documents whose texts are read.
    pub texts: usize,
}

/// One page of results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The items, the newest first, each at one place where it is stored.
    pub found: Vec<Document>,
    /// Documents that the words point to and that were looked at.
    pub looked_at: usize,
    /// Where to go on; nothing at the end. There may be more items after it, or none.
    pub next: Option<Cursor>,
}

/// What a search needs to know beside the segments.
pub trait Library {
    /// Why something could not be read.
    type Error;

    /// The texts of a document; nothing if its chunk is gone or cannot be read.
    fn texts(&mut self, document: &Document) -> Result<Option<Normal>, Self::Error>;

    /// Whether the chunk of a document is still there.
    fn has(&mut self, document: &Document) -> Result<bool, Self::Error>;

    /// Whether the caller wants to see the item at all.
    fn admits(&mut self, document: &Document) -> Result<bool, Self::Error>;
}

/// A document that is in no segment yet, and its texts.
pub type Waiting = (Document, Normal);

/// Searches segments, each with the date of its newest document, and documents that are in none yet.
pub fn search<R: Rows, L: Library<Error = R::Error>>(
    segments: &mut [(i64, Segment<R>)],
    waiting: &[&[Waiting]],
    library: &mut L,
    search: &Search,
    limits: Limits,
) -> Result<Page, R::Error> {
    let mut page = Page { found: Vec::new(), looked_at: 0, next: None };
    let mut streams = Streams::new(segments, waiting, search);
    let (mut shown, mut checked, mut texts) = (None, 0, 0);
    let mut last = search.after;
    while let Some((document, doubt)) = streams.next(segments, search)? {
        let is_full = page.found.len() >= search.limit
            || page.looked_at - checked >= limits.passed_over
            || checked >= limits.checked
            || texts >= limits.texts;
        // All documents for an item with the same date are looked at together.
        if is_full && last != Some(document.cursor()) {
            page.next = last;
            break;
        }
        last = Some(document.cursor());
        if shown == Some(document.number) {
            continue;
        }
        page.looked_at += 1;
        if !library.admits(&document)? {
            continue;
        }
        checked += 1;
        let mut check = Check { segments, waiting, library, search, texts: &mut texts };
        if check.is_result(&document, doubt)? {
            shown = Some(document.number);
            page.found.push(document);
        }
    }
    Ok(page)
}

/// Whether the words of a document say enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doubt {
    None,
    /// Its texts must be read.
    Words,
}

/// The documents that the words point to, in the order of results.
struct Streams {
    /// Segments that are not read yet, by their places; the one with the newest document last.
    unread: Vec<usize>,
    read: Vec<Stream>,
    /// The documents that are in no segment, the newest last.
    waiting: Vec<Document>,
    /// The next document of each stream, and of those that are in no segment.
    heads: BinaryHeap<Reverse<(Order, Stock)>>,
}

/// Where a document comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stock {
    Waiting,
    Stream(usize),
}

struct Stream {
    segment: usize,
    candidates: Candidates,
    /// The next document and its place.
    head: Option<(Document, u16)>,
}

impl Streams {
    fn new<R>(segments: &[(i64, Segment<R>)], waiting: &[&[Waiting]], search: &Search) -> Self {
        let mut unread: Vec<usize> = (0..segments.len()).collect();
        unread.sort_by_key(|place| segments[*place].0);
        let is_wanted = |document: &Document| {
            search.sources.as_ref().is_none_or(|sources| sources.contains(&document.source))
                && search.after.is_none_or(|after| document.cursor() > after)
        };
        let waiting = waiting.iter().copied().flatten();
        let wanted =
            waiting.filter(|(document, texts)| is_wanted(document) && search.asked.matches(texts));
        let mut waiting: Vec<Document> = wanted.map(|(document, _)| *document).collect();
        waiting.sort_by_key(|document| Reverse(document.order()));
        let mut streams = Self { unread, read: Vec::new(), waiting, heads: BinaryHeap::new() };
        streams.push_head(Stock::Waiting);
        streams
    }

    fn push_head(&mut self, from: Stock) {
        let head = match from {
            Stock::Waiting => self.waiting.last().copied(),
            Stock::Stream(number) => self.read[number].head.map(|(document, _)| document),
        };
        self.heads.extend(head.map(|document| Reverse((document.order(), from))));
    }

    fn next<R: Rows>(
        &mut self,
        segments: &mut [(i64, Segment<R>)],
        search: &Search,
    ) -> Result<Option<(Document, Doubt)>, R::Error> {
        while let Some(place) = self.unread.last().copied()
            && self
                .heads
                .peek()
                .is_none_or(|Reverse(((head, ..), _))| segments[place].0 >= head.date)
        {
            self.unread.pop();
            self.read.push(Stream::open(place, &mut segments[place].1, search)?);
            self.push_head(Stock::Stream(self.read.len() - 1));
        }
        let Some(Reverse((_, from))) = self.heads.pop() else { return Ok(None) };
        let next = match from {
            Stock::Waiting => self.waiting.pop().map(|document| (document, Doubt::None)),
            Stock::Stream(number) => {
                let stream = &mut self.read[number];
                let next = stream.head.map(|(document, _)| (document, stream.doubt()));
                stream.go_on(&mut segments[stream.segment].1)?;
                next
            }
        };
        self.push_head(from);
        Ok(next)
    }
}

impl Stream {
    fn open<R: Rows>(
        place: usize,
        segment: &mut Segment<R>,
        search: &Search,
    ) -> Result<Self, R::Error> {
        let candidates = segment.candidates(&search.asked, search.sources.as_ref())?;
        let mut stream = Self { segment: place, candidates, head: None };
        if !stream.candidates.all.is_empty() {
            let from = search.after.map_or(Ok(0), |after| segment.after(after))?;
            stream.read_head(segment, u16::try_from(from).ok())?;
        }
        Ok(stream)
    }

    fn doubt(&self) -> Doubt {
        let doubtful = self.candidates.doubtful.as_ref().zip(self.head);
        match doubtful.is_some_and(|(doubtful, (_, place))| doubtful.contains(place)) {
            true => Doubt::Words,
            false => Doubt::None,
        }
    }

    fn go_on<R: Rows>(&mut self, segment: &mut Segment<R>) -> Result<(), R::Error> {
        let next = self.head.and_then(|(_, place)| place.checked_add(1));
        self.read_head(segment, next)
    }

    fn read_head<R: Rows>(
        &mut self,
        segment: &mut Segment<R>,
        from: Option<u16>,
    ) -> Result<(), R::Error> {
        let place = from.and_then(|from| self.candidates.all.next(from));
        self.head = match place {
            Some(place) => Some((segment.document(place)?, place)),
            None => None,
        };
        Ok(())
    }
}

/// Decides whether a document is shown.
struct Check<'a, R, L> {
    segments: &'a [(i64, Segment<R>)],
    waiting: &'a [&'a [Waiting]],
    library: &'a mut L,
    search: &'a Search,
    texts: &'a mut usize,
}

impl<R: Rows, L: Library<Error = R::Error>> Check<'_, R, L> {
    fn is_result(&mut self, document: &Document, doubt: Doubt) -> Result<bool, R::Error> {
        if doubt == Doubt::Words && !self.matches(document)? {
            return Ok(false);
        }
        let copies = self.copies(document.number)?;
        if !self.library.has(document)? || !self.is_latest(document, &copies)? {
            return Ok(false);
        }
        // Others of the same date come directly before it or after it.
        for other in copies.iter().filter(|other| other.date > document.date) {
            if self.is_searched(other) && self.matches(other)? && self.is_latest(other, &copies)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Every document for an item.
    fn copies(&self, number: u64) -> Result<Vec<Document>, R::Error> {
        let waiting = self.waiting.iter().copied().flatten().map(|(document, _)| document);
        let mut copies: Vec<Document> =
            waiting.filter(|document| document.number == number).copied().collect();
        for (_, segment) in self.segments {
            copies.extend(segment.of_item(number)?);
        }
        Ok(copies)
    }

    fn is_searched(&self, document: &Document) -> bool {
        let sources = self.search.sources.as_ref();
        sources.is_none_or(|sources| sources.contains(&document.source))
    }

    fn matches(&mut self, document: &Document) -> Result<bool, R::Error> {
        *self.texts += 1;
        let texts = self.library.texts(document)?;
        Ok(texts.is_some_and(|texts| self.search.asked.matches(&texts)))
    }

    /// Whether no copy is a later version at the same source.
    fn is_latest(&mut self, document: &Document, copies: &[Document]) -> Result<bool, R::Error> {
        for copy in copies.iter().filter(|copy| copy.source == document.source) {
            if copy.version() > document.version() && self.library.has(copy)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
