//! Which source is at an address, and which one was there before it moved.

use pergola_feed::digest;
use rustc_hash::FxHashMap;

use crate::source::SourceId;

/// Addresses by their digest; a source that is at an address comes before one that was.
#[derive(Default)]
pub(super) struct Addresses {
    now: FxHashMap<u128, SourceId>,
    formerly: FxHashMap<u128, SourceId>,
}

impl Addresses {
    /// A source comes to an address. Whoever is there already stays.
    pub(super) fn arrive(&mut self, url: &str, id: SourceId) -> u128 {
        let address = digest(&[url]);
        self.now.entry(address).or_insert(id);
        address
    }

    /// A source was at an address.
    pub(super) fn remember(&mut self, url: &str, id: SourceId) {
        self.formerly.insert(digest(&[url]), id);
    }

    /// A source has left an address for another one.
    pub(super) fn leave(&mut self, address: u128, id: SourceId) {
        if self.now.get(&address) == Some(&id) {
            self.now.remove(&address);
            self.formerly.insert(address, id);
        }
    }

    /// A source is gone from its address, and from those that it had before.
    pub(super) fn forget(&mut self, address: u128, id: SourceId) {
        if self.now.get(&address) == Some(&id) {
            self.now.remove(&address);
        }
        self.formerly.retain(|_, other| *other != id);
    }

    /// The source that is at an address.
    pub(super) fn resident(&self, url: &str) -> Option<SourceId> {
        self.resident_of(digest(&[url]))
    }

    /// The source that is at the address with this digest.
    pub(super) fn resident_of(&self, address: u128) -> Option<SourceId> {
        self.now.get(&address).copied()
    }

    /// The source that is at an address, else the one that was.
    pub(super) fn find(&self, url: &str) -> Option<SourceId> {
        self.resident(url).or_else(|| self.formerly.get(&digest(&[url])).copied())
    }
}
