//! Who a caller is, what it may read and how often it may call; decided here only, for documents, the API and
//! peers alike.
//!
//! A feed is open to anybody unless it is restricted to named readers. For all other callers a restricted feed
//! does not exist: no list contains it, and a request for it is answered as for an unknown name. The operator
//! reads everything.
//!
//! Never: an answer that tells a restricted feed from an unknown one; a comparison of secrets whose time depends
//! on them.

mod caller;
mod doors;
mod forwarded;
mod limits;

use std::sync::Arc;

use http::{Extensions, HeaderMap};
use pergola_config::{Config, Reader, Secret};
use pergola_manners::networks::Network;
use pergola_store::archive::FeedId;

pub use caller::{Caller, ClientCertificate, NotNear};
use doors::Doors;
use limits::Use;
pub use limits::{TooOften, Who};

use pergola_outside::clock::network_now;
use pergola_outside::locks::RwLock;

/// The known callers, and the feeds that are restricted.
pub struct Access {
    known: RwLock<Arc<Known>>,
    doors: Doors,
    used: Use,
}

/// The known callers, as one configuration declares them.
struct Known {
    /// The operator's.
    token: Option<Secret>,
    /// The host of the node's public address.
    host: Option<String>,
    readers: Vec<Arc<Reader>>,
    /// Proxies, which say for whom they ask.
    proxies: Vec<Network>,
    limits: pergola_config::Limits,
}

impl Access {
    /// The callers of a configuration; all feeds are open.
    pub fn new(config: &Config) -> Self {
        Self {
            known: RwLock::new(Arc::new(Known::new(config))),
            doors: Doors::default(),
            used: Use::default(),
        }
    }

    /// Uses another configuration from now on.
    pub fn know(&self, config: &Config) {
        *self.known.write() = Arc::new(Known::new(config));
    }

    /// Identifies the caller by the headers and the connection of a request. `authority` is the host that it was
    /// sent to, if that is not in the headers.
    pub fn caller(
        &self,
        headers: &HeaderMap,
        extensions: &Extensions,
        authority: Option<&str>,
    ) -> Caller {
        caller::identify(&self.known(), headers, extensions, authority)
    }

    /// Why a request does not count as the operator's on a node without a token; nothing if the node has one.
    pub fn not_near(
        &self,
        headers: &HeaderMap,
        extensions: &Extensions,
        authority: Option<&str>,
    ) -> Option<NotNear> {
        let known = self.known();
        if known.token.is_some() {
            return None;
        }
        caller::near(&known, headers, extensions, authority).err()
    }

    /// The names of all readers, in order.
    pub fn readers(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.known().readers.iter().map(|reader| reader.name.clone()).collect();
        names.sort();
        names
    }

    /// Restricts a feed to these readers, or opens it.
    pub fn set(&self, feed: FeedId, readers: Option<&[String]>) {
        self.doors.set(feed, readers);
    }

    /// Whether anybody may read a feed.
    pub fn is_open(&self, feed: FeedId) -> bool {
        self.doors.readers(feed).is_none()
    }

    /// Whether every feed is open.
    pub fn all_open(&self) -> bool {
        self.doors.all_open()
    }

    /// The readers of a restricted feed.
    pub fn readers_of(&self, feed: FeedId) -> Option<Arc<[String]>> {
        self.doors.readers(feed)
    }

    /// Whether a caller may read a feed.
    pub fn may_read(&self, caller: &Caller, feed: FeedId) -> bool {
        match (caller, self.doors.readers(feed)) {
            (Caller::Operator, _) | (_, None) => true,
            (Caller::Reader(reader), Some(names)) => names.contains(&reader.name),
            (Caller::Stranger { .. }, Some(_)) => false,
        }
    }

    /// The limits of a caller.
    pub fn limits(&self, caller: &Caller) -> pergola_config::Limits {
        match caller {
            Caller::Reader(reader) => reader.limits,
            Caller::Operator | Caller::Stranger { .. } => self.known().limits,
        }
    }

    /// Counts a call, or says when the caller may call again. The operator has no limit.
    pub fn count(&self, caller: &Caller) -> Result<(), TooOften> {
        self.used.count(caller, self.limits(caller).requests_per_minute, network_now())
    }

    fn known(&self) -> Arc<Known> {
        Arc::clone(&self.known.read())
    }
}

impl Known {
    fn new(config: &Config) -> Self {
        Self {
            token: config.api.token.clone(),
            host: config.node.public_url.host_str().map(str::to_owned),
            readers: config.readers.iter().cloned().map(Arc::new).collect(),
            proxies: config.node.proxies.clone(),
            limits: config.peers.limits,
        }
    }
}

#[cfg(test)]
mod tests;
