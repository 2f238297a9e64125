//! Which sources are peers: what is known of each, what is asked of it, and which are watched.
//!
//! Kept in memory because every refresh asks. What must survive is stored and loaded at the start. A source
//! that is no peer costs one access of a map.

pub mod channel;
pub mod notifications;
pub mod pull;
mod search;

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use pergola_manners::Cooperation;
use pergola_manners::link::{Link, PeerQuality};
use pergola_store::archive::{Archive, ArchiveError, SourceId};
use tokio::sync::Notify;
use url::Url;

use channel::{Channels, Line};
use pergola_outside::fetch::{FetchError, FetchSettings};
use pergola_outside::locks::Mutex;
use pull::{Pulled, pull};
pub use search::{Foreign, Heard, Silent};

/// The peers among a node's sources.
pub struct Peers {
    /// Whether peers are read over gRPC at all.
    pub enabled: bool,
    usual: Cooperation,
    patience: Duration,
    channels: Channels,
    links: Mutex<HashMap<SourceId, Link>>,
    wishes: Mutex<HashMap<SourceId, Cooperation>>,
    watched: Mutex<HashSet<SourceId>>,
    /// News announced while the source was being refreshed: the cursor at which a refresh would end.
    news: Mutex<HashMap<SourceId, String>>,
    /// Something has changed that may decide which peers are watched.
    pub changed: Notify,
}

impl Peers {
    /// Those that are stored.
    pub fn load(
        archive: &Archive,
        enabled: bool,
        usual: Cooperation,
        settings: &FetchSettings,
    ) -> Result<Self, LoadError> {
        Ok(Self {
            // A proxy resolves addresses itself and speaks no HTTP/2 to peers.
            enabled: enabled && settings.proxy.is_none(),
            usual,
            patience: settings.total_timeout,
            channels: Channels::new(settings)?,
            links: Mutex::new(archive.links()?.into_iter().collect()),
            wishes: Mutex::new(archive.wishes()?.into_iter().collect()),
            watched: Mutex::default(),
            news: Mutex::default(),
            changed: Notify::new(),
        })
    }

    /// What is known of a source's peer.
    pub fn link(&self, id: SourceId) -> Option<Link> {
        self.links.lock().get(&id).cloned()
    }

    /// The names of peers that have answered, by the ids that items carry when they have passed them.
    pub fn names(&self) -> HashMap<String, String> {
        let links = self.links.lock();
        links
            .values()
            .filter_map(|link| link.node.clone())
            .map(|node| (node.id, node.name))
            .collect()
    }

    /// Whether a source is, or was, read from a peer.
    pub fn is_known(&self, id: SourceId) -> bool {
        self.links.lock().contains_key(&id)
    }

    /// Every source that is, or was, read from a peer.
    pub fn ids(&self) -> Vec<SourceId> {
        let mut ids: Vec<_> = self.links.lock().keys().copied().collect();
        ids.sort_unstable();
        ids
    }

    /// What is known of every peer, in the order of the sources.
    fn all(&self) -> Vec<(SourceId, Link)> {
        let mut all: Vec<_> = self.links.lock().iter().map(|(id, l)| (*id, l.clone())).collect();
        all.sort_unstable_by_key(|(id, _)| *id);
        all
    }

    /// Whether a source at this address is read from its peer now.
    pub fn is_usable(&self, id: SourceId, url: &str, now: f64) -> bool {
        self.enabled && self.links.lock().get(&id).is_some_and(|link| link.is_usable(url, now))
    }

    /// What is asked of a source's peer.
    pub fn cooperation(&self, id: SourceId) -> Cooperation {
        self.wishes.lock().get(&id).copied().unwrap_or(self.usual)
    }

    /// What is asked of a source's peer in particular, if anything is.
    pub fn wish(&self, id: SourceId) -> Option<Cooperation> {
        self.wishes.lock().get(&id).copied()
    }

    /// Something else is asked of a source's peer, and that is durable.
    pub fn set_wish(&self, id: SourceId, wish: Option<Cooperation>) {
        match wish {
            Some(wish) => self.wishes.lock().insert(id, wish),
            None => self.wishes.lock().remove(&id),
        };
        self.changed.notify_one();
    }

    /// What was learnt about a peer is durable.
    pub fn put(&self, id: SourceId, link: Link) {
        self.links.lock().insert(id, link);
        self.changed.notify_one();
    }

    /// A source was removed.
    pub fn forget(&self, id: SourceId) {
        self.links.lock().remove(&id);
        self.wishes.lock().remove(&id);
        self.news.lock().remove(&id);
        self.changed.notify_one();
    }

    /// What a source's peer says about its own quality; perfect for a source without a peer.
    pub fn quality(&self, id: SourceId) -> PeerQuality {
        let told = self.links.lock().get(&id).and_then(|link| link.quality);
        told.unwrap_or(PeerQuality { completeness: 1.0, freshness: 1.0 })
    }

    /// Whether a source's peer notifies us of news.
    pub fn is_watched(&self, id: SourceId) -> bool {
        self.watched.lock().contains(&id)
    }

    /// How many peers are watched.
    pub fn count_watched(&self) -> usize {
        self.watched.lock().len()
    }

    pub fn set_watched(&self, id: SourceId, watched: bool) {
        match watched {
            true => self.watched.lock().insert(id),
            false => self.watched.lock().remove(&id),
        };
    }

    /// A peer has news up to the cursor `head`. `true` if we have not read as far.
    pub fn has_news(&self, id: SourceId, head: &str) -> bool {
        let behind = self.links.lock().get(&id).is_some_and(|link| link.cursor != head);
        if behind {
            self.news.lock().insert(id, head.to_owned());
        }
        behind
    }

    /// A refresh of the source begins: it will find the news announced so far.
    pub fn refreshes(&self, id: SourceId) {
        self.news.lock().remove(&id);
    }

    /// Whether news was announced during the refresh that the refresh has not found.
    pub fn has_more_news(&self, id: SourceId) -> bool {
        let Some(head) = self.news.lock().remove(&id) else { return false };
        self.links.lock().get(&id).is_some_and(|link| link.cursor != head)
    }

    /// The connection to the origin of an address.
    fn connection(&self, url: &Url, now: f64) -> Result<Line, FetchError> {
        self.channels.to(url, now)
    }

    /// Asks a peer for what is new.
    pub async fn pull(&self, id: SourceId, url: &Url, link: &Link, now: f64) -> Pulled {
        match self.connection(url, now) {
            Ok(channel) => pull(channel, url, link, self.cooperation(id), self.patience, now).await,
            Err(error) => Pulled::Unreachable(error),
        }
    }
}

/// Why the peers could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error(transparent)]
    Fetch(#[from] FetchError),
}
