//! Waiting longer after each failure, and never all at the same time.
//!
//! Randomness comes from the caller, as a number in [0, 1).

use std::hash::{DefaultHasher, Hash, Hasher};

/// How much longer than asked a wait may become by chance.
const MOST_LONGER: f64 = 0.25;

/// The wait after so many failures in a row: `first` after one, and `factor` times as long with each more.
pub fn backoff(first: f64, factor: f64, failures: u32) -> f64 {
    first * factor.powi(i32::try_from(failures.saturating_sub(1)).unwrap_or(i32::MAX).min(64))
}

/// A wait made up to a quarter longer, so that many nodes do not come back together.
pub fn lengthened(wait: f64, random: f64) -> f64 {
    wait * (1.0 + MOST_LONGER * random)
}

/// A number in [0, 1) from random bits.
pub fn share(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

/// A number in [0, 1) that is always the same for the same key, and looks random between keys.
pub fn share_of(key: impl Hash) -> f64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    share(hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_grows_from_the_second_failure_on_and_stays_finite() {
        let waits = [0, 1, 2, 3].map(|failures| backoff(5.0, 2.0, failures));
        assert_eq!(waits, [5.0, 5.0, 10.0, 20.0]);
        assert!(backoff(3_600.0, 4.0, u32::MAX).is_finite());
    }

    #[test]
    fn a_wait_becomes_longer_by_a_quarter_at_most() {
        assert_eq!([0.0, 0.5, 1.0].map(|random| lengthened(8.0, random)), [8.0, 9.0, 10.0]);
    }

    #[test]
    fn shares_are_in_the_half_open_interval_and_differ_between_keys() {
        assert_eq!(share(0), 0.0);
        assert!(share(u64::MAX) < 1.0);
        let shares: Vec<f64> = (0..1_000).map(share_of).collect();
        assert!(shares.iter().all(|share| (0.0..1.0).contains(share)));
        let low = shares.iter().filter(|share| **share < 0.5).count();
        assert!((400..600).contains(&low), "{low} of 1000 are below a half");
        assert_eq!(share_of("a"), share_of("a"));
    }
}
