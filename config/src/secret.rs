//! A value that must never be printed, logged or shown.

use std::fmt;

use crate::codec::{Codec, MASK, text};

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

    /// The secret itself, to send it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

/// A secret of any characters, without the white space around it.
pub(crate) fn secret() -> Codec<Secret> {
    text().map(|text| Ok(Secret::new(text.trim())), |_| MASK.to_owned())
}

/// A secret that can be sent in a header.
pub(crate) fn sendable_secret() -> Codec<Secret> {
    let sendable = |secret: &Secret| {
        http::HeaderValue::from_str(&secret.0).is_ok_and(|value| value.to_str().is_ok())
    };
    let wrong = "must consist of letters, digits and signs of ASCII in one line";
    let check = move |secret| if sendable(&secret) { Ok(secret) } else { Err(wrong.to_owned()) };
    secret().map(check, Secret::clone).described("ASCII text in one line")
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
