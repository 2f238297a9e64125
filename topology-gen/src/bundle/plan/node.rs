//! One node's part of the whole: what it publishes, what it reads, and whom it may reach.

use std::collections::BTreeSet;

use url::Url;

use super::address::{Address, is_private};
use super::{Node, PlanError};
use crate::bundle::{Options, Place, query};
use crate::graph::{Link, Vertex};
use crate::hosts::Hosts;
use crate::mesh::Mesh;

/// Everything that a node's part follows from.
pub(super) struct Whole<'a> {
    pub(super) mesh: &'a Mesh,
    /// Sorted by reader.
    pub(super) links: &'a [Link],
    pub(super) hosts: &'a Hosts,
    /// The feeds of each node.
    pub(super) own: Vec<Vec<u32>>,
    /// Where each source is.
    pub(super) origins: Vec<Url>,
    /// Where each node is.
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

    /// What the feeds of a node read, each once; not what they read from each other.
    fn reads(&self, node: usize) -> BTreeSet<Vertex> {
        let links = self.own[node].iter().flat_map(|&feed| self.links_of(feed));
        let elsewhere = |from: &Vertex| self.hosts.host(*from) != Some(node as u32);
        links.map(|link| link.from).filter(elsewhere).collect()
    }

    /// The other nodes that it reads from.
    pub(super) fn peers(&self, node: usize) -> BTreeSet<usize> {
        let hosts = self.reads(node).into_iter().filter_map(|from| self.hosts.host(from));
        hosts.map(|host| host as usize).collect()
    }

    /// The node, but for its place among the others.
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

    /// The hosts in private networks that it reads from, and whether nodes live there.
    fn private(&self, node: usize, sources: &[usize]) -> Vec<(String, bool)> {
        let mut private: BTreeSet<(String, bool)> = BTreeSet::new();
        for &source in sources {
            let host = self.origins[source].host();
            if self.options.newsroom || host.as_ref().is_some_and(is_private) {
                private.extend(host.map(|host| (host.to_string(), false)));
            }
        }
        for peer in self.peers(node) {
            let host = match self.options.place {
                Place::Local => "127.0.0.1".to_owned(),
                Place::Compose | Place::Kubernetes => self.addresses[peer].host.clone(),
            };
            // One host may be both.
            private.remove(&(host.clone(), false));
            private.insert((host, true));
        }
        private.into_iter().collect()
    }

    /// The name and the statement of a feed.
    fn feed(&self, feed: u32) -> Result<(String, String), PlanError> {
        let node = self.hosts.of[feed as usize];
        let read = |link: &Link| match link.from {
            Vertex::Source(source) => {
                query::Read::Source(self.origins[source as usize].to_string())
            }
            Vertex::Feed(other) => {
                let name = self.mesh.feeds[other as usize].name.clone();
                match self.hosts.of[other as usize] {
                    host if host == node => query::Read::Own(name),
                    host => query::Read::Peer(self.addresses[host as usize].url.clone(), name),
                }
            }
        };
        let wanted = &self.mesh.feeds[feed as usize];
        let read = self.links_of(feed).iter().map(read).collect();
        let statement = query::statement(self.mesh, wanted, read).map_err(PlanError::Query)?;
        Ok((wanted.name.clone(), statement))
    }
}
