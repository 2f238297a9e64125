//! Ids as URIs, which Atom demands.

/// The prefix of ids that are not URIs.
const PREFIX: &str = "urn:pergola:id:";

/// The id itself if it is a URI, else percent-encoded after our prefix.
pub(crate) fn to_uri(id: &str) -> String {
    let scheme = id.split_once(':').map_or("", |(scheme, _)| scheme);
    let plain = id.bytes().all(|b| b.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&b));
    let absolute = scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
        && url::Url::parse(id).is_ok();
    if plain && absolute && !id.starts_with(PREFIX) {
        return id.to_owned();
    }
    let mut uri = PREFIX.to_owned();
    for byte in id.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02x}"));
        }
    }
    uri
}

/// Reverses [`to_uri`]; `None` if the id does not have our prefix.
pub(crate) fn from_uri(uri: &str) -> Option<String> {
    let mut bytes = uri.strip_prefix(PREFIX)?.bytes();
    let mut plain = Vec::new();
    while let Some(byte) = bytes.next() {
        let decoded = if byte == b'%' {
            let pair = [bytes.next()?, bytes.next()?];
            u8::from_str_radix(std::str::from_utf8(&pair).ok()?, 16).ok()?
        } else {
            byte
        };
        plain.push(decoded);
    }
    String::from_utf8(plain).ok()
}
