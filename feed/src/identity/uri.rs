//! Ids as URIs, which Atom demands.

use crate::percent;

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
    for part in percent::encode(id) {
        // Readers compare ids byte by byte, and these have always been in lower case.
        match part.starts_with('%') {
            true => uri.push_str(&part.to_ascii_lowercase()),
            false => uri.push_str(part),
        }
    }
    uri
}

/// Reverses [`to_uri`]; `None` if the id does not have our prefix.
pub(crate) fn from_uri(uri: &str) -> Option<String> {
    percent::decode(uri.strip_prefix(PREFIX)?)
}
