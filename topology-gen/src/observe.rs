//! The graph of a running mesh, from what its nodes tell about themselves.
//!
//! [`ask`] asks nodes and follows them to the nodes that they read from. [`Seen`] holds the answers.
//! [`Seen::graph`] makes a graph of them, in the same form as a generated one. A feed that reads another feed
//! receives everything that feed has, so a subscription has an edge for every source whose items it can
//! carry, even if the generator planned another path for some of them. The subscriptions are the same. The
//! feeds of a node that does not answer become sources marked as unknown.

mod ask;
mod connection;
mod graph;
mod names;
mod reads;
mod seen;
#[cfg(test)]
mod tests;

pub use ask::{AskError, Asking, ask};
pub use connection::TrustError;
pub use seen::{Described, Node, Read, Seen};
