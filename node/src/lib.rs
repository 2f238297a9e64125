//! The node: it crawls sources, keeps what the queries ask for and publishes the result as feeds.
//!
//! An item's way is one straight line, and the modules are named after it: `crawl` (when to refresh,
//! politeness, fetch, what is new?), `select` (which feeds want it?), `publish` (append, render,
//! serve). `store` keeps bytes, `archive` says what they mean.

pub mod access;
pub mod api;
pub mod clock;
pub mod crawl;
pub mod credentials;
mod locks;
pub mod metrics;
pub mod node;
mod pages;
pub mod peer;
pub mod publish;
pub mod select;
pub mod serve;
pub mod surroundings;
pub mod tls;
pub mod websub;
