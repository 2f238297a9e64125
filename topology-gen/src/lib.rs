//! Who subscribes to whom: from what sources publish and what feeds want to the graph that wires them.
//!
//! [`mesh`] is what is to be wired, read from a file or made by [`synthetic`]; [`grow`](mod@grow) wires
//! it; [`graph`] is the result. Nothing here uses a network or a clock, and the same input gives the same
//! output on every machine.

pub mod graph;
pub mod grow;
pub mod mesh;
pub mod profile;
pub mod synthetic;
