//! Who subscribes to whom: from what sources publish and what feeds want to the graph that wires them.
//!
//! [`mesh`] is what is to be wired, read from a file or made by [`synthetic`]; [`grow`](mod@grow) wires
//! it; [`graph`] is the result, [`hosts`] puts it on nodes, [`stats`] and [`draw`] show it, [`bundle`]
//! writes what starts it, and [`observe`] asks one that runs. [`plane`] is the same rule between points of the plane. Nothing here uses a clock, and
//! the same input gives the same output on every machine.

pub mod bundle;
pub mod draw;
pub mod folder;
pub mod forest;
pub mod graph;
pub mod grow;
pub mod hosts;
pub mod mesh;
pub mod observe;
pub mod plane;
pub mod power_law;
pub mod profile;
pub mod reach;
pub mod stats;
pub mod synthetic;
