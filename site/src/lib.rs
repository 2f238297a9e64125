//! What people and their reader apps do with a node: pages to manage it and to read.
//!
//! The pages are a client of the node's own REST API, called within the process: whatever a page shows or changes, a
//! program can show and change as well, by the same rules. What is not the site's is answered by the node.
//!
//! Never: a change by a visitor who may not make it; a change because a page of another site asked for it.
//!
//! # Modules, from the bottom up
//!
//! - `identity`: asks the OpenID provider who a visitor is
//! - `pictures`: pictures of items
//! - `site`: what every page works with
//! - `answer`: pages as answers, and what went wrong as a page
//! - `form`: what a form sends, and where its answer leads
//! - `led`: where a page leads next
//! - `cookie`: the cookie by which a browser shows its session
//! - `sent`: a form as it was sent
//! - `visitor`: who looks at a page, and what it may do
//! - `door`: who comes in, with which forms
//! - `login`: logging in and out
//! - `live`: news for open pages
//! - `overview`: the first page
//! - `sources`: sources, managed
//! - `feeds`: feeds, managed
//! - `mesh`: peers, drawn
//! - `settings`: budget, retention
//! - `users`: who has an account
//! - `account`: what somebody changes of its own account
//! - `read`: reading
//! - `reader_api`: reading with apps
//! - `moving`: what somebody brings along from another reader, and takes away
//! - `lost`: addresses that lead nowhere, and those that only browsers ask for
//! - `start`: a node with its pages on its port

mod account;
mod answer;
mod cookie;
mod door;
mod feeds;
mod form;
mod identity;
mod led;
mod live;
mod login;
mod lost;
mod mesh;
mod moving;
mod overview;
mod pictures;
mod read;
mod reader_api;
mod sent;
mod settings;
mod site;
mod sources;
mod start;
mod users;
mod visitor;

pub use moving::api;
pub use pergola_pages::inside::overview::Link;
pub use start::{start, start_beside};
