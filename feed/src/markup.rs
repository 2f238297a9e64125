//! Markup as text: characters, tags, names and addresses. Readers and writers share it.
//!
//! Nothing here builds a tree, and nothing here knows what a feed is made of.

pub(crate) mod chars;
mod decode;
pub(crate) mod inline;
pub(crate) mod lexer;
pub(crate) mod links;
pub(crate) mod names;
pub(crate) mod regular;
pub(crate) mod xhtml;

pub(crate) use decode::decode;
