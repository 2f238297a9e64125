//! A value that must never be printed, logged or shown.

use std::fmt;

use pergola_feed::address::MASK;

/// A secret. Its `Debug` and `Display` print stars.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(secret: impl Into<String>) -> Self {
        Self(secret.into())
    }

    /// Whether `given` is the secret. The time it takes depends on the length of `given` alone.
    pub fn matches(&self, given: &str) -> bool {
        let secret = self.0.bytes().chain(std::iter::repeat(0));
        let different = given.bytes().zip(secret).fold(0, |all, (a, b)| all | (a ^ b));
        different == 0 && given.len() == self.0.len()
    }

    /// The secret itself, to send it or to store it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Secret({MASK})")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(MASK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_never_printed() {
        let secret = Secret::new("open sesame");
        assert_eq!(format!("{secret} {secret:?}"), "******** Secret(********)");
    }

    #[test]
    fn only_the_whole_secret_matches() {
        let secret = Secret::new("open sesame");
        assert!(secret.matches("open sesame"));
        for wrong in ["", "open", "open sesame\0", "open sesame!", "Open sesame"] {
            assert!(!secret.matches(wrong), "{wrong:?}");
        }
        assert!(!Secret::new("").matches("\0"));
    }
}
