//! `[node]`, `[feeds]`, `[api]` and `[log]`: who the node is and how it talks.

use std::net::SocketAddr;
use std::path::PathBuf;

use url::Url;

use super::Secret;

/// `[node]`: who and where the node is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The name on its pages and in its feeds.
    pub name: String,
    /// Where it listens.
    pub listen: SocketAddr,
    /// Where others reach it: the beginning of every address it hands out.
    pub public_url: Url,
    /// The folder it keeps its data in.
    pub data: PathBuf,
    /// The page about it, named in the user agent.
    pub contact: Url,
}

/// `[feeds]`: how feeds are published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feeds {
    /// Items in a feed's newest page, unless its query says otherwise.
    pub window: usize,
    /// Feeds at most.
    pub most: usize,
}

/// `[api]`: who may change the node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Api {
    /// What a request must carry to change something. Without it only loopback may.
    pub token: Option<Secret>,
}

/// `[log]`: what is logged, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// A filter that `EnvFilter` accepts, such as `info,pergola_node::crawl=debug`.
    pub level: String,
    /// Lines for people or for programs.
    pub format: LogFormat,
}

/// How a line of the log looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}
