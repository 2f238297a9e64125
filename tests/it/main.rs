//! End-to-end tests: real nodes, sockets, readers, containers and crashes. And the architecture, checked.
//!
//! Every node is a process of its own, started as a user would start it; the test serves the sources that it crawls.
//! See `harness.rs`.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue says where")]

mod architecture;
mod bad_input;
mod browser;
mod bundle;
mod clashing;
mod crash;
mod demo;
mod deploying;
mod docker;
mod documents;
mod feedparser;
mod full_disk;
mod harness;
mod hostile_pages;
mod learnt;
mod mesh;
mod newcomer;
mod newsboat;
mod nginx;
#[path = "../../node/tests/it/origin.rs"]
#[expect(dead_code, reason = "the node's own tests use all of it")]
mod origin;
mod python_client;
mod reader_apps;
