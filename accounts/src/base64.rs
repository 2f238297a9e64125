//! Base64, in which browsers send a name and a password.

/// What base64 stands for, if it is that. Padding may be left out.
pub fn decoded(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    for part in text.trim_end_matches('=').as_bytes().chunks(4) {
        let mut bits = 0u32;
        for byte in part {
            bits = bits << 6 | u32::from(digit(*byte)?);
        }
        let length = part.len();
        let whole = (bits << (6 * (4 - length))).to_be_bytes();
        bytes.extend_from_slice(&whole[1..length.max(1)]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read_with_and_without_padding() {
        // The examples of RFC 4648, section 10.
        for (text, bytes) in [
            ("", ""),
            ("Zg==", "f"),
            ("Zm8=", "fo"),
            ("Zm9v", "foo"),
            ("Zm9vYg==", "foob"),
            ("Zm9vYmE", "fooba"),
            ("Zm9vYmFy", "foobar"),
        ] {
            assert_eq!(decoded(text).as_deref(), Some(bytes.as_bytes()), "{text}");
        }
        assert_eq!(decoded("open sesame"), None);
    }
}
