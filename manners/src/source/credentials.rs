//! What a source is shown to let us in.
//!
//! Credentials belong to one origin: scheme, host and port. A redirect, a move or another address never takes
//! them elsewhere.

use base64::{Engine, engine::general_purpose::STANDARD};
use http::{HeaderName, HeaderValue};
use pergola_feed::address::take_user;
use url::Url;

use crate::secret::Secret;

/// What a source is shown to let us in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    /// They are sent to this origin only (`https://example.org`, with the port if it is not the usual one).
    pub origin: String,
    pub proof: Proof,
}

/// How we prove who we are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// User and password (RFC 7617).
    Password { user: String, password: Secret },
    /// A header of any name.
    Header { name: String, value: Secret },
}

/// Why something cannot be shown to a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unsendable {
    #[error("a user name must not contain a colon")]
    Colon,
    #[error("user and password must not contain control characters")]
    Control,
    #[error(
        "a header is a name and a value of ASCII letters, digits and signs, such as `X-Token: abc`"
    )]
    Header,
    #[error("this header belongs to the request itself and cannot be given")]
    Reserved,
}

/// Headers that a request sets itself.
const RESERVED: [&str; 9] = [
    "host",
    "connection",
    "content-length",
    "transfer-encoding",
    "upgrade",
    "te",
    "accept-encoding",
    "if-none-match",
    "if-modified-since",
];

impl Credentials {
    /// Takes user and password out of an address.
    pub fn taken_from(url: &mut Url) -> Option<Self> {
        let (user, password) = take_user(url)?;
        Some(Self::new(url, Proof::Password { user, password: Secret::new(password) }))
    }

    /// What is shown to the origin of an address.
    pub fn new(url: &Url, proof: Proof) -> Self {
        Self { origin: url.origin().ascii_serialization(), proof }
    }

    /// Whether they were given for this address.
    pub fn are_for(&self, url: &Url) -> bool {
        self.origin == url.origin().ascii_serialization()
    }
}

impl Proof {
    /// The proof, if it can be sent.
    pub fn checked(self) -> Result<Self, Unsendable> {
        match &self {
            Self::Password { user, .. } if user.contains(':') => return Err(Unsendable::Colon),
            Self::Password { user, password } => {
                let mut letters = user.chars().chain(password.reveal().chars());
                if letters.any(char::is_control) {
                    return Err(Unsendable::Control);
                }
            }
            Self::Header { name, .. } => {
                self.header().ok_or(Unsendable::Header)?;
                if RESERVED.contains(&name.to_ascii_lowercase().as_str()) {
                    return Err(Unsendable::Reserved);
                }
            }
        }
        Ok(self)
    }

    /// The header that is sent. Its value is marked as sensitive.
    pub fn header(&self) -> Option<(HeaderName, HeaderValue)> {
        let (name, text) = match self {
            Self::Password { user, password } => {
                let plain = format!("{user}:{}", password.reveal());
                (http::header::AUTHORIZATION, format!("Basic {}", STANDARD.encode(plain)))
            }
            Self::Header { name, value } => {
                (HeaderName::try_from(name.as_str()).ok()?, value.reveal().to_owned())
            }
        };
        let mut value = HeaderValue::try_from(text).ok()?;
        value.set_sensitive(true);
        Some((name, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn password(user: &str, password: &str) -> Proof {
        Proof::Password { user: user.into(), password: Secret::new(password) }
    }

    fn header(name: &str, value: &str) -> Proof {
        Proof::Header { name: name.into(), value: Secret::new(value) }
    }

    #[test]
    fn a_password_is_sent_as_the_rfc_says_and_never_printed() {
        let proof = password("Aladdin", "open sesame");
        let (name, value) = proof.header().unwrap();
        assert_eq!(
            (name.as_str(), value.to_str().unwrap()),
            ("authorization", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        );
        assert!(!format!("{value:?} {proof:?}").contains("sesame"));
        assert!(!format!("{value:?}").contains("QWxh"));
    }

    #[test]
    fn an_address_with_a_password_is_split() {
        let mut url = Url::parse("https://bob:se%20cret@example.org:8443/f").unwrap();
        let credentials = Credentials::taken_from(&mut url).unwrap();
        assert_eq!(url.as_str(), "https://example.org:8443/f");
        assert_eq!(credentials.origin, "https://example.org:8443");
        assert_eq!(credentials.proof, password("bob", "se cret"));
        assert_eq!(Credentials::taken_from(&mut url), None);
    }

    #[test]
    fn credentials_are_for_exactly_one_origin() {
        let url = |text: &str| Url::parse(text).unwrap();
        let credentials = Credentials::new(&url("https://example.org/feed"), password("a", "b"));
        assert!(credentials.are_for(&url("https://EXAMPLE.org:443/other?x=1")));
        for other in [
            "http://example.org/feed",
            "https://example.org:8443/feed",
            "https://www.example.org/feed",
            "https://example.org.evil.example/feed",
        ] {
            assert!(!credentials.are_for(&url(other)), "{other}");
        }
    }

    #[test]
    fn what_cannot_be_sent_is_refused() {
        assert!(password("bob", "p:w").checked().is_ok());
        assert!(header("X-Token", "abc").checked().is_ok());
        assert_eq!(password("b:b", "").checked(), Err(Unsendable::Colon));
        assert_eq!(password("bob", "a\nb").checked(), Err(Unsendable::Control));
        assert_eq!(header("X Token", "abc").checked(), Err(Unsendable::Header));
        assert_eq!(header("X-Token", "a\nb").checked(), Err(Unsendable::Header));
        assert_eq!(header("Host", "evil.example").checked(), Err(Unsendable::Reserved));
    }
}
