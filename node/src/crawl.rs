//! Crawling: asks sources when they are due, and hands on what they brought.
//!
//! This is the part that talks to the network and waits; every decision is made by the pure crate
//! `pergola_manners`. `driver` is the loop: it sends sources out when their lane is free, turns each reply
//! into its consequences and passes them on when they are durable. `fetch` makes one request over HTTP,
//! `guard` keeps it out of private networks, `loops` remembers which sources send items back to this node.

pub mod driver;
pub mod loops;
pub(crate) mod watch;
