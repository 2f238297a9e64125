//! WebSub (W3C): news that is pushed instead of asked for, both ways.
//!
//! `hub` tells whoever subscribes of the changes of this node's feeds; `subscriber` has the hubs of
//! sources tell this node. Both are optional beside polling: whatever fails here only makes news later.

pub mod hub;
mod instants;
mod signature;
pub mod subscriber;
