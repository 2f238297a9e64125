//! Publish: append to feeds, render once, serve.
pub mod writer;
