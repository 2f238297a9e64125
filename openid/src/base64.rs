//! Base64: the alphabet of addresses in tokens, the usual one in headers.

const URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const USUAL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes as they stand in a token: without padding.
pub(crate) fn for_url(bytes: &[u8]) -> String {
    digits(bytes, URL)
}

/// Bytes as they stand in a header: with padding.
pub(crate) fn usual(bytes: &[u8]) -> String {
    let mut text = digits(bytes, USUAL);
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    text
}

fn digits(bytes: &[u8], alphabet: &[u8; 64]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for part in bytes.chunks(3) {
        let mut three = [0; 4];
        three[1..=part.len()].copy_from_slice(part);
        let bits = u32::from_be_bytes(three);
        for place in 0..=part.len() {
            let digit = bits >> (18 - 6 * place) & 63;
            text.push(alphabet[digit as usize] as char);
        }
    }
    text
}

/// What a part of a token stands for, if it is base64.
pub(crate) fn from_url(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    for part in text.as_bytes().chunks(4) {
        if part.len() == 1 {
            return None;
        }
        let mut bits = 0u32;
        for byte in part {
            let digit = URL.iter().position(|digit| digit == byte)?;
            bits = bits << 6 | digit as u32;
        }
        let whole = (bits << (6 * (4 - part.len()))).to_be_bytes();
        bytes.extend_from_slice(&whole[1..part.len()]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_written_and_read() {
        // The examples of RFC 4648, section 10.
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(usual(bytes.as_bytes()), text);
            assert_eq!(for_url(bytes.as_bytes()), text.trim_end_matches('='));
            assert_eq!(from_url(text.trim_end_matches('=')).as_deref(), Some(bytes.as_bytes()));
        }
        assert_eq!(for_url(&[0xfb, 0xff]), "-_8");
        assert_eq!(usual(&[0xfb, 0xff]), "+/8=");
        for wrong in ["A", "AAAAA", "Zg==", "+/8", "a b", "é"] {
            assert_eq!(from_url(wrong), None, "{wrong}");
        }
    }
}
