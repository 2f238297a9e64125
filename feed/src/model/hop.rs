//! A node that an item has passed, and when.

use super::ids::NodeId;
use crate::time::Millis;

/// One hop of an item through the mesh. The times come from the clock of that node, which may be
/// wrong; a node may also leave them out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Hop {
    pub node: NodeId,
    /// When the node received the item.
    pub fetched: Option<Millis>,
    /// When the node published the item.
    pub published: Option<Millis>,
}

impl Hop {
    /// A hop without times.
    pub fn at(node: NodeId) -> Self {
        Self { node, fetched: None, published: None }
    }

    /// The earliest time at which the item was available from the node.
    pub(super) fn available(&self) -> Option<Millis> {
        self.published.or(self.fetched)
    }
}
