//! WebSub (W3C): news that is pushed instead of polled, both ways.
//!
//! `hub` pushes changes of this node's feeds to its subscribers. `subscriber` subscribes to the hubs that
//! sources advertise. Polling goes on without both: a failure here only makes news later.

pub mod hub;
mod instants;
pub mod subscriber;

/// Where subscribers ask this node's hub.
pub const HUB: &str = "/hub";
/// Where other hubs reach this node; they are told what stands for the token.
pub const CALLBACK: &str = "/websub/{token}";
