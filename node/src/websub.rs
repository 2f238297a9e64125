//! WebSub (W3C): news that is pushed instead of asked for, both ways.
//!
//! `hub` tells whoever subscribes of the changes of this node's feeds; `subscriber` has the hubs of
//! sources tell this node. Both are optional beside polling: whatever fails here only makes news later.

mod counts;
pub mod hub;
mod instants;
mod signature;
pub mod subscriber;

pub use counts::Counts;

use std::hash::{BuildHasher, RandomState};

use pergola_manners::backoff::share;
use ring::rand::{SecureRandom, SystemRandom};

/// So many random bytes in hexadecimal digits, fit to be a secret; nothing if the machine has none.
fn nonce(bytes: usize) -> Option<String> {
    let mut random = vec![0; bytes];
    SystemRandom::new().fill(&mut random).ok()?;
    Some(signature::hex(&random))
}

/// A number in [0, 1) that spreads many tries apart.
fn chance() -> f64 {
    share(RandomState::new().hash_one(0))
}
