//! What sources and feeds are about, in the file format of topology-gen.
//!
//! A node writes what it has learnt (`GET /api/v1/profiles`, `pergola profiles`); people write the same format
//! by hand, in TOML or JSON; topology-gen reads both.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// How much a node tells of each source and feed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ProfilesRequest {
    /// Keywords of each source and feed, at most; 12 by default, up to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<usize>,
}

/// Sources and feeds by what they are about.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshFile {
    /// All keywords that may be used; without it, any. A node leaves it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dictionary: Option<Vec<String>>,
    /// The sources. A node tells those of which it has learnt something.
    #[serde(default, alias = "source")]
    pub sources: Vec<MeshSource>,
    /// The feeds. A node tells those of which it has learnt something or whose query names words.
    #[serde(default, alias = "feed")]
    pub feeds: Vec<MeshFeed>,
    /// The names of nodes that feeds can be placed on. A node leaves it out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<String>,
}

/// A source of a mesh.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshSource {
    /// A name of letters, digits, hyphens and underscores that nothing else in the file has. A node makes it
    /// from the title.
    pub name: String,
    /// Its URL. A node always tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// What it is about, the most typical keyword first.
    pub keywords: Vec<String>,
    /// Items a day, as far as is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items_per_day: Option<f64>,
    /// If it is a feed of another node, that feed's `channel`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
}

/// A feed of a mesh.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshFeed {
    /// A name of letters, digits, hyphens and underscores that nothing else in the file has.
    pub name: String,
    /// What identifies it across nodes: the node's id and the feed's name. A node always tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// The name of its node. A node always tells it, with a part of its id if it was given no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// What it is about, the most typical keyword first. While it has published nothing, a node tells the
    /// words of its query.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// `CREATE FEED …`, or only its condition; its words count as keywords. A node leaves it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
}
