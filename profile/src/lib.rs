//! What a channel is about, and whether an item is novel.
//!
//! A *channel* is anything with a stream of items: a source or a feed. Its [`Profile`] weighs the terms of
//! its last W items by tf·idf. [`Profile::add`] returns how much an item changed the profile, and
//! [`Novelty`] compares that with the [`Cohesion`] of the channel to decide whether the item is novel.
//! [`Channels`] stores many profiles with an index, for search and comparison. [`rate`] and [`policy`]
//! learn how often to refresh a channel. All of it follows "Maintaining Dynamic Channel Profiles on the
//! Web".
//!
//! ```
//! use pergola_profile::{Channels, Novelty};
//!
//! let mut channels = Channels::new(20);
//! channels.add(1, "A volcano erupts in Iceland");
//! channels.add(2, "The chess final ends in a draw");
//! let impact = channels.add(1, "Volcano in Iceland: the eruption goes on");
//! assert!(Novelty::default().admits(&impact)); // the window is still filling
//! assert_eq!(channels.search("iceland volcano", 5)[0].channel, 1);
//! ```
//!
//! Invariants: the state depends only on the added items and their order; there is no clock, randomness or
//! I/O; memory is limited per item, per channel and for the vocabulary.
//!
//! # Modules, from the bottom up
//!
//! - `terms`: the words and pairs of words of a text.
//! - `vocabulary`: how often terms occur.
//! - `cohesion`: how much one item usually changes a channel.
//! - `novelty`: which items change it more than usual.
//! - `profile`: the terms of one channel.
//! - `channels`: many profiles, with search.
//! - `neighbours`: similar channels.
//! - `rate`: how often to refresh a channel.
//! - `policy`: which channels to refresh now.

mod channels;
mod cohesion;
mod neighbours;
mod novelty;
pub mod policy;
mod profile;
pub mod rate;
mod terms;
mod vocabulary;

pub use channels::{Channels, Found, Size};
pub use cohesion::Cohesion;
pub use neighbours::Neighbours;
pub use novelty::{Impact, Novelty};
pub use profile::{Profile, StoredProfile, cosine};
pub use terms::{Bag, Term};
pub use vocabulary::Vocabulary;
