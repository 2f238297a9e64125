//! The port of a node: connections, TLS and HTTP on them, who calls, what a caller may read and how much it may take.
//!
//! # Modules, from the bottom up
//!
//! - `counts`: what is counted of connections
//! - `access`: who calls, what it may read and how much it may take
//! - `serve`: connections, TLS, HTTP

pub mod access;
pub mod counts;
pub mod serve;
