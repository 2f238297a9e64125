//! Randomness: for the node's own identifier, secrets of subscriptions, and waits that differ.

use std::sync::Arc;

use pergola_manners::backoff::share;
use ring::rand::{SecureRandom as _, SystemRandom};

/// Fills bytes with random ones.
pub trait Fill: Send + Sync {
    /// Returns `false` if the machine has no randomness; the bytes are not to be used then.
    #[must_use]
    fn fill(&self, bytes: &mut [u8]) -> bool;
}

/// A source of randomness. Cheap to clone.
#[derive(Clone)]
pub struct Randomness(Arc<dyn Fill>);

impl Randomness {
    /// Randomness from `source`.
    pub fn of(source: impl Fill + 'static) -> Self {
        Self(Arc::new(source))
    }

    /// The system's, fit for secrets.
    pub fn of_system() -> Self {
        Self::of(System(SystemRandom::new()))
    }

    /// So many random bytes in hexadecimal digits; nothing if the machine has no randomness.
    pub fn hex(&self, bytes: usize) -> Option<String> {
        let mut random = vec![0; bytes];
        let filled = self.0.fill(&mut random);
        filled.then(|| random.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Random bytes; nothing if the machine has no randomness.
    pub fn bytes<const N: usize>(&self) -> Option<[u8; N]> {
        let mut random = [0; N];
        self.0.fill(&mut random).then_some(random)
    }

    /// A number in [0, 1), to spread many tries apart.
    pub fn chance(&self) -> f64 {
        let mut random = [0; 8];
        match self.0.fill(&mut random) {
            true => share(u64::from_le_bytes(random)),
            false => 0.5,
        }
    }
}

struct System(SystemRandom);

impl Fill for System {
    fn fill(&self, bytes: &mut [u8]) -> bool {
        self.0.fill(bytes).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_as_long_as_asked_for_and_differ() {
        let randomness = Randomness::of_system();
        let (one, other) = (randomness.hex(16).unwrap(), randomness.hex(16).unwrap());
        assert_eq!((one.len(), other.len()), (32, 32));
        assert_ne!(one, other);
    }

    #[test]
    fn chances_are_between_zero_and_one() {
        struct Most;
        impl Fill for Most {
            fn fill(&self, bytes: &mut [u8]) -> bool {
                bytes.fill(0xff);
                true
            }
        }
        let most = Randomness::of(Most).chance();
        assert!(most < 1.0 && most > 0.999_999, "{most}");
    }

    #[test]
    fn without_randomness_there_are_no_secrets() {
        struct None;
        impl Fill for None {
            fn fill(&self, _: &mut [u8]) -> bool {
                false
            }
        }
        assert_eq!(Randomness::of(None).hex(16), Option::None);
    }
}
