//! The program as a person calls it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod commands;
mod demo;
mod overload;
mod pages;
#[expect(dead_code, reason = "the tests of the node use the rest")]
#[path = "../../../node/tests/it/trust/papers.rs"]
mod papers;
mod politeness;
mod search;
mod soak;
