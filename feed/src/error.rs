//! What can go wrong at this crate's edge.
//!
//! Reading is forgiving: a damaged document is a [`Document`](crate::Document) with warnings. An
//! error means that nothing in the bytes can be taken for a feed (or for the list that was asked
//! for), and says what was found instead.

use crate::html::FeedLink;

/// Why a document gave no items at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// Nothing but white space.
    #[error("the document is empty")]
    Empty,
    /// A web page; what it says about its feeds is listed so that the caller can go there.
    #[error("this is an HTML page, not a feed{}", hint(.feeds))]
    HtmlPage {
        /// Feeds that the page links to.
        feeds: Vec<FeedLink>,
    },
    /// XML or JSON of another vocabulary.
    #[error("no feed found: {found}")]
    NotAFeed {
        /// What the document seems to be.
        found: String,
    },
    /// The bytes are compressed or binary.
    #[error("the document is {what}, not text")]
    Binary {
        /// What the first bytes look like.
        what: &'static str,
    },
    /// The parser underneath gave up on a document that had already been repaired.
    #[error("the document could not be repaired: {reason}")]
    Unrepairable {
        /// What the parser said.
        reason: String,
    },
}

fn hint(feeds: &[FeedLink]) -> String {
    if feeds.is_empty() {
        return String::new();
    }
    let list: Vec<&str> = feeds.iter().map(|feed| feed.href.as_str()).collect();
    format!("; it links to {}", list.join(" and "))
}
