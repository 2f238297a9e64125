//! The Google Reader API, as reader apps speak it: its ids, its parameters and its answers.
//!
//! Nobody owns this API any more. Apps were written for one server or another, and each relies on something that the
//! others do not: so what is read here is read leniently, and what is written is what all of them understand.
//!
//! Pure: no I/O, no clock. It knows nothing of where items and subscriptions come from.
//!
//! # Modules, from the bottom up
//! - `item_id`: the two forms of an item's id
//! - `stream`: the ids of streams: states, labels and feeds
//! - `form`: parameters, from the address and from the body
//! - `instant`: instants, in whatever unit an app sends them
//! - `request`: what an app asks for, read from its parameters
//! - `login`: logging in, and what a request proves itself by
//! - `answer`: answers in JSON
//! - `article`: an item as an answer shows it
//! - `atom`: a stream as an Atom document

pub mod answer;
pub mod article;
pub mod atom;
pub mod form;
pub mod instant;
pub mod item_id;
pub mod login;
pub mod request;
pub mod stream;

pub use form::Form;
pub use item_id::ItemId;
pub use stream::{FeedRef, State, Stream};
