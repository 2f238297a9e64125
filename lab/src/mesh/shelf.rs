//! What a feed holds: items in the order they came, each once.

use pergola_refresh::PlannedRefresh;
use rustc_hash::FxHashSet;

use super::origins::Origins;
use super::wiring::Wiring;

/// A feed.
#[derive(Default)]
pub(super) struct Shelf {
    pub(super) items: Vec<u32>,
    pub(super) at: Vec<f64>,
    /// Only where an item can come by two ways.
    pub(super) known: Option<FxHashSet<u32>>,
    /// Feeds of the same node that read it.
    pub(super) local: Vec<u32>,
    /// Subscriptions of other nodes: node and place.
    pub(super) readers: Vec<(u32, u32)>,
    /// What has been told of the next looks, until something changes.
    pub(super) plan: Option<Vec<PlannedRefresh>>,
}

/// Puts an item into a feed and the feeds of the same node behind it. Nothing if it is not wanted, else whether
/// it was new.
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
