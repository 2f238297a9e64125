//! End to end: real nodes, real sockets, real readers, real containers, real crashes.
//!
//! Every node here is a process of its own, started as a user would start it; the sources it crawls are
//! served by the test. See `harness.rs` for how.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod architecture;
mod bad_input;
mod bundle;
mod crash;
mod demo;
mod deploying;
mod docker;
mod full_disk;
mod harness;
mod learnt;
mod mesh;
mod newsboat;
#[path = "../../node/tests/it/origin.rs"]
#[expect(dead_code, reason = "the node's own tests use all of it")]
mod origin;
mod python_client;
