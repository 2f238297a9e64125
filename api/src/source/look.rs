//! A look at an address before it is added: what is there, which feeds it leads to, what selectors find.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::PageSelectors;

/// An address to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LookRequest {
    /// The URL. Without a scheme, https is tried first, and http if nobody can be reached by https.
    pub url: String,
    /// The selectors to try on the page. The page is then read only if its site allows it (robots.txt), and it is kept
    /// for a few minutes, so that other selectors can be tried without asking again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<PageSelectors>,
}

/// What is at an address.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Looked {
    /// The address that was looked at, with its scheme; secrets in it are masked.
    pub url: String,
    /// What it is.
    pub kind: SeenKind,
    /// Its title.
    pub title: Option<String>,
    /// The feeds that a page leads to, in the order of the page; at most 32.
    pub feeds: Vec<SeenFeed>,
    /// The first items: of the feed, or what the selectors find on the page; at most 10.
    pub items: Vec<SeenItem>,
    /// How many items there are.
    pub found: usize,
    /// Why the selectors find nothing, or what could not be read.
    pub trouble: Option<String>,
}

/// What kind of document was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SeenKind {
    /// A feed, or a page that is marked up as one: it can be added as it is.
    Feed,
    /// A web page.
    Page,
    /// Something else.
    Other,
}

/// A feed that a page leads to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SeenFeed {
    /// Its URL.
    pub url: String,
    /// What the page calls it.
    pub title: Option<String>,
    /// Its media type, such as `application/atom+xml`; empty if the page does not say.
    pub media_type: String,
}

/// An item that was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SeenItem {
    /// Its title.
    pub title: Option<String>,
    /// Its link.
    pub link: Option<String>,
    /// Its date in RFC 3339.
    pub date: Option<String>,
}
