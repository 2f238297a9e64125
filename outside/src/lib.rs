//! What a node touches of the world outside: its clock, randomness, names, sockets, certificates, and HTTP requests
//! within bounds.
//!
//! A node is given all of it ([`surroundings`]) when it is opened, so that a test can replace any part.
//!
//! # Modules, from the bottom up
//!
//! No module uses one that stands further down; a test reads the imports.
//!
//! - `locks`: locks that ignore poisoning
//! - `clock`: the node's time, real, accelerated or moved by hand
//! - `open_files`: how many files and connections may be open
//! - `pace`: how slow a client may be
//! - `surroundings`: what a node is given: randomness, names, HTTP, connections, blocking threads, the store
//! - `tls`: certificates, those presented and those trusted
//! - `credentials`: tokens and certificates for single hosts
//! - `mandate`: on whose behalf a request is made, and what it may reach
//! - `guard`: which addresses may be reached
//! - `fetch`: HTTP requests to sources and hubs, within bounds

pub mod clock;
pub mod credentials;
pub mod fetch;
pub mod guard;
pub mod locks;
pub mod mandate;
pub mod open_files;
pub mod pace;
pub mod surroundings;
pub mod tls;
