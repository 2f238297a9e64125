//! Random numbers that follow from the seed. Everybody draws from a stream of its own, so that a fault more or less
//! changes nothing for those whom it does not concern.

use std::hash::{DefaultHasher, Hash, Hasher};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A stream of random numbers.
#[derive(Debug, Clone)]
pub struct Chance(ChaCha8Rng);

impl Chance {
    /// The stream of somebody, by what it is for and whose it is.
    pub fn new(seed: u64, purpose: &str, whose: u64) -> Self {
        // Its keys are fixed, unlike those of a hash map.
        let mut hasher = DefaultHasher::new();
        (seed, purpose, whose).hash(&mut hasher);
        Self(ChaCha8Rng::seed_from_u64(hasher.finish()))
    }

    /// A number in [0, 1).
    pub fn share(&mut self) -> f64 {
        self.0.random()
    }

    /// A number from `low` up to `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.share()
    }

    /// A whole number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0.random_range(0..end)
    }

    /// Whether something happens that happens in this share of all cases.
    pub fn happens(&mut self, share: f64) -> bool {
        self.share() < share
    }

    /// The wait for something that happens once in `mean` on average.
    pub fn wait(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.share()).ln()
    }

    /// Fills bytes.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        self.0.fill(bytes);
    }
}
