//! Words as numbers of fixed size, to be hashed and compared without following a pointer.

use std::hash::Hasher;

use rustc_hash::FxHasher;

/// A word of up to 15 bytes in full, or the length and a hash of a longer one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key(u64, u64);

/// Words of this length and more do not fit.
const LONG: usize = 16;
/// In the top byte of the second half, where a short word has its length.
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
        let mut whole = [0; 16];
        whole[..bytes.len()].copy_from_slice(bytes);
        whole[15] = bytes.len() as u8;
        let whole = u128::from_le_bytes(whole);
        Self(whole as u64, (whole >> 64) as u64)
    }

    /// Whether two words with this key are the same word.
    #[inline]
    pub(super) fn is_exact(self) -> bool {
        self.1 & MARK_OF_LONG != MARK_OF_LONG
    }

    /// Spreads keys evenly: the two halves of one product, folded.
    #[inline]
    pub(super) fn hash(self) -> u64 {
        let left = u128::from(self.0 ^ 0x9e37_79b9_7f4a_7c15);
        let right = u128::from(self.1 ^ 0xd1b5_4a32_d192_ed03);
        let product = left * right;
        (product >> 64) as u64 ^ product as u64
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
    }
}
