//! What a feed holds: its items in order of arrival, each once.

use pergola_refresh::PlannedRefresh;
use rustc_hash::FxHashSet;

use super::origins::Origins;
use super::wiring::Wiring;

#[derive(Default)]
pub(super) struct Shelf {
    pub(super) items: Vec<u32>,
    pub(super) at: Vec<f64>,
    /// Only where an item can arrive by two ways.
    pub(super) known: Option<FxHashSet<u32>>,
    /// Feeds of the same node that read it.
    pub(super) local: Vec<u32>,
    /// Subscriptions of other nodes: the node, and the number of its subscription.
    pub(super) readers: Vec<(u32, u32)>,
    /// The planned refreshes as told to readers, until something changes.
    pub(super) plan: Option<Vec<PlannedRefresh>>,
}

/// Puts an item into a feed and into the feeds of the same node that read it. Returns whether it was new; nothing
/// if the feed does not want it.
pub(super) fn put(
    shelves: &mut [Shelf],
    wiring: &Wiring,
    origins: &Origins,
    changed: &mut Vec<u32>,
    feed: u32,
    item: u32,
    now: f64,
) -> Option<bool> {
    if let Some(wants) = &wiring.feeds[feed as usize].wants {
        let source = origins.source(item);
        let topic = wiring.sources[source as usize].topics[origins.topics[item as usize] as usize];
        wants.binary_search(&topic).ok()?;
    }
    let shelf = &mut shelves[feed as usize];
    if let Some(known) = &mut shelf.known
        && !known.insert(item)
    {
        return Some(false);
    }
    shelf.items.push(item);
    shelf.at.push(now);
    if changed.last() != Some(&feed) {
        changed.push(feed);
    }
    for reader in 0..shelves[feed as usize].local.len() {
        let reader = shelves[feed as usize].local[reader];
        put(shelves, wiring, origins, changed, reader, item, now);
    }
    Some(true)
}
