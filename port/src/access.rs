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
use std::sync::atomic::{AtomicBool, Ordering};

use http::Request;
use pergola_config::{Config, Reader, Secret};
use pergola_manners::networks::Network;
use pergola_store::archive::FeedId;

pub use caller::{ByFolder, Caller, ClientCertificate, ListensOn, NotNear};
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
    /// Somebody came as if through a proxy, and the node has no token.
    passed_on: AtomicBool,
}

/// The known callers, as one configuration declares them.
struct Known {
    /// The operator's.
    token: Option<Secret>,
    /// The node is known by a name that leads here from elsewhere, or through a proxy.
    exposed: bool,
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
            passed_on: AtomicBool::new(false),
        }
    }

    /// Uses another configuration from now on.
    pub fn know(&self, config: &Config) {
        *self.known.write() = Arc::new(Known::new(config));
    }

    /// Identifies the caller by the headers and the connection of a request.
    pub fn caller<B>(&self, request: &Request<B>) -> Caller {
        caller::identify(&self.known(), request)
    }

    /// Why a request does not count as the operator's on a node without a token; nothing if the node has one.
    pub fn not_near<B>(&self, request: &Request<B>) -> Option<NotNear> {
        let known = self.known();
        if known.token.is_some() || request.extensions().get::<ByFolder>().is_some() {
            return None;
        }
        let why = caller::near(&known, request).err()?;
        let passed_on = matches!(why, NotNear::PassedOn | NotNear::OtherUser);
        if passed_on && !self.passed_on.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                path = request.uri().path(),
                reason = ?why,
                "a request to manage the node came through a proxy or from another user, and was refused: \
                 the node has no api.token"
            );
        }
        Some(why)
    }

    /// Whether somebody wanted to manage the node through a proxy, and could not because it has no token.
    pub fn lacks_token(&self) -> bool {
        self.passed_on.load(Ordering::Relaxed) && self.known().token.is_none()
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

    /// Whether a user with an account may read a feed: one that is open, or open to a reader of the user's name.
    pub fn may_user_read(&self, name: &str, feed: FeedId) -> bool {
        self.doors.readers(feed).is_none_or(|names| names.iter().any(|own| own == name))
    }

    /// The limits of a caller.
    pub fn limits(&self, caller: &Caller) -> pergola_config::Limits {
        match caller {
            Caller::Reader(reader) => reader.limits,
            Caller::Operator | Caller::Stranger { .. } => self.known().limits,
        }
    }

    /// Who has called, and how many seconds ago; not everybody if there are very many.
    pub fn callers(&self) -> Vec<(Who, u64)> {
        self.used.callers(network_now())
    }

    /// Restricts a feed to these when the caller may call again. The operator has no limit.
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
            exposed: config.node.behind_proxy
                || !config.node.proxies.is_empty()
                || !caller::is_here(&config.node.public_url),
            readers: config.readers.iter().cloned().map(Arc::new).collect(),
            proxies: config.node.proxies.clone(),
            limits: config.peers.limits,
        }
    }
}
