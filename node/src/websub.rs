//! WebSub (W3C): news that is pushed instead of polled, both ways.
//!
//! `hub` pushes changes of this node's feeds to its subscribers. `subscriber` subscribes to the hubs that
//! sources advertise. Polling goes on without both: a failure here only makes news later.

mod counts;
pub mod hub;
mod instants;
mod signature;
pub mod subscriber;

pub use counts::Counts;

use std::hash::{BuildHasher, RandomState};

use pergola_manners::backoff::share;
use ring::rand::{SecureRandom, SystemRandom};

/// So many random bytes in hexadecimal digits, good enough for a secret; nothing if the machine has no
/// randomness.
fn nonce(bytes: usize) -> Option<String> {
    let mut random = vec![0; bytes];
    SystemRandom::new().fill(&mut random).ok()?;
    Some(signature::hex(&random))
}

/// A random number in [0, 1) that spreads retries.
fn chance() -> f64 {
    share(RandomState::new().hash_one(0))
}
