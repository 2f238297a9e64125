//! Full-text search over items: which of very many contain these words, newest first.
//!
//! The index consists of *segments*. A segment holds some thousand documents and never changes; it is a set of rows
//! (keys and bytes), and where these are kept is the caller's business ([`Rows`]). New documents make a new segment
//! ([`Builder`]), several segments become one ([`Merge`]), and a search reads them all ([`search()`]).
//!
//! A segment says which documents contain a word, not where. So words are found by the index alone, while phrases are
//! looked up in the texts of the documents that contain all of their words. That keeps the index small.
//!
//! Words are those of the query language (`pergola_query::text`). There is no I/O and no clock here.
//!
//! # Modules, from the bottom up
//! - `bytes`: numbers as bytes
//! - `document`: what an index knows of an item, and the order of results
//! - `asked`: what a search asks for
//! - `snippet`: why a text was found
//! - `set`: sets of documents
//! - `rows`: where the rows of a segment are read from
//! - `terms`: the dictionary of a segment: words and the documents that contain them
//! - `table`: the documents of a segment, by place and by number
//! - `build`: new segments
//! - `segment`: reading a segment
//! - `merge`: several segments become one
//! - `tiers`: which segments to merge
//! - `search`: one page of results

mod asked;
mod build;
mod bytes;
mod document;
mod merge;
mod rows;
mod search;
mod segment;
mod set;
mod snippet;
mod table;
mod terms;
mod tiers;

pub use asked::{Asked, AskedError, Normal};
pub use build::{Builder, Built};
pub use document::{Cursor, Document, NotACursor};
pub use merge::Merge;
pub use rows::{Row, Rows, Visit};
pub use search::{Library, Limits, Page, Search, Waiting, search};
pub use segment::Segment;
pub use snippet::Piece;
pub use tiers::{Size, to_merge};

/// Documents of one segment at most: a set of them fits into 8 kB, and a document's number into two bytes.
pub const MOST_DOCUMENTS: usize = 60_000;
