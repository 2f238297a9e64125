//! `[reading]`: how items are shown to those who read here.

use crate::codec::one_of;
use crate::table::Table;

/// `[reading]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    pub pictures: Pictures,
}

/// What becomes of the pictures of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pictures {
    /// A link stands in the place of each.
    Links,
    /// The node fetches and shows them.
    Proxy,
}

impl Reading {
    pub(crate) fn declare(table: &mut Table<'_, Self>) -> Self {
        table.about("How items are shown to those who read here.");
        Self {
            pictures: table
                .key(
                    "pictures",
                    "\"links\" shows a link in the place of each picture. With \"proxy\" the node fetches the \
                     pictures of items that somebody opens; their hosts see the node, never the reader.",
                )
                .reloads()
                .required(
                    one_of([("links", Pictures::Links), ("proxy", Pictures::Proxy)]),
                    "links",
                    |reading| reading.pictures,
                ),
        }
    }
}
