//! What nodes say to each other, over gRPC on the port that serves everything else.
//!
//! Messages are made and read in `wire` and go no further: the rest of the node knows items, not
//! messages. A `cursor` says how far a reader has come, so that nothing is lost however seldom it asks.
//!
//! Never: an entry passed over without being counted; an answer beyond the limit of its bytes; a stream
//! that outlives the node or waits for a reader with memory that grows.

pub mod channel;
pub mod cooperation;
pub mod cursor;
pub mod link;
mod peers;
pub mod pull;
pub mod watch;
pub mod wire;

pub use cooperation::Cooperation;
pub use peers::{LoadError, Peers};

/// Bytes of one answer, as most clients accept them without being told.
pub const ANSWER_BYTES: usize = 4 << 20;
/// Bytes of one entry: a larger one goes without its texts. An entry beyond [`ANSWER_BYTES`] goes alone.
pub const ENTRY_BYTES: usize = 16 << 20;
/// Bytes of a message that whoever fetches must be ready to take: the largest entry and what is around it.
pub const MESSAGE_BYTES: usize = ENTRY_BYTES + (1 << 20);
