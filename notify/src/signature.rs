//! Signatures: HMAC, as `X-Hub-Signature` has it. It proves that the sender knows the secret and that the body was not altered.

use ring::hmac;

/// The header of WebSub that carries it.
pub const HEADER: &str = "x-hub-signature";

/// The value of the header for a body: HMAC with SHA-256.
pub fn sign(secret: &[u8], body: &[u8]) -> String {
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret), body);
    format!("sha256={}", hex(tag.as_ref()))
}

/// Whether the header's value matches the body, compared in constant time. SHA-1 is accepted only over TLS:
/// WebSub recognises it, and asks for more where nothing else protects the body.
pub fn fits(value: &str, secret: &[u8], body: &[u8], protected_way: bool) -> bool {
    let Some((method, digits)) = value.trim().split_once('=') else { return false };
    let algorithm = match method.trim().to_ascii_lowercase().as_str() {
        "sha256" => hmac::HMAC_SHA256,
        "sha384" => hmac::HMAC_SHA384,
        "sha512" => hmac::HMAC_SHA512,
        "sha1" if protected_way => hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY,
        _ => return false,
    };
    let Some(tag) = bytes(digits.trim()) else { return false };
    hmac::verify(&hmac::Key::new(algorithm, secret), body, &tag).is_ok()
}

/// Bytes in hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    // The longest signature is SHA-512's.
    if digits.len() > 128 || !digits.len().is_multiple_of(2) || !digits.is_ascii() {
        return None;
    }
    let pairs = (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16));
    pairs.collect::<Result<_, _>>().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, test case 2.
    const KEY: &[u8] = b"Jefe";
    const DATA: &[u8] = b"what do ya want for nothing?";
    const SHA256: &str = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    const SHA384: &str = "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e\
                          8e2240ca5e69e2c78b3239ecfab21649";
    const SHA1: &str = "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79";

    #[test]
    fn a_signature_is_that_of_the_published_test_case() {
        assert_eq!(sign(KEY, DATA), format!("sha256={SHA256}"));
        assert!(fits(&format!("sha256={SHA256}"), KEY, DATA, false));
        assert!(fits(&format!("SHA384={}", SHA384.to_uppercase()), KEY, DATA, false));
    }

    #[test]
    fn sha_1_is_enough_only_over_tls() {
        let value = format!("sha1={SHA1}");
        assert!(fits(&value, KEY, DATA, true));
        assert!(!fits(&value, KEY, DATA, false));
    }

    #[test]
    fn anything_else_does_not_match() {
        let cut = &SHA256[..62];
        for wrong in ["", "sha256", "sha256=", "md5=00", "sha256=zz", "sha256=é", "sha512=00"] {
            assert!(!fits(wrong, KEY, DATA, true), "{wrong}");
        }
        assert!(!fits(&format!("sha256={cut}"), KEY, DATA, true));
        assert!(!fits(&format!("sha256={SHA256}"), KEY, b"something else", true));
        assert!(!fits(&format!("sha256={SHA256}"), b"guess", DATA, true));
    }
}
