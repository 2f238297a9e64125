//! The program as a person calls it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod commands;
mod demo;
mod politeness;
