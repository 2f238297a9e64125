//! `[[source]]`: what the node reads whether a feed asks for it or not.

use pergola_feed::html::Selectors;
use url::Url;

/// One `[[source]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// Where it is.
    pub url: Url,
    /// What to call it; without it, what it calls itself.
    pub title: Option<String>,
    /// How much more it matters than another, above 0.
    pub importance: f64,
    /// Whether it is an OPML list whose sources are read as long as they are on it.
    pub list: bool,
    /// How to read it, if it is a page.
    pub page: Option<Selectors>,
}
