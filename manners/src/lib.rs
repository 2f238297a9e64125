//! How a node behaves towards the sites it reads: when it may ask, what an answer means, what is new.
//!
//! Pure: everything is told the time and the randomness it needs. No sockets, no clock, no runtime.
//!
//! # Modules, from the bottom up
//! - `networks`: which addresses are not public, and which of those a node may reach all the same
//! - `cooperation`: what two nodes do for each other beyond pulling
//! - `hints`: what a node says about when a feed of it may have news
//! - `link`: what is known of the peer behind a source
//! - `courtesy`: what a source has asked of us, and how long to leave it alone
//! - `lanes`: how requests to one site are kept apart
//! - `source`: a source, how it stands and what was seen of it
//! - `decide`: what is new in a document
//! - `loops`: sources whose items come back to this node
//! - `budget`: what refreshing may cost
//! - `roster`: which source is due

pub mod budget;
pub mod cooperation;
pub mod courtesy;
pub mod decide;
pub mod hints;
pub mod lanes;
pub mod link;
pub mod loops;
pub mod networks;
pub mod roster;
pub mod source;

pub use cooperation::Cooperation;
