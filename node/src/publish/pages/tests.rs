use super::*;

#[test]
fn the_policy_names_the_digest_of_the_stylesheet() {
    let suite = rustls::crypto::ring::cipher_suite::TLS13_AES_128_GCM_SHA256.tls13();
    let digest = suite.expect("a suite of TLS 1.3").common.hash_provider.hash(STYLE.as_bytes());
    let expected = format!("'sha256-{}'", base64(digest.as_ref()));
    assert!(POLICY.contains(&expected), "put {expected} into POLICY");
}

#[test]
fn the_stylesheet_cannot_end_its_element() {
    assert!(!STYLE.contains('<'));
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for part in bytes.chunks(3) {
        let bits = part.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte));
        let bits = bits << (8 * (3 - part.len()));
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= part.len() { char::from(digit) } else { '=' });
        }
    }
    text
}
