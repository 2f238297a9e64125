//! One node: what it publishes, what it reads, and which hosts it may reach.

use std::collections::BTreeSet;

use pergola_query::syntax::SourceRef;
use pergola_wiring::graph::{Link, Vertex};
use pergola_wiring::mesh::Mesh;
use url::Url;

use super::address::{Address, is_private};
use super::error::PlanError;
use crate::bundle::options::{Options, Platform};
use crate::bundle::query;
use crate::hosts::Hosts;

/// A node of the plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub name: String,
    /// The host name at which other containers reach it.
    pub host: String,
    /// Its port on this machine, if it has one.
    pub port: Option<u16>,
    /// The address at which other nodes reach it.
    pub url: String,
    /// The name and the statement of each feed. A feed comes after the feeds of this node that it reads.
    pub feeds: Vec<(String, String)>,
    /// The name and the URL of each source that it reads.
    pub sources: Vec<(String, String)>,
    /// The hosts in private networks that it reads from, and whether they are nodes.
    pub private: Vec<(String, bool)>,
    /// The places in the plan of the nodes that it reads from and that come before it.
    pub after: Vec<usize>,
    /// How many sources and feeds of other nodes it reads.
    pub subscriptions: usize,
    /// The most hops from a source to one of its feeds.
    pub level: u32,
}

/// The whole mesh, from which each node follows.
pub(super) struct Whole<'a> {
    pub(super) mesh: &'a Mesh,
    /// Sorted by the feed that reads.
    pub(super) links: &'a [Link],
    pub(super) hosts: &'a Hosts,
    /// The feeds of each node.
    pub(super) own: Vec<Vec<u32>>,
    /// The URL of each source.
    pub(super) origins: Vec<Url>,
    /// The address of each node.
    pub(super) addresses: Vec<Address>,
    pub(super) options: &'a Options,
}

impl Whole<'_> {
    /// What a feed reads.
    fn links_of(&self, feed: u32) -> &[Link] {
        let from = self.links.partition_point(|link| link.to < feed);
        let to = self.links.partition_point(|link| link.to <= feed);
        &self.links[from..to]
    }

    /// What the feeds of a node read from elsewhere, each once.
    fn reads(&self, node: usize) -> BTreeSet<Vertex> {
        let links = self.own[node].iter().flat_map(|&feed| self.links_of(feed));
        let elsewhere = |from: &Vertex| self.hosts.host(*from) != Some(node as u32);
        links.map(|link| link.from).filter(elsewhere).collect()
    }

    /// The other nodes that a node reads from.
    pub(super) fn peers(&self, node: usize) -> BTreeSet<usize> {
        let hosts = self.reads(node).into_iter().filter_map(|from| self.hosts.host(from));
        hosts.map(|host| host as usize).collect()
    }

    /// The node, without its place among the others.
    pub(super) fn node(&self, node: usize) -> Result<Node, PlanError> {
        let Address { host, port, url } = self.addresses[node].clone();
        let feeds = self.own[node].iter().map(|&feed| self.feed(feed)).collect::<Result<_, _>>()?;
        let reads = self.reads(node);
        let source = |from: &Vertex| match *from {
            Vertex::Source(source) => Some(source as usize),
            Vertex::Feed(_) => None,
        };
        let sources: Vec<usize> = reads.iter().filter_map(source).collect();
        Ok(Node {
            name: self.hosts.names[node].clone(),
            host,
            port,
            url,
            feeds,
            private: self.private(node, &sources),
            sources: sources
                .into_iter()
                .map(|source| {
                    (self.mesh.sources[source].name.clone(), self.origins[source].to_string())
                })
                .collect(),
            after: Vec::new(),
            subscriptions: reads.len(),
            level: 0,
        })
    }

    /// The hosts in private networks that a node reads from, and whether they are nodes.
    fn private(&self, node: usize, sources: &[usize]) -> Vec<(String, bool)> {
        let mut private: BTreeSet<(String, bool)> = BTreeSet::new();
        for &source in sources {
            let host = self.origins[source].host();
            if self.options.newsroom || host.as_ref().is_some_and(is_private) {
                private.extend(host.map(|host| (host.to_string(), false)));
            }
        }
        for peer in self.peers(node) {
            let host = match self.options.platform {
                Platform::Local => "127.0.0.1".to_owned(),
                Platform::Compose | Platform::Kubernetes => self.addresses[peer].host.clone(),
            };
            // A host of both nodes and sources counts as one of nodes.
            private.remove(&(host.clone(), false));
            private.insert((host, true));
        }
        private.into_iter().collect()
    }

    /// The name and the statement of a feed.
    fn feed(&self, feed: u32) -> Result<(String, String), PlanError> {
        let node = self.hosts.of[feed as usize];
        let source_ref = |link: &Link| match link.from {
            Vertex::Source(source) => SourceRef::Url(self.origins[source as usize].to_string()),
            Vertex::Feed(other) => {
                let feed = self.mesh.feeds[other as usize].name.clone();
                match self.hosts.of[other as usize] {
                    host if host == node => SourceRef::Feed(feed),
                    host => {
                        SourceRef::Peer { node: self.addresses[host as usize].url.clone(), feed }
                    }
                }
            }
        };
        let wanted = &self.mesh.feeds[feed as usize];
        let reads = self.links_of(feed).iter().map(source_ref);
        let statement = query::statement(self.mesh, wanted, reads).map_err(PlanError::Query)?;
        Ok((wanted.name.clone(), statement))
    }
}
