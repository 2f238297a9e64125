//! Exports of other readers, read; and our own, written and read.

mod fixtures;
mod freshrss;
mod limits;
mod miniflux;
mod own;
