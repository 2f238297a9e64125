//! The REST API of a node: what is sent, what comes back, how it is described, and a client.
//!
//! The node answers with these types, and the command line, the lab and topology-gen read them, so a field
//! has one name and one meaning. Nothing here knows how a node works. [`openapi`] describes every route;
//! [`Client`] calls them over any [`Transport`]: the network (feature `network`), or a node's router in the
//! same process.
//!
//! # Modules, from the bottom up
//!
//! A module imports only from modules that stand above it in this list.
//!
//! - `instant`: instants, in RFC 3339
//! - `problem`: why a request was refused
//! - `mesh`: what sources and feeds are about, in the file format of topology-gen
//! - `next`: when a source is refreshed next, and why
//! - `source`: sources
//! - `feed`: feeds
//! - `notification`: who is sent the new entries of a feed
//! - `item`: items of a feed
//! - `search`: search and suggestions
//! - `user`: the people who have an account
//! - `operation`: status, configuration, budget, history, OPML
//! - `neighbours`: the nodes around a node
//! - `openapi`: the description of all routes
//! - `transport`: how a request reaches a node
//! - `client`: a method for each route

pub mod client;
pub mod feed;
pub mod instant;
pub mod item;
pub mod mesh;
pub mod neighbours;
pub mod next;
pub mod notification;
pub mod openapi;
pub mod operation;
pub mod problem;
pub mod search;
pub mod source;
pub mod transport;
pub mod user;

pub use client::{Client, ClientError};
pub use instant::Instant;
pub use problem::{Code, Place, Problem};
pub use transport::Transport;
