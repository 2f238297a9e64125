//! Items and documents: reading any feed, writing every format.
//!
//! This crate does no IO and knows no clock: bytes and times come in as arguments.
//!
//! - [`parse`] reads RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0 and JSON Feed, however damaged, into a
//!   [`Document`]; [`html`] makes documents of web pages and finds the feeds they link to.
//! - [`identity`] decides what makes two items the same.
//! - [`mod@write`] prints a document as RSS 2.0, Atom 1.0 or JSON Feed 1.1; reading it back gives the
//!   same items.
//! - [`opml`] reads and writes subscription lists; [`sanitize`] makes HTML safe to show.

mod error;
pub mod html;
pub mod identity;
mod limits;
mod model;
pub mod opml;
mod parse;
mod sanitize;
pub mod write;

pub use error::ParseError;
pub use limits::Limits;
pub use model::{
    Category, Dated, Document, Enclosure, Format, Hints, Hop, Item, ItemId, Link, Millis, NodeId,
    Origin, Person, Text, TextKind, Timestamp, digest,
};
pub use parse::{ParseOptions, parse, parse_date};
pub use sanitize::sanitize;
