//! Other nodes, as this one reads them.
//!
//! # Modules, from the bottom up
//!
//! - `wire`: items as messages of the contract, and back
//! - `registry`: which sources are peers: connections, pages, news, searches

pub mod registry;
pub mod wire;
