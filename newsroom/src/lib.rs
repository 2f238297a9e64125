//! Sources that publish, in virtual time.
//!
//! A [`Publisher`] turns a [`Process`] (a constant rate, a daily rhythm, bursts, one process after
//! another, or recorded times) into a stream of [`Item`]s with keywords; a [`Stand`] shows the last of
//! them, as a feed document does; a [`Trace`] is a folder of recorded streams. Everything is a function
//! of its seed, and every source draws from a random stream of its own: adding a source changes no
//! other.
//!
//! With the feature `serve` the same sources publish over HTTP (module `serve`).

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
