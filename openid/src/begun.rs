//! A login that has begun: the secret of its browser, and what follows from that.
//!
//! Everything is derived from one secret, which the browser keeps until it comes back. So the node stores nothing, and a
//! login survives its restart.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::{digest, hmac};

/// A login that has begun.
pub struct Begun {
    key: hmac::Key,
    /// What the browser keeps beside the secret, such as where to go afterwards.
    kept: String,
}

impl Begun {
    /// The login with this secret.
    pub fn new(secret: &[u8], kept: impl Into<String>) -> Self {
        Self { key: hmac::Key::new(hmac::HMAC_SHA256, secret), kept: kept.into() }
    }

    /// What the provider sends back with the browser: it shows that the browser began this login, and that what it
    /// keeps is what it was given.
    pub fn state(&self) -> String {
        self.derived(&format!("state {}", self.kept))
    }

    /// What the token must hold: it shows that the token is for this login.
    pub fn nonce(&self) -> String {
        self.derived("nonce")
    }

    /// What proves to the provider that whoever has the code has begun the login (RFC 7636).
    pub fn verifier(&self) -> String {
        self.derived("verifier")
    }

    /// What the provider is told of the verifier before.
    pub fn challenge(&self) -> String {
        challenge(&self.verifier())
    }

    fn derived(&self, what: &str) -> String {
        URL_SAFE_NO_PAD.encode(hmac::sign(&self.key, what.as_bytes()))
    }
}

fn challenge(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, verifier.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_is_that_of_the_standard() {
        // RFC 7636, appendix B.
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert_eq!(challenge(verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }

    #[test]
    fn everything_differs_between_logins_and_from_each_other() {
        let (one, other) = (Begun::new(&[1; 32], "read"), Begun::new(&[2; 32], "read"));
        let all = [&one, &other].map(|begun| [begun.state(), begun.nonce(), begun.verifier()]);
        let mut all = all.concat();
        assert!(all.iter().all(|text| text.len() == 43), "{all:?}");
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 6);
        assert_ne!(Begun::new(&[1; 32], "settings").state(), one.state(), "it was not kept so");
    }
}
