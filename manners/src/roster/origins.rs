//! What identifies sources. Nearly always that is the digest of their address, so only the others are kept: those
//! that have moved, and those whose address holds a secret.

use pergola_feed::OriginId;
use rustc_hash::FxHashMap;

use crate::source::SourceId;

#[derive(Default)]
pub(super) struct Origins {
    others: FxHashMap<SourceId, OriginId>,
}

impl Origins {
    /// The source, whose address has this digest, is identified like this.
    pub(super) fn set(&mut self, id: SourceId, address: u128, origin: OriginId) {
        match origin.0 == address {
            true => self.others.remove(&id),
            false => self.others.insert(id, origin),
        };
    }

    /// A source keeps its identity when it moves.
    pub(super) fn moved(&mut self, id: SourceId, before: u128, address: u128) {
        let origin = self.others.get(&id).copied().unwrap_or(OriginId(before));
        self.set(id, address, origin);
    }

    pub(super) fn forget(&mut self, id: SourceId) {
        self.others.remove(&id);
    }

    /// Whether a source is identified like this; `there` is the one whose address has this digest.
    pub(super) fn has(&self, origin: OriginId, there: Option<SourceId>) -> bool {
        there.is_some_and(|id| !self.others.contains_key(&id))
            || self.others.values().any(|other| *other == origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_keeps_its_identity_wherever_it_moves() {
        let (id, mut origins) = (SourceId(1), Origins::default());
        origins.set(id, 10, OriginId(10));
        assert!(origins.has(OriginId(10), Some(id)));
        assert!(origins.others.is_empty(), "nothing is kept of most sources");
        origins.moved(id, 10, 20);
        assert!(origins.has(OriginId(10), None));
        assert!(!origins.has(OriginId(20), Some(id)), "its new address identifies another");
        origins.moved(id, 20, 30);
        assert!(origins.has(OriginId(10), None));
        origins.moved(id, 30, 10);
        assert!(origins.others.is_empty());
        origins.moved(id, 10, 20);
        origins.forget(id);
        assert!(!origins.has(OriginId(10), None));
    }
}
