//! Web pages as sources: by selectors, by annotations, or by the feeds they link to.
//!
//! Three ways, from best to last resort: a page that links to a feed is followed to it
//! ([`discover`]); a page whose author marked the items up in comments, as Dynamo's pages do, is read
//! by those marks ([`annotated`]); any other page needs CSS selectors from whoever adds the source
//! ([`select`]). The tree builder underneath takes time quadratic in the depth of the markup, so
//! everything is flattened first.

mod annotations;
mod discovery;
mod guard;
mod plain;
mod selectors;

use std::borrow::Cow;

use crate::limits::Limits;
pub use annotations::annotated;
pub use discovery::{FeedLink, discover};
pub(crate) use guard::guarded;
pub use plain::plain_text;
pub use selectors::{PageError, Selectors, select};

/// The text of a page, whatever its encoding; at most `limits.bytes` of it.
pub fn page_text<'a>(bytes: &'a [u8], charset: Option<&str>, limits: &Limits) -> Cow<'a, str> {
    crate::parse::decode(bytes, charset, limits.bytes, &mut Vec::new())
}
