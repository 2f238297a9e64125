//! What somebody takes from one feed reader to another: subscriptions in folders, starred items with their contents, what
//! was read, settings.
//!
//! Reads the exports of FreshRSS (a ZIP file, or one of the files in it) and of Miniflux (OPML, and entries in JSON as its
//! API answers them), OPML of any program, JSON Feed, and what Pergola itself exports. Nobody says which one it is: the
//! bytes do.
//!
//! Pure: no clock, no randomness, no I/O.
//!
//! Never: a panic or unbounded memory, whatever the bytes are; an entry left out without a word; a part of a file taken
//! for the whole.
//!
//! # Modules, from the bottom up
//! - `account`: what Pergola itself says of an account
//! - `takeout`: what was read
//! - `error`: why nothing can be read, and how much is too much
//! - `unpack`: the files in a ZIP file
//! - `value`: parts of an entry in JSON
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
