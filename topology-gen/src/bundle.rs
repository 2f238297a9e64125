//! Writes a folder that starts a mesh: one configuration per node, and what starts the nodes.
//!
//! [`Plan`] decides what runs where and which addresses each node knows. The other modules write it down for
//! containers ([`Platform::Compose`]), for processes on this machine ([`Platform::Local`]) or for a cluster
//! ([`Platform::Kubernetes`]). The same mesh and options give the same files, except for the tokens, which
//! are random. A node may reach only those hosts in private networks that it reads from.

mod compose;
mod config;
mod files;
mod kubernetes;
mod local;
mod newsroom;
mod options;
mod plan;
mod query;
mod readme;
mod secrets;
mod yaml;

pub use files::write;
pub use options::{Cooperation, Cooperations, Options, Platform, Published};
pub use plan::{Plan, PlanError};
