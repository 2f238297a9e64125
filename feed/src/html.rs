//! Web pages as sources.
//!
//! There are three ways, best first: follow the page's link to a feed ([`discover`]), read the items
//! that the author has marked in comments, as in Dynamo ([`annotated`]), or select the items with CSS
//! selectors that the user gives with the source ([`select`]).

mod annotations;
mod discovery;
mod plain;
mod selectors;

use std::borrow::Cow;

use crate::limits::Limits;
pub use annotations::annotated;
pub use discovery::{FeedLink, discover};
pub use plain::plain_text;
pub use selectors::{PageError, Selectors, select};

/// Decodes at most `limits.bytes` of a page.
pub fn page_text<'a>(bytes: &'a [u8], charset: Option<&str>, limits: &Limits) -> Cow<'a, str> {
    crate::markup::decode(bytes, charset, limits.bytes, &mut Vec::new())
}
