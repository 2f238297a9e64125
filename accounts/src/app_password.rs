//! Passwords for other programs: made here, shown once, and valid for reading until they are revoked.
//!
//! One has 120 random bits, so a quick digest is enough to store it by, and checking one costs next to nothing.

use crate::secret::Digest;

/// Random bytes of an app password.
pub const BYTES: usize = 15;
/// App passwords of one user.
pub const MOST: usize = 100;
/// Seconds after which it is noted again that one is used.
pub const NOTED_EVERY: f64 = 3600.0;
/// Characters of its name.
const NAME: usize = 100;

/// Letters and digits that are not taken for each other.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// A password for another program.
#[derive(Debug, Clone, PartialEq)]
pub struct AppPassword {
    /// What it is for, in its user's words.
    pub name: String,
    /// Of the password.
    pub digest: Digest,
    pub created_at: f64,
    /// When it was last used, to the hour.
    pub used_at: Option<f64>,
}

impl AppPassword {
    /// A new one, and what is shown of it once.
    pub fn new(name: &str, random: [u8; BYTES], now: f64) -> (Self, String) {
        let shown = shown(random);
        let name: String = name.trim().chars().filter(|c| !c.is_control()).take(NAME).collect();
        let name = if name.is_empty() { "no name".to_owned() } else { name };
        (
            Self {
                name,
                digest: Digest::of(plain(&shown).as_bytes()),
                created_at: now,
                used_at: None,
            },
            shown,
        )
    }

    /// Whether it is this one, with or without its hyphens, in small letters or capitals.
    pub fn is(&self, given: &str) -> bool {
        self.digest.is_of(plain(given).as_bytes())
    }

    /// As it is to be noted now that it is used; nothing if that was noted lately.
    pub fn used(&self, now: f64) -> Option<Self> {
        let due = self.used_at.is_none_or(|before| now - before >= NOTED_EVERY);
        due.then(|| Self { used_at: Some(now), ..self.clone() })
    }
}

/// Whether something looks like an app password, so that it may be one.
pub fn may_be(given: &str) -> bool {
    let plain = plain(given);
    plain.len() == BYTES * 8 / 5 && plain.bytes().all(|byte| LETTERS.contains(&byte))
}

/// Five bits to a letter, in groups of four.
fn shown(random: [u8; BYTES]) -> String {
    let mut text = String::with_capacity(BYTES * 2);
    for (place, five) in random.chunks(5).enumerate() {
        let bits = five.iter().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
        for letter in (0..8).rev() {
            if letter % 4 == 3 && (place > 0 || letter < 7) {
                text.push('-');
            }
            text.push(LETTERS[(bits >> (5 * letter) & 31) as usize] as char);
        }
    }
    text
}

fn plain(given: &str) -> String {
    let letters = given.chars().filter(|c| *c != '-' && !c.is_whitespace());
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_app_password_is_recognised_however_it_is_typed() {
        let random = std::array::from_fn(|n| (n * 17) as u8);
        let (own, shown) = AppPassword::new(" My phone\t", random, 5.0);
        assert_eq!((shown.len(), shown.matches('-').count()), (29, 5), "{shown}");
        assert_eq!((own.name.as_str(), own.used_at), ("My phone", None));
        assert!(
            own.is(&shown) && own.is(&shown.to_uppercase()) && own.is(&shown.replace('-', " "))
        );
        assert!(may_be(&shown) && !may_be("correct horse") && !may_be(""));
        let (other, _) = AppPassword::new("", [9; BYTES], 5.0);
        assert!(!other.is(&shown) && !own.is("") && other.name == "no name");
    }

    #[test]
    fn all_bits_count() {
        let (own, _) = AppPassword::new("", [0; BYTES], 5.0);
        for bit in 0..BYTES * 8 {
            let mut random = [0; BYTES];
            random[bit / 8] = 1 << (bit % 8);
            assert!(!own.is(&shown(random)), "bit {bit}");
        }
    }

    #[test]
    fn its_use_is_noted_once_an_hour() {
        let (own, _) = AppPassword::new("", [0; BYTES], 5.0);
        let used = own.used(10.0).unwrap();
        assert_eq!(used.used_at, Some(10.0));
        assert_eq!(used.used(3609.0), None);
        assert!(used.used(3610.0).is_some());
    }
}
