//! Sources that publish, in virtual time.
//!
//! A [`Publisher`] turns a [`Process`] (a constant rate, a daily rhythm, bursts, one process after another, or
//! recorded times) into a stream of [`Item`]s with keywords. A [`Stand`] shows the last of them, as a feed
//! document does. A [`Trace`] is a folder of recorded streams. Everything is a function of its seed, and every
//! source draws from a random stream of its own: adding a source changes no other.
//!
//! With the feature `serve` the same sources publish over HTTP (module `serve`).
//!
//! # Modules, from the bottom up
//!
//! - `keywords`: sets of keywords, and how sources and readers draw them
//! - `process`: when a source publishes
//! - `publisher`: an endless stream of items drawn from a process
//! - `stand`: a publisher with a window
//! - `trace`: recorded streams in a folder
//! - `wording`: titles and texts made from keywords
//! - `serve`: sources over HTTP

mod keywords;
mod process;
mod publisher;
#[cfg(feature = "serve")]
pub mod serve;
mod stand;
mod trace;
pub mod wording;

pub use keywords::{Interests, KeywordSet};
pub use process::{Process, ProcessError, Rhythm, hourly_rates};
pub use publisher::{Item, Publisher, random_stream};
pub use stand::{Shown, Stand};
pub use trace::{Trace, TraceError, TraceItem, TraceStream};
