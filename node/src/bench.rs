//! Benchmarks: how quick the node is, as a ratio to a limit or a peer measured in the same run.
//!
//! `pergola bench crawl` plays full passes over many sources beside a bare client loop, `serve` serves
//! beside nginx, `scale` runs a hundred thousand sources, `budget` halves a budget at run time. Each
//! part that is measured runs in a process of its own, so that its CPU time is its own.

pub mod client;
pub mod crawl;
pub mod roles;
pub mod serve;
pub mod usage;
