//! Percent-encoding (RFC 3986) of ids, of names in headers and of path segments.

use percent_encoding::{
    AsciiSet, NON_ALPHANUMERIC, PercentEncode, percent_decode_str, utf8_percent_encode,
};

/// Everything but the unreserved characters: letters, digits and `-._~`.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Encodes everything but letters, digits and `-._~`. The result prints itself, and iterates over its parts:
/// each is a run of plain characters or one encoded byte.
pub fn encode(text: &str) -> PercentEncode<'_> {
    utf8_percent_encode(text, ENCODED)
}

/// Reverses [`encode`]. `None` if a `%` does not begin an encoded byte, or if the bytes are not UTF-8.
pub fn decode(text: &str) -> Option<String> {
    let mut after_signs = text.split('%').skip(1);
    let is_byte = |after: &str| {
        after.as_bytes().get(..2).is_some_and(|pair| pair.iter().all(u8::is_ascii_hexdigit))
    };
    if !after_signs.all(is_byte) {
        return None;
    }
    Some(percent_decode_str(text).decode_utf8().ok()?.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_can_be_decoded() {
        for (plain, encoded) in [
            ("News-1._~", "News-1._~"),
            ("Café au lait", "Caf%C3%A9%20au%20lait"),
            ("100 %/\u{0}", "100%20%25%2F%00"),
            ("", ""),
        ] {
            assert_eq!(encode(plain).to_string(), encoded);
            assert_eq!(decode(encoded).as_deref(), Some(plain));
            assert_eq!(decode(&encoded.to_lowercase()), Some(plain.to_lowercase()));
        }
    }

    #[test]
    fn what_nobody_encoded_is_refused() {
        for text in ["%", "%4", "a%4", "%zz", "%+f", "%%41", "%ff", "%é0"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
