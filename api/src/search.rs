//! Search by what sources and feeds are about, and sources that a feed might read.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// What to search for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SearchRequest {
    /// Words, as a person types them; at most 1000 bytes.
    pub q: String,
    /// How many results at most; 20 by default, up to 200.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Whether to ask peers that this node reads from as well, at most eight. Only for the operator.
    #[serde(default)]
    pub peers: bool,
}

/// How many suggestions to make.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SuggestRequest {
    /// How many results at most; 20 by default, up to 200.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// Search results.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SearchResults {
    /// Sources, feeds and feeds of peers, best first; nothing twice.
    pub found: Vec<SearchResult>,
    /// The peers that were asked, if any were to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peers: Option<SearchedPeers>,
}

/// The peers that took part in a search.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SearchedPeers {
    /// How many were asked.
    pub asked: usize,
    /// How many others there are.
    pub left_out: usize,
    /// Those that did not answer; their results are missing.
    pub silent: Vec<SilentPeer>,
}

/// A peer that did not answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SilentPeer {
    /// Its name.
    pub node: String,
    /// Its URL.
    pub url: String,
    /// Why it did not answer.
    pub why: String,
}

/// What kind of thing was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FoundKind {
    /// A source of this node.
    Source,
    /// A feed of this node.
    Feed,
    /// A feed of another node.
    Peer,
}

/// A source or a feed that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SearchResult {
    /// What kind of thing it is.
    pub kind: FoundKind,
    /// Its name or title.
    pub name: String,
    /// Its URL.
    pub url: String,
    /// If it is a source, its number.
    pub source: Option<u32>,
    /// The node that publishes it, if that is another one.
    pub node: Option<String>,
    /// How well it fits, from 0 to 1.
    pub score: f64,
    /// What it is about, by its latest items, the most typical term first.
    pub terms: Vec<String>,
}
