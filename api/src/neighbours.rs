//! The nodes around a node: those that it reads, and those who read it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::instant::Instant;
use crate::source::{SourceStatus, Via};

/// The nodes around a node, as far as it knows them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Neighbours {
    /// Its name.
    pub name: String,
    /// Its id.
    pub id: String,
    /// How many of its sources are published by no node that it knows of.
    pub plain_sources: usize,
    /// The feeds of other nodes that it reads; at most 200.
    pub upstream: Vec<UpstreamFeed>,
    /// Who reads it; at most 200 of each kind.
    pub downstream: Vec<Downstream>,
}

/// A feed of another node that this one reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UpstreamFeed {
    /// The number of the source.
    pub source: u32,
    /// The id of the node that publishes it; null before it has answered.
    pub node: Option<String>,
    /// The name of that node.
    pub name: Option<String>,
    /// The host of its address.
    pub host: String,
    /// The name of the feed there.
    pub feed: String,
    /// Whether it is fetched from the node over gRPC now, and not as a document.
    pub direct: bool,
    /// Whether that node announces new items at once.
    pub watched: bool,
    /// Items that came so far.
    pub items: u64,
    /// The share of the items at their first sources that reaches this node, as both estimate.
    pub completeness: Option<f64>,
    /// The share of the current documents of their first sources that this node has, as both estimate.
    pub freshness: Option<f64>,
    /// Seconds that the newest items took from that node to this one: the median.
    pub age: Option<f64>,
    /// When something last came.
    pub last: Option<Instant>,
}

impl UpstreamFeed {
    /// What is known of a feed of another node, whose newest items took so many seconds; nothing if no node publishes
    /// the source.
    pub fn of(status: &SourceStatus, age: Option<f64>) -> Option<Self> {
        let peer = status.peer.as_ref()?;
        let host = url::Url::parse(&status.url).ok()?.host_str()?.to_owned();
        // A peer cannot deliver what it missed, so the shares multiply.
        let both = |own: Option<f64>, before: Option<f64>| Some(own? * before.unwrap_or(1.0));
        Some(Self {
            source: status.id,
            node: peer.node.clone(),
            name: peer.name.clone(),
            host,
            feed: peer.feed.clone(),
            direct: status.via == Via::Peer,
            watched: peer.watched,
            items: status.items,
            completeness: both(status.completeness, peer.completeness),
            freshness: both(status.freshness, peer.freshness),
            age,
            last: peer.cursor_at.or(status.last_refresh),
        })
    }
}

/// Somebody who reads this node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Downstream {
    /// How it is known.
    pub kind: DownstreamKind,
    /// The name of a reader, the address of a caller, or the host of a subscriber.
    pub name: String,
    /// The feeds that are only for it and others (a reader), or that it subscribes to (a subscriber).
    pub feeds: Vec<String>,
    /// Seconds since its last call, by the real clock; null if it has not called since the node started.
    pub called: Option<u64>,
}

/// How somebody who reads a node is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DownstreamKind {
    /// A named reader of the configuration.
    Reader,
    /// A node or program without a name that has called over gRPC since the node started.
    Caller,
    /// A subscriber of the WebSub hub.
    Subscriber,
}
