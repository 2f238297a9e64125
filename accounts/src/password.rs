//! Passwords: what is good enough for one, and hashing and checking them.
//!
//! Passwords are hashed by Argon2id with 19 MiB of memory and two passes. That takes a few hundredths of a second on a
//! server of today, on one core, and as much memory while it lasts: enough to make guessing dear, little enough for a
//! small machine. A hash names its parameters, so they may be raised later: older hashes can still be checked.

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use argon2::{Algorithm, Argon2, Params, Version};

use crate::name::folded;

/// The fewest characters of a password.
pub const SHORTEST: usize = 10;
/// The most bytes of a password: nobody should be able to make hashing slow.
pub const LONGEST: usize = 1024;
/// Random bytes that each hash begins with.
pub const SALT_BYTES: usize = 16;

/// KiB of memory.
const MEMORY: u32 = 19 * 1024;
/// Passes over it.
const PASSES: u32 = 2;

/// A hash of no password, to be compared with where there is none: the time must not tell who has an account.
const NOBODYS: &str = "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5IGhhcyB0aGlz\
                       $AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Why a password is not good enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadPassword {
    /// Too few characters.
    #[error("a password needs at least {SHORTEST} characters, and this one has {0}")]
    TooShort(usize),
    /// Too many bytes.
    #[error("a password may have {LONGEST} bytes at most, and this one has {0}")]
    TooLong(usize),
    /// The name of its user.
    #[error("the name of a user is no password: anybody would try it first")]
    IsName,
    /// One character over and over.
    #[error("one character again and again is no password")]
    Monotonous,
}

/// Says why a password of this user is not good enough, if it is not.
pub fn check_rules(password: &str, name: &str) -> Result<(), BadPassword> {
    let characters = password.chars().count();
    if characters < SHORTEST {
        return Err(BadPassword::TooShort(characters));
    }
    if password.len() > LONGEST {
        return Err(BadPassword::TooLong(password.len()));
    }
    if folded(password) == folded(name) {
        return Err(BadPassword::IsName);
    }
    let mut letters = password.chars();
    let first = letters.next();
    if letters.all(|letter| Some(letter) == first) {
        return Err(BadPassword::Monotonous);
    }
    Ok(())
}

/// The hash of a password, in the form of the PHC. Takes a while.
pub fn hash(password: &str, salt: [u8; SALT_BYTES]) -> String {
    let hash = hasher().hash_password_with_salt(password.as_bytes(), &salt);
    hash.expect("a salt of sixteen bytes and a password below 4 GiB are accepted").to_string()
}

/// Whether a password has this hash. Takes as long if there is no hash, or none that can be read.
pub fn matches(password: &str, hash: Option<&str>) -> bool {
    // Longer ones were never accepted, and would only cost time.
    let password = if password.len() > LONGEST { "" } else { password };
    let readable = hash.and_then(|hash| PasswordHash::new(hash).ok());
    match readable {
        Some(hash) => hasher().verify_password(password.as_bytes(), &hash).is_ok(),
        None => {
            let hash = PasswordHash::new(NOBODYS).expect("the hash is well formed");
            let _ = hasher().verify_password(password.as_bytes(), &hash);
            false
        }
    }
}

fn hasher() -> Argon2<'static> {
    let params = Params::new(MEMORY, PASSES, 1, None).expect("the parameters are in their ranges");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weak_passwords_are_refused_with_a_reason() {
        assert_eq!(check_rules("short", "ada"), Err(BadPassword::TooShort(5)));
        assert_eq!(check_rules("Ada-Lovelace", "ada-lovelace"), Err(BadPassword::IsName));
        assert_eq!(check_rules("aaaaaaaaaaaa", "ada"), Err(BadPassword::Monotonous));
        assert_eq!(check_rules(&"ab".repeat(600), "ada"), Err(BadPassword::TooLong(1200)));
        assert_eq!(check_rules("päßwörter!", "ada"), Ok(()), "characters count, not bytes");
        let told = BadPassword::TooShort(5).to_string();
        assert_eq!(told, "a password needs at least 10 characters, and this one has 5");
    }

    #[test]
    fn a_password_matches_its_hash_and_no_other_does() {
        let own = hash("correct horse", [7; SALT_BYTES]);
        assert!(own.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{own}");
        assert!(matches("correct horse", Some(&own)));
        assert!(!matches("correct horsf", Some(&own)) && !matches("", Some(&own)));
        assert_ne!(own, hash("correct horse", [8; SALT_BYTES]));
        assert_eq!(own, hash("correct horse", [7; SALT_BYTES]));
    }

    #[test]
    fn nothing_matches_where_there_is_no_hash() {
        assert!(PasswordHash::new(NOBODYS).is_ok());
        assert!(!matches("", None) && !matches("correct horse", Some("no hash")));
        let empty = hash("", [7; SALT_BYTES]);
        let long = "x".repeat(LONGEST + 1);
        assert!(!matches(&long, Some(&hash(&long, [7; SALT_BYTES]))), "never accepted");
        assert!(matches("", Some(&empty)));
    }
}
