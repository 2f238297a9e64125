//! Tokens that nobody can guess, whatever seed the mesh was made from.

use std::fs::File;
use std::io::{self, Read as _};

/// Bytes of randomness in a token.
const BYTES: usize = 32;

/// A new token, from the machine's own source of randomness.
pub(super) fn token() -> io::Result<String> {
    let mut bytes = [0; BYTES];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_tokens_are_alike() {
        let (one, other) = (token().unwrap(), token().unwrap());
        assert_eq!(one.len(), 2 * BYTES);
        assert_ne!(one, other);
    }
}
