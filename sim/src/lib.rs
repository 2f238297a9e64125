//! Whole meshes in one process: nodes, sources, readers and disks under simulated time, network and storage, driven by
//! one seed.
//!
//! The same seed gives the same run, to the last byte that a reader sees. `docs/reliability.md` says what is simulated
//! and what is promised.
//!
//! # Modules, from the bottom up
//!
//! No module uses one that stands further down; a test reads the imports.
//!
//! - `chance`: random numbers that follow from the seed
//! - `trace`: what happened, and a digest of it
//! - `promises`: what must always hold
//! - `host`: machines that die and live again
//! - `disk`: what they keep
//! - `plan`: what a seed means, and the list of what goes wrong
//! - `net`: names and connections
//! - `origin`: sources
//! - `web`: HTTP to sources and nodes
//! - `world`: everything that the inhabitants share
//! - `dwelling`: the life of a node on its machine
//! - `reader`: those who read feeds
//! - `run`: one run of a plan
//! - `shrink`: plans made small
//! - `cli`: the command line

pub mod chance;
pub mod cli;
pub mod disk;
pub mod dwelling;
pub mod host;
pub mod net;
pub mod origin;
pub mod plan;
pub mod promises;
pub mod reader;
pub mod run;
pub mod shrink;
pub mod trace;
pub mod web;
pub mod world;
