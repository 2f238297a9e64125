//! Random tokens. They do not depend on any seed.

use std::fs::File;
use std::io::{self, Read as _};

/// The number of random bytes in a token.
const BYTES: usize = 32;

/// A new token from the random source of the operating system.
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
