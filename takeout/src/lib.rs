//! What a user moves from one feed reader to another: subscriptions in folders, starred items with their contents, read
//! items, settings.
//!
//! Reads the exports of FreshRSS (a ZIP file, or one of the files in it) and of Miniflux (OPML, and entries in JSON as its
//! API answers them), OPML of any program, JSON Feed, and what Pergola itself exports. The bytes say which one it is.
//!
//! Pure: no clock, no randomness, no I/O.
//!
//! Never: a panic or unbounded memory, whatever the bytes are; an entry left out without a report; a cut-off file read as
//! if it were whole.
//!
//! # Modules, from the bottom up
//! - `account`: what `account.json` says of a user
//! - `takeout`: what a file holds
//! - `error`: why a file cannot be read
//! - `unpack`: the files in a ZIP file
//! - `value`: fields of an entry in JSON
//! - `freshrss`: entries in the JSON of the Google Reader API
//! - `miniflux`: entries in the JSON of Miniflux
//! - `own`: what Pergola itself writes
//! - `list`: subscriptions in OPML
//! - `read`: a file of any kind

mod account;
mod error;
mod freshrss;
mod list;
mod miniflux;
mod own;
mod read;
mod takeout;
mod unpack;
mod value;

pub use account::Account;
pub use error::Unreadable;
pub use own::Packing;
pub use read::read;
pub use takeout::{Flaw, Marked, Shown, Subscription, Takeout};
