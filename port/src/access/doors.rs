//! Which feeds are closed, and which readers may read them.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pergola_store::archive::FeedId;

use pergola_outside::locks::RwLock;

/// The feeds that are not for anybody. Most nodes have none, and then nobody waits for a lock.
#[derive(Default)]
pub(super) struct Doors {
    closed: RwLock<HashMap<FeedId, Arc<[String]>>>,
    any: AtomicBool,
}

impl Doors {
    /// Closes a feed to all but these readers, or opens it.
    pub(super) fn set(&self, feed: FeedId, readers: Option<&[String]>) {
        let mut closed = self.closed.write();
        match readers {
            Some(readers) => closed.insert(feed, readers.into()),
            None => closed.remove(&feed),
        };
        self.any.store(!closed.is_empty(), Ordering::Release);
    }

    /// Whether every feed is open.
    pub(super) fn all_open(&self) -> bool {
        !self.any.load(Ordering::Acquire)
    }

    /// Those who may read a feed, if not anybody.
    pub(super) fn readers(&self, feed: FeedId) -> Option<Arc<[String]>> {
        if self.all_open() {
            return None;
        }
        self.closed.read().get(&feed).cloned()
    }
}
