//! Decides which feed of a mesh subscribes to which other feed or source.
//!
//! Input is a [`Mesh`](mesh::Mesh): sources with the keywords they publish about, feeds with the keywords
//! they want. [`grow`](grow::grow) grows one tree per source and returns their union, a
//! [`Graph`](graph::Graph) without cycles. [`reach`] tells how much of what a feed wants arrives.
//!
//! The crate is pure: no files, no network, no clock. Randomness is an argument. The same input gives the
//! same output on every machine.
//!
//! # Modules, from the bottom up
//!
//! - `profile`: keywords as numbers, sets of them, and how far two sets are apart
//! - `mesh`: what is to be wired: sources, feeds, the nodes that host them; checks of their names
//! - `graph`: the result: edges, subscriptions, cycles, depths
//! - `synthetic`: random meshes of a given size
//! - `grow`: the rule: grows the trees
//! - `reach`: how much of what a feed wants arrives over the graph
//! - `plane`: the same rule for points in the plane

pub mod graph;
pub mod grow;
pub mod mesh;
pub mod plane;
pub mod profile;
pub mod reach;
pub mod synthetic;
