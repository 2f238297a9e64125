//! Loops: items of a source that have passed this node before, because a node downstream feeds back into it.

use pergola_feed::{Item, NodeId};

use crate::source::Loop;

/// Nodes of a loop that are named.
const NAMED: usize = 32;
/// Characters of a node's name that are kept; anybody may have written it.
const NAME: usize = 64;
/// How often it is noted that a loop is still there.
const AN_HOUR: f64 = 3_600.0;
/// A loop counts as gone if nothing came back for so long: one window without such items proves nothing.
const A_DAY: f64 = 86_400.0;

/// Items of a document that had already passed this node.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Returned {
    pub items: usize,
    /// The nodes by which the first of them came back, this one first and last.
    pub way: Option<Vec<NodeId>>,
}

impl Returned {
    pub(crate) fn count(&mut self, item: &Item, node: &NodeId) {
        self.items += 1;
        self.way.get_or_insert_with(|| way_back(item, node));
    }
}

/// What a refresh says about the loop of a source.
#[derive(Debug, Clone, PartialEq)]
pub enum LoopChange {
    AsBefore,
    /// There is one.
    Found(Loop),
    /// It is still there.
    Again(Loop),
    /// There is none any more.
    Gone,
}

impl LoopChange {
    /// What follows from what came back with a document, if one was read; `known` is the loop that the
    /// source is known to be in.
    pub fn after(returned: Option<&Returned>, known: Option<Loop>, now: f64) -> Self {
        let Some(returned) = returned else { return Self::AsBefore };
        match (&returned.way, known) {
            (Some(nodes), None) => {
                Self::Found(Loop { since: now, seen: now, nodes: nodes.clone() })
            }
            (Some(_), Some(known)) if now >= known.seen + AN_HOUR => {
                Self::Again(Loop { seen: now, ..known })
            }
            (None, Some(known)) if now >= known.seen + A_DAY => Self::Gone,
            _ => Self::AsBefore,
        }
    }
}

/// The nodes from this one back to it, in the order in which an item has passed them.
fn way_back(item: &Item, node: &NodeId) -> Vec<NodeId> {
    let from = item.hops.iter().rposition(|hop| hop.node == *node).unwrap_or(0);
    let passed = item.hops.iter().skip(from).map(|hop| &hop.node).take(NAMED);
    let name =
        |node: &NodeId| NodeId(node.0.chars().filter(|c| !c.is_control()).take(NAME).collect());
    passed.chain([node]).map(name).collect()
}

#[cfg(test)]
mod tests {
    use pergola_feed::Hop;

    use super::*;

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
        let found = Loop { since: 0.0, seen: 0.0, nodes };
        assert_eq!(found.to_string(), "a → b → c → a");
    }

    /// What follows from a document with items that came back this way, or with none.
    fn after(way_back: Option<Vec<NodeId>>, known: Option<Loop>, now: f64) -> LoopChange {
        let items = usize::from(way_back.is_some());
        LoopChange::after(Some(&Returned { items, way: way_back }), known, now)
    }

    #[test]
    fn a_circle_is_news_when_it_is_found_and_when_it_is_gone() {
        let nodes = vec![node("a"), node("b"), node("a")];
        let found = Loop { since: 7.0, seen: 7.0, nodes: nodes.clone() };
        let known = Some(found.clone());
        assert_eq!(after(Some(nodes.clone()), None, 7.0), LoopChange::Found(found.clone()));
        assert_eq!(after(Some(nodes.clone()), known.clone(), 8.0), LoopChange::AsBefore);
        let later = Loop { seen: 7.0 + AN_HOUR, ..found };
        let again = after(Some(nodes), known.clone(), 7.0 + AN_HOUR);
        assert_eq!(again, LoopChange::Again(later));
        // Other items may have been in the window; and who reads nothing learns nothing.
        assert_eq!(after(None, known.clone(), 8.0), LoopChange::AsBefore);
        assert_eq!(after(None, known.clone(), 7.0 + A_DAY), LoopChange::Gone);
        assert_eq!(after(None, None, 8.0), LoopChange::AsBefore);
        assert_eq!(LoopChange::after(None, known, 7.0 + A_DAY), LoopChange::AsBefore);
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
