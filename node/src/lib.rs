//! The node: it crawls sources, keeps what the queries ask for and publishes the result as feeds.
//!
//! An item's way is one straight line, and the modules are named after it: `crawl` (when to look,
//! politeness, fetch, what is new?), `select` (which feeds want it?), `publish` (append, render,
//! serve). `store` keeps bytes, `archive` says what they mean.

pub mod access;
pub mod api;
pub mod archive;
pub mod bench;
pub mod cli;
pub mod clock;
pub mod config;
pub mod crawl;
pub mod credentials;
pub mod demo;
pub mod doctor;
pub mod metrics;
pub mod newsroom;
pub mod node;
mod pages;
pub mod peer;
pub mod publish;
pub mod select;
pub mod serve;
pub mod store;
pub mod tls;
pub mod websub;
