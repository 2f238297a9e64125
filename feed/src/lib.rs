//! Reads any feed, and writes every feed format.
//!
//! The crate does no I/O and reads no clock: bytes and times are arguments.
//!
//! [`parse()`] reads RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0 and JSON Feed, however damaged, into a
//! [`Document`]. [`mod@write`] prints a document as RSS 2.0, Atom 1.0 or JSON Feed 1.1; reading it back
//! gives the same items.
//!
//! # Modules, from the bottom up
//!
//! - `percent`: percent-encoding.
//! - `limits`: how much of a document is read.
//! - `time`: points in time, and a parser for dates in any style.
//! - `markup`: encodings, characters, a tokeniser, names and addresses.
//! - `model`: items, documents and their normal form.
//! - `address`: what of an address may be shown, and what identifies the feed behind it.
//! - `identity`: which items are the same.
//! - `html`: web pages as sources: links to feeds, marks in comments, CSS selectors.
//! - `error`: why a document could not be read.
//! - `parse`: feeds of every format.
//! - `write`: RSS, Atom and JSON Feed.
//! - `sanitize`: HTML that is safe to show and to pass on.
//! - `opml`: subscription lists.

pub mod address;
mod error;
pub mod html;
pub mod identity;
mod limits;
mod markup;
mod model;
pub mod opml;
mod parse;
pub mod percent;
mod sanitize;
mod time;
pub mod write;

pub use error::ParseError;
pub use limits::Limits;
pub use model::{
    Category, Credit, Dated, Details, Document, Enclosure, Format, Hints, Hop, Item, ItemId, Link,
    Media, NodeId, Origin, OriginId, Person, Picture, Series, Text, TextKind, digest, digest_after,
};
pub use parse::{ParseOptions, parse};
pub use sanitize::{Pictures, disarm, sanitize, sanitize_for_page};
pub use time::{Millis, Timestamp, parse_date};
