//! Who is calling, what it may read and how much it may take: decided here and nowhere else, whether it
//! asks for a document, through the API or as a peer.
//!
//! A feed is open to anybody unless it is closed to all but named readers. For everybody else a closed
//! feed does not exist: it is in no list, and asking for it is answered as if nobody had made it. Whoever
//! runs the node reads everything.
//!
//! Never: an answer that differs between a feed that is closed and one that is not there; a secret that
//! is compared in a time that depends on it.

mod caller;
mod doors;
mod limits;

use std::sync::Arc;

use http::{Extensions, HeaderMap};
use pergola_config::{Config, Reader, Secret};
use pergola_store::archive::FeedId;

pub use caller::{Caller, ClientCertificate, NotNear};
use doors::Doors;
use limits::Use;
pub use limits::{TooOften, Who};

use crate::clock::network_now;
use crate::locks::RwLock;

/// What the node knows of callers, and which feeds are closed.
pub struct Access {
    known: RwLock<Arc<Known>>,
    doors: Doors,
    used: Use,
}

/// Those who are known. Taken over as a whole from a configuration.
struct Known {
    /// The operator's.
    token: Option<Secret>,
    /// The host of the node's public address.
    host: Option<String>,
    readers: Vec<Arc<Reader>>,
    limits: pergola_config::Limits,
}

impl Access {
    /// What a configuration says; all feeds are open.
    pub fn new(config: &Config) -> Self {
        Self {
            known: RwLock::new(Arc::new(Known::new(config))),
            doors: Doors::default(),
            used: Use::default(),
        }
    }

    /// Another configuration holds from now on.
    pub fn know(&self, config: &Config) {
        *self.known.write() = Arc::new(Known::new(config));
    }

    /// Who sends a request, as far as it can be known by its headers and its connection. `authority` is
    /// the host that it was sent to, if that is not in the headers.
    pub fn caller(
        &self,
        headers: &HeaderMap,
        extensions: &Extensions,
        authority: Option<&str>,
    ) -> Caller {
        caller::identify(&self.known(), headers, extensions, authority)
    }

    /// Why a request was not taken for one of the operator's, although the node has no token; nothing if
    /// the node has one.
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

    /// The names of those who are known, in order.
    pub fn readers(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.known().readers.iter().map(|reader| reader.name.clone()).collect();
        names.sort();
        names
    }

    /// Closes a feed to all but these readers, or opens it.
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

    /// Those who may read a feed, if not anybody.
    pub fn readers_of(&self, feed: FeedId) -> Option<Arc<[String]>> {
        self.doors.readers(feed)
    }

    /// Whether a caller may read a feed, which is to say: whether it exists for it.
    pub fn may_read(&self, caller: &Caller, feed: FeedId) -> bool {
        match (caller, self.doors.readers(feed)) {
            (Caller::Operator, _) | (_, None) => true,
            (Caller::Reader(reader), Some(names)) => names.contains(&reader.name),
            (Caller::Stranger { .. }, Some(_)) => false,
        }
    }

    /// What a caller may take.
    pub fn limits(&self, caller: &Caller) -> pergola_config::Limits {
        match caller {
            Caller::Reader(reader) => reader.limits,
            Caller::Operator | Caller::Stranger { .. } => self.known().limits,
        }
    }

    /// Counts a call, or says when the caller may call again. The operator may always.
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
            limits: config.peers.limits,
        }
    }
}

#[cfg(test)]
mod tests;
