//! Exports of other readers, read; and our own, written and read.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod fixtures;
mod freshrss;
mod limits;
mod miniflux;
mod own;
