//! What a channel is about, and whether an item says anything new about it.
//!
//! A *channel* is anything with a stream of items: a source, or a feed. Its [`Profile`] weighs the terms of
//! its last W items by tf·idf; [`Profile::add`] tells how much each item changed it, and with the
//! channel's [`Cohesion`] a [`Novelty`] decides whether the item was novel. [`Channels`] keeps many
//! profiles with an index, so that they can be searched and compared. [`rate`] and [`policy`] learn from
//! that how often a channel deserves a look. After "Maintaining Dynamic Channel Profiles on the Web".
//!
//! ```
//! use pergola_profile::{Channels, Novelty};
//!
//! let mut channels = Channels::new(20);
//! channels.add(1, "A volcano erupts in Iceland");
//! channels.add(2, "The chess final ends in a draw");
//! let heard = channels.add(1, "Volcano in Iceland: the eruption goes on");
//! assert!(Novelty::default().admits(&heard)); // the window is still filling
//! assert_eq!(channels.search("iceland volcano", 5)[0].channel, 1);
//! ```
//!
//! Invariants: a pure function of what was added, in order; no clock, no randomness, no I/O; memory is
//! bounded per item, per channel and for the vocabulary.

mod channels;
mod cohesion;
mod neighbours;
pub mod policy;
mod profile;
pub mod rate;
mod terms;
mod vocabulary;

pub use channels::{Channels, Found, Size};
pub use cohesion::{Cohesion, Novelty};
pub use neighbours::Neighbours;
pub use profile::{Heard, Kept, Profile, cosine};
pub use terms::{Bag, Term};
pub use vocabulary::Vocabulary;
