//! Words as numbers: of fixed size, to hash and compare them without following a pointer, and as steps
//! in the automaton.

use std::hash::Hasher;

use rustc_hash::FxHasher;

/// A phrase: the node where its path ends.
pub(super) type PhraseId = u32;
/// A word of the vocabulary.
pub(super) type WordId = u32;
/// An unknown word, or the end of a path.
pub(super) const NONE: u32 = u32::MAX;

/// A word of a text: its id, and its target from the root.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) word: WordId,
    pub(super) first: PhraseId,
}

impl Step {
    pub(super) const UNKNOWN: Self = Self { word: NONE, first: NONE };

    /// Whether any phrase contains the word.
    pub(super) fn is_known(self) -> bool {
        self.word != NONE
    }
}

/// A word of up to 15 bytes, or the length and a hash of a longer one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key(u64, u64);

/// Words of this length and more do not fit.
const LONG: usize = 16;
/// In the top byte of the second half, where short words have their length.
const MARK_OF_LONG: u64 = 0xff << 56;

impl Key {
    #[inline]
    pub(super) fn of(word: &str) -> Self {
        let bytes = word.as_bytes();
        if bytes.len() >= LONG {
            let mut hasher = FxHasher::default();
            hasher.write(bytes);
            return Self(hasher.finish(), MARK_OF_LONG | bytes.len() as u64 & 0xffff_ffff);
        }
        let (first, rest) = halves(bytes);
        Self(first, rest | (bytes.len() as u64) << 56)
    }

    /// Whether words with this key are always equal.
    #[inline]
    pub(super) fn is_exact(self) -> bool {
        self.1 & MARK_OF_LONG != MARK_OF_LONG
    }

    /// Folds the two halves of a product, which spreads keys evenly.
    #[inline]
    pub(super) fn hash(self) -> u64 {
        let left = u128::from(self.0 ^ 0x9e37_79b9_7f4a_7c15);
        let right = u128::from(self.1 ^ 0xd1b5_4a32_d192_ed03);
        let product = left * right;
        (product >> 64) as u64 ^ product as u64
    }
}

/// The first eight bytes of a word of up to 15 bytes, and the rest. Reads two overlapping numbers,
/// because copying a few bytes of unknown length costs more than the rest of a lookup.
#[inline]
fn halves(bytes: &[u8]) -> (u64, u64) {
    let length = bytes.len();
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let rest = u64::from_le_bytes(*last) >> 8 >> (8 * (LONG - 1 - length.min(LONG - 1)));
        return (u64::from_le_bytes(*first), rest);
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        let rest = u64::from(last) >> (8 * (8 - length));
        return (u64::from(first) | rest << 32, 0);
    }
    match *bytes {
        [] => (0, 0),
        [a] => (a.into(), 0),
        [a, b] => (u16::from_le_bytes([a, b]).into(), 0),
        [a, b, ref rest @ ..] => (u32::from_le_bytes([a, b, rest[0], 0]).into(), 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_words_have_keys_of_their_own_and_long_ones_must_be_compared() {
        assert_ne!(Key::of("ab"), Key::of("ab\0"));
        assert_ne!(Key::of("ab"), Key::of("ba"));
        assert!(Key::of("fifteen letters").is_exact());
        assert!(!Key::of("sixteen letters!").is_exact());
        assert_eq!(Key::of("sixteen letters!"), Key::of("sixteen letters!"));
        for length in 0..LONG {
            let word = &"abcdefghijklmno"[..length];
            let mut whole = [0; 16];
            whole[..length].copy_from_slice(word.as_bytes());
            whole[15] = length as u8;
            let whole = u128::from_le_bytes(whole);
            assert_eq!(Key::of(word), Key(whole as u64, (whole >> 64) as u64), "{word}");
        }
    }
}
