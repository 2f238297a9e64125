//! Which sources are peers: what is known of each, what is asked of it, and who is being watched.
//!
//! Held in memory because every refresh asks; what must survive is in the archive and comes back at the
//! start. A source that is no peer costs one access of a map.

pub mod channel;
pub mod pull;
mod search;

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use pergola_manners::Cooperation;
use pergola_manners::link::{Link, PeerQuality};
use pergola_store::archive::{Archive, ArchiveError, SourceId};
use tokio::sync::Notify;
use url::Url;

use crate::fetch::{FetchError, FetchSettings};
use crate::locks::Mutex;
use channel::{Channels, Line};
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
    /// News that came while the source was being refreshed: the cursor that a refresh would end with.
    news: Mutex<HashMap<SourceId, String>>,
    /// Something was learnt that changes who is to be watched.
    pub(crate) changed: Notify,
}

impl Peers {
    /// Those that the archive knows.
    pub fn load(
        archive: &Archive,
        enabled: bool,
        usual: Cooperation,
        settings: &FetchSettings,
    ) -> Result<Self, LoadError> {
        Ok(Self {
            // A proxy sees to addresses itself and speaks no HTTP/2 to peers.
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

    /// Whether a source is, or was, read from a peer.
    pub fn is_known(&self, id: SourceId) -> bool {
        self.links.lock().contains_key(&id)
    }

    /// Every source that is, or was, read from a peer.
    pub fn ids(&self) -> Vec<SourceId> {
        self.links.lock().keys().copied().collect()
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

    /// What a source's own wish is, if it has one.
    pub fn wish(&self, id: SourceId) -> Option<Cooperation> {
        self.wishes.lock().get(&id).copied()
    }

    /// A source has another wish, which is durable.
    pub fn set_wish(&self, id: SourceId, wish: Option<Cooperation>) {
        match wish {
            Some(wish) => self.wishes.lock().insert(id, wish),
            None => self.wishes.lock().remove(&id),
        };
        self.changed.notify_one();
    }

    /// What was learnt of a peer is durable.
    pub fn put(&self, id: SourceId, link: Link) {
        self.links.lock().insert(id, link);
        self.changed.notify_one();
    }

    /// A source is gone.
    pub fn forget(&self, id: SourceId) {
        self.links.lock().remove(&id);
        self.wishes.lock().remove(&id);
        self.news.lock().remove(&id);
        self.changed.notify_one();
    }

    /// What a source's peer says of its own quality; that of a source without a peer is not in question.
    pub fn quality(&self, id: SourceId) -> PeerQuality {
        let told = self.links.lock().get(&id).and_then(|link| link.quality);
        told.unwrap_or(PeerQuality { completeness: 1.0, freshness: 1.0 })
    }

    /// Whether a source's peer says at once when it has news.
    pub fn is_watched(&self, id: SourceId) -> bool {
        self.watched.lock().contains(&id)
    }

    /// How many peers are being watched.
    pub fn count_watched(&self) -> usize {
        self.watched.lock().len()
    }

    pub(crate) fn set_watched(&self, id: SourceId, watched: bool) {
        match watched {
            true => self.watched.lock().insert(id),
            false => self.watched.lock().remove(&id),
        };
    }

    /// A peer has come as far as `head`; whether we have not.
    pub fn has_news(&self, id: SourceId, head: &str) -> bool {
        let behind = self.links.lock().get(&id).is_some_and(|link| link.cursor != head);
        if behind {
            self.news.lock().insert(id, head.to_owned());
        }
        behind
    }

    /// A refresh of the source begins: it will find the news there are.
    pub fn refreshes(&self, id: SourceId) {
        self.news.lock().remove(&id);
    }

    /// Whether news came while the source was being refreshed, which the refresh has not found.
    pub fn has_more_news(&self, id: SourceId) -> bool {
        let Some(head) = self.news.lock().remove(&id) else { return false };
        self.links.lock().get(&id).is_some_and(|link| link.cursor != head)
    }

    /// The connection to the origin of an address.
    pub(crate) fn connection(&self, url: &Url, now: f64) -> Result<Line, FetchError> {
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

/// Why peers cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// What is kept cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// Connections cannot be made.
    #[error(transparent)]
    Fetch(#[from] FetchError),
}
