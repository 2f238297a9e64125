//! Random tokens, their digests, and comparisons that take the same time whatever is compared.
//!
//! A token has 256 random bits. Nobody can guess it, so a quick digest is enough to store it by.

use std::fmt;

use ring::{digest, hmac};

/// Bytes of a token.
pub const TOKEN_BYTES: usize = 32;

/// What a token is signed for when it makes the token of forms.
const FORMS: &[u8] = b"forms of this session";

/// A secret that a session is known by. `Debug` does not print it.
#[derive(Clone, PartialEq, Eq)]
pub struct Token([u8; TOKEN_BYTES]);

impl Token {
    /// A token from random bytes.
    pub fn new(random: [u8; TOKEN_BYTES]) -> Self {
        Self(random)
    }

    /// The token that a text stands for, if it does.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if digits.len() != 2 * TOKEN_BYTES {
            return None;
        }
        let mut bytes = [0; TOKEN_BYTES];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
            let [high, low] = [pair[0], pair[1]].map(|digit| (digit as char).to_digit(16));
            *byte = (high? << 4 | low?) as u8;
        }
        Some(Self(bytes))
    }

    /// The token in hexadecimal digits, for whoever is to keep it.
    pub fn reveal(&self) -> String {
        hex(&self.0)
    }

    /// What is stored in its place.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.0)
    }

    /// What forms of this session carry, so that no other site can send them.
    pub fn form_token(&self) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.0);
        hex(hmac::sign(&key, FORMS).as_ref())
    }

    /// What proves that whoever has this token has written something: its HMAC-SHA-256.
    pub fn sign(&self, text: &str) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.0);
        hex(hmac::sign(&key, text.as_bytes()).as_ref())
    }

    /// Whether that is the proof of exactly this text.
    pub fn has_signed(&self, text: &str, proof: &str) -> bool {
        same(self.sign(text).as_bytes(), proof.as_bytes())
    }

    /// Whether a form carries what the forms of this session do.
    pub fn is_form_token(&self, given: &str) -> bool {
        same(self.form_token().as_bytes(), given.as_bytes())
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(********)")
    }
}

/// The SHA-256 of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// The digest of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let mut own = [0; 32];
        own.copy_from_slice(digest::digest(&digest::SHA256, bytes).as_ref());
        Self(own)
    }

    /// Whether it is the digest of some bytes. The time tells nothing of either.
    pub fn is_of(&self, bytes: &[u8]) -> bool {
        same(&self.0, &Self::of(bytes).0)
    }
}

/// Whether two texts are the same. The time depends on their lengths alone.
pub fn same(one: &[u8], other: &[u8]) -> bool {
    let different = one.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b));
    std::hint::black_box(different) == 0 && one.len() == other.len()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_as_it_was_shown_and_never_printed() {
        let token = Token::new(std::array::from_fn(|n| n as u8 * 7));
        assert_eq!(Token::parse(&token.reveal()), Some(token.clone()));
        assert_eq!(format!("{token:?}"), "Token(********)");
        for wrong in ["", "00", &"g".repeat(64), &"0".repeat(63), &"0".repeat(65), &"é".repeat(32)]
        {
            assert_eq!(Token::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_digest_is_sha_256() {
        let digest = hex(&Digest::of(b"abc").0);
        assert_eq!(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert!(Digest::of(b"abc").is_of(b"abc") && !Digest::of(b"abc").is_of(b"abd"));
    }

    #[test]
    fn each_session_has_forms_of_its_own() {
        let (one, other) = (Token::new([1; 32]), Token::new([2; 32]));
        assert!(one.is_form_token(&one.form_token()));
        assert!(!one.is_form_token(&other.form_token()));
        assert!(!one.is_form_token("") && !one.is_form_token(&one.reveal()));
        assert_ne!(one.form_token(), one.reveal());
    }

    #[test]
    fn texts_of_different_lengths_are_not_the_same() {
        assert!(same(b"", b"") && same(b"ab", b"ab"));
        assert!(!same(b"ab", b"abc") && !same(b"abc", b"ab") && !same(b"ab", b"ac"));
    }
}
