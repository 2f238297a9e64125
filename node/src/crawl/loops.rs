//! Loops: sources whose items have been here before, because somebody downstream is wired back to us.
//!
//! The items themselves are dropped by `decide`; here is known which source brings them, and by which
//! nodes, so that the operator is told once and can mend the wiring. Never: a warning for every item;
//! a warning that stays when the circle is cut.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pergola_feed::{Item, NodeId};

use super::decide::Decision;
use crate::archive::{Archive, ArchiveError, Loop, SourceId};

/// Nodes of a circle that are named.
const NAMED: usize = 32;
/// Characters of a node's name that are kept; anybody may have written it.
const NAME: usize = 64;

/// What a look says about a circle.
#[derive(Debug, Clone, PartialEq)]
pub enum LoopChange {
    /// Nothing that was not known.
    AsBefore,
    /// There is one.
    Found(Loop),
    /// There is none any more.
    Gone,
}

impl LoopChange {
    /// What follows from a document, if one was read, for a source that was known to be in a circle or
    /// not.
    pub(super) fn after(decision: Option<&Decision>, known: bool, now: f64) -> Self {
        match decision.map(|decision| (&decision.way_back, decision.observed.window)) {
            Some((Some(nodes), _)) if !known => {
                Self::Found(Loop { since: now, nodes: nodes.clone() })
            }
            // A whole window without an item that had been here.
            Some((None, 1..)) if known => Self::Gone,
            _ => Self::AsBefore,
        }
    }
}

/// The nodes from this one back to it, in the order in which an item has passed them.
pub(super) fn way_back(item: &Item, node: &NodeId) -> Vec<NodeId> {
    let from = item.hops.iter().rposition(|hop| hop.node == *node).unwrap_or(0);
    let passed = item.hops.iter().skip(from).map(|hop| &hop.node).take(NAMED);
    let name =
        |node: &NodeId| NodeId(node.0.chars().filter(|c| !c.is_control()).take(NAME).collect());
    passed.chain([node]).map(name).collect()
}

/// The circles that are known, of every source that is in one.
#[derive(Default)]
pub struct Loops {
    known: Mutex<HashMap<SourceId, Loop>>,
}

impl Loops {
    /// Those that were known when the node last ran.
    pub fn load(archive: &Archive) -> Result<Self, ArchiveError> {
        Ok(Self { known: Mutex::new(archive.loops()?.into_iter().collect()) })
    }

    /// The circle that a source is in.
    pub fn of(&self, source: SourceId) -> Option<Loop> {
        self.known().get(&source).cloned()
    }

    /// Whether a source is known to be in one.
    pub fn knows(&self, source: SourceId) -> bool {
        self.known().contains_key(&source)
    }

    /// The sources that are in one, by their numbers.
    pub fn all(&self) -> Vec<(SourceId, Loop)> {
        let known = self.known();
        let mut all: Vec<_> = known.iter().map(|(id, found)| (*id, found.clone())).collect();
        all.sort_by_key(|(id, _)| *id);
        all
    }

    /// A look has been committed; what it found is said once.
    pub fn settle(&self, source: SourceId, url: &str, change: LoopChange) {
        match change {
            LoopChange::AsBefore => {}
            LoopChange::Found(found) => {
                let what = "items of this source come back to this node and are dropped";
                tracing::warn!(source = source.0, url, way = %found, "{what}");
                self.known().insert(source, found);
            }
            LoopChange::Gone => {
                tracing::info!(source = source.0, url, "items of this source come back no more");
                self.forget(source);
            }
        }
    }

    /// A source is crawled no more.
    pub fn forget(&self, source: SourceId) {
        self.known().remove(&source);
    }

    fn known(&self) -> MutexGuard<'_, HashMap<SourceId, Loop>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use pergola_feed::Hop;

    use super::*;
    use crate::archive::Known;
    use crate::crawl::decide::Observed;

    fn node(name: &str) -> NodeId {
        NodeId(name.into())
    }

    fn passed(nodes: &[&str]) -> Item {
        let hops = nodes.iter().map(|name| Hop::at(node(name))).collect();
        Item { hops, ..Item::new("urn:item:1") }
    }

    #[test]
    fn a_circle_is_named_from_this_node_back_to_it() {
        let nodes = way_back(&passed(&["x", "a", "b", "c"]), &node("a"));
        let found = Loop { since: 0.0, nodes };
        assert_eq!(found.to_string(), "a → b → c → a");
    }

    /// What follows from a document of this many items.
    fn after(window: u32, way_back: Option<Vec<NodeId>>, known: bool) -> LoopChange {
        let decision = Decision {
            known: Known::default(),
            news: Vec::new(),
            observed: Observed { window, ..Observed::default() },
            degraded: None,
            loops: usize::from(way_back.is_some()),
            way_back,
        };
        LoopChange::after(Some(&decision), known, 7.0)
    }

    #[test]
    fn a_circle_is_news_when_it_is_found_and_when_a_whole_window_is_free_of_it() {
        let nodes = vec![node("a"), node("b"), node("a")];
        let found = Loop { since: 7.0, nodes: nodes.clone() };
        assert_eq!(after(3, Some(nodes.clone()), false), LoopChange::Found(found));
        assert_eq!(after(3, Some(nodes), true), LoopChange::AsBefore);
        assert_eq!(after(3, None, true), LoopChange::Gone);
        assert_eq!(after(3, None, false), LoopChange::AsBefore);
        // A document without items, or with what has changed only, or none, proves nothing.
        assert_eq!(after(0, None, true), LoopChange::AsBefore);
        assert_eq!(LoopChange::after(None, true, 7.0), LoopChange::AsBefore);
    }

    #[test]
    fn a_circle_of_strange_names_without_end_is_cut() {
        let names = ["a", &"long".repeat(100), "e\u{1b}[31mvil"];
        let endless: Vec<&str> = names.into_iter().cycle().take(120).collect();
        let mut item = passed(&endless);
        item.hops.insert(0, Hop::at(node("here")));
        let nodes = way_back(&item, &node("here"));
        assert_eq!(nodes.len(), NAMED + 1);
        assert_eq!((nodes[0].0.as_str(), nodes[NAMED].0.as_str()), ("here", "here"));
        assert_eq!(nodes[2].0.len(), NAME);
        assert_eq!(nodes[3].0, "e[31mvil");
    }
}
