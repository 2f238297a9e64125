//! A value that must never be printed, logged or shown.

use std::fmt;

use super::reader::Reader;
use super::values::text;

/// What stands where a secret would be.
pub(super) const MASK: &str = "********";

/// A secret. Its `Debug` and `Display` print stars.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps a secret.
    pub fn new(secret: impl Into<String>) -> Self {
        Self(secret.into())
    }

    /// Whether `given` is the secret. The time it takes depends on the length of `given` alone.
    pub fn matches(&self, given: &str) -> bool {
        let secret = self.0.bytes().chain(std::iter::repeat(0));
        let different = given.bytes().zip(secret).fold(0, |all, (a, b)| all | (a ^ b));
        different == 0 && given.len() == self.0.len()
    }

    /// The secret itself, for those who must send it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl Secret {
    /// What `token` says, or the file that `token_file` names.
    pub(super) fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let given = reader.set_among(&["token", "token_file"]);
        let token = match given[..] {
            [] => None,
            ["token"] => reader.optional("token", text),
            [_] => reader.optional("token_file", text).and_then(|path| {
                let read = std::fs::read_to_string(reader.path("token_file", &path));
                let token = read.map(|token| token.trim().to_owned());
                let problem = match &token {
                    Ok(token) if !token.is_empty() => return Some(token.clone()),
                    Ok(_) => "must name a file that is not empty".to_owned(),
                    Err(reason) => format!("must name a file that can be read: {reason}"),
                };
                reader.refuse("token_file", &problem);
                None
            }),
            _ => {
                reader.refuse("token_file", "must not be set together with `token`");
                None
            }
        };
        token.map(|token| Self::new(token.trim()))
    }

    /// The same, if it can be sent in a header.
    pub(super) fn read_sendable(reader: &mut Reader<'_>) -> Option<Self> {
        let secret = Self::read(reader)?;
        if http::HeaderValue::from_str(&secret.0).is_ok_and(|value| value.to_str().is_ok()) {
            return Some(secret);
        }
        for key in ["token", "token_file"] {
            reader.refuse(key, "must consist of letters, digits and signs of ASCII in one line");
        }
        None
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
