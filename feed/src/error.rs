//! Why a document could not be read.
//!
//! A damaged document gives a [`Document`](crate::model::Document) with warnings. An error means that
//! the bytes contain no feed, and says what they contain instead.

use crate::html::FeedLink;

/// Why a document contains no feed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// Nothing but white space.
    #[error("the document is empty")]
    Empty,
    /// A web page.
    #[error("this is an HTML page, not a feed{}", hint(.feeds))]
    HtmlPage {
        /// Feeds that the page links to, for the caller to try.
        feeds: Vec<FeedLink>,
    },
    /// XML or JSON, but not a feed.
    #[error("no feed found: {found}")]
    NotAFeed { found: String },
    /// The bytes are compressed or binary.
    #[error("the document is {what}, not text")]
    Binary {
        /// The kind of file, from its first bytes.
        what: &'static str,
    },
    /// feed-rs rejected the repaired document.
    #[error("the document could not be repaired: {reason}")]
    Unrepairable { reason: String },
}

fn hint(feeds: &[FeedLink]) -> String {
    if feeds.is_empty() {
        return String::new();
    }
    let list: Vec<&str> = feeds.iter().map(|feed| feed.href.as_str()).collect();
    format!("; it links to {}", list.join(" and "))
}
