//! Sources are told apart by their origins, from which the ids of their items are made.

use std::collections::HashSet;

use pergola_feed::address::origin_of;
use pergola_feed::{OriginId, digest_after};

use super::Node;

impl Node {
    /// An origin for a new source, which becomes one of `taken`. Two addresses that differ only in a secret would
    /// have the same one, but may show other items: then the second gets one of its own.
    pub(super) fn free_origin(&self, url: &str, taken: &mut HashSet<OriginId>) -> OriginId {
        let first = origin_of(url);
        let numbered = |number: u32| OriginId(digest_after(first.0, &[&number.to_string()]));
        let mut origins = std::iter::once(first).chain((2..).map(numbered));
        let free =
            origins.find(|origin| !self.crawler.has_origin(*origin) && !taken.contains(origin));
        let origin = free.expect("there are more numbers than sources");
        taken.insert(origin);
        origin
    }
}
