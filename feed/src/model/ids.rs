//! Typed ids, so that swapped arguments do not compile.

use serde::Deserialize;

/// Identifies an item everywhere: its guid or, without one, a substitute.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemId(pub String);

/// Identifies the feed in which an item first appeared: a digest of the address at which it was first read,
/// without user and secrets ([`crate::address::origin_of`]). It stays when the feed moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OriginId(pub u128);

impl OriginId {
    /// Reads the 32 hexadecimal digits that it prints itself as.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit());
        digits.then(|| u128::from_str_radix(text, 16).ok()).flatten().map(Self)
    }

    /// What is not an identity is passed over: the item is still good.
    pub(super) fn deserialize_lenient<'de, D: serde::Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Self>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        Ok(text.as_deref().and_then(Self::parse))
    }
}

impl std::fmt::Display for OriginId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// The name of a node of the mesh.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub String);

impl std::fmt::Display for ItemId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::fmt::Display for NodeId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A 128-bit digest over length-prefixed parts, similar to FNV-1a but over eight bytes at a time.
/// Unlike the standard hasher it is stable across platforms, versions and runs. It does not resist
/// forgery.
pub fn digest(parts: &[&str]) -> u128 {
    digest_after(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, parts)
}

/// The digest of more parts after those whose digest is `hash`:
/// `digest_after(digest(&[a]), &[b]) == digest(&[a, b])`.
pub fn digest_after(mut hash: u128, parts: &[&str]) -> u128 {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013B;
    let mut eat = |word: u64| hash = (hash ^ u128::from(word)).wrapping_mul(PRIME);
    for part in parts {
        eat(part.len() as u64);
        let (words, rest) = part.as_bytes().as_chunks();
        words.iter().for_each(|word| eat(u64::from_le_bytes(*word)));
        rest.iter().for_each(|byte| eat(u64::from(*byte)));
    }
    hash
}
