//! The node: it crawls sources, keeps what the queries ask for and publishes the result as feeds.
//!
//! An item passes `crawl` (when to refresh, what is new), `stage` (which feeds want it, decided by `select`),
//! `writer` (append to the feeds) and `publish` (render, serve). Everything outside that a node depends on is
//! in `pergola_outside`, its port in `pergola_port`.
//!
//! # Modules, from the bottom up
//!
//! No module uses one that stands further down; a test reads the imports.
//!
//! - `metrics`: what is counted, for Prometheus
//! - `writer`: commits to the store, one after the other
//! - `select`: the queries, and which feeds want an item
//! - `publish`: feeds rendered and served, and the pages for people
//! - `crawl`: refreshing sources
//! - `stage`: from what a refresh brought to what is committed
//! - `websub`: news pushed instead of polled, both ways
//! - `node`: all of it put together, and what can be done to it
//! - `api`: the REST API
//! - `peer`: the gRPC services for other nodes
//! - `start`: a node with its routes on its port

pub mod api;
pub mod crawl;
pub mod metrics;
pub mod node;
pub mod peer;
pub mod publish;
pub mod select;
mod stage;
mod start;
pub mod websub;
pub mod writer;

pub use pergola_peers::wire;
