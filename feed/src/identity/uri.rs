//! Ids as URIs, which Atom demands, and ids that name the feed they come from.
//!
//! An id such as `1` means something within its feed only. So it is published together with the identity of
//! that feed: `urn:pergola:item:<identity>:1`. Whoever merges feeds gets different ids for different items,
//! and the same id for the same item, whichever route it took.

use crate::model::{ItemId, OriginId};
use crate::percent;

/// The prefix of ids that are not URIs.
const PREFIX: &str = "urn:pergola:id:";
/// The prefix of ids that name their origin.
const ORIGIN_PREFIX: &str = "urn:pergola:item:";
/// What ids begin with that mean the same everywhere.
const EVERYWHERE: [&str; 10] =
    ["http://", "https://", "ftp://", "tag:", "urn:", "doi:", "oai:", "info:", "yt:", "at://"];

/// Whether an id means the same everywhere: an address, or a name that somebody hands out worldwide.
pub fn is_global(id: &ItemId) -> bool {
    EVERYWHERE.iter().any(|scheme| id.0.starts_with(scheme))
}

/// The id under which an item is published: its own if that means the same everywhere, else together with the
/// feed it comes from.
pub fn published(id: &ItemId, origin: OriginId) -> ItemId {
    if is_global(id) {
        return id.clone();
    }
    ItemId(encoded(format!("{ORIGIN_PREFIX}{origin}:"), &id.0))
}

/// Reverses [`published`]; `None` if the id does not name its origin.
pub fn original(id: &ItemId) -> Option<(OriginId, ItemId)> {
    let (origin, own) = id.0.strip_prefix(ORIGIN_PREFIX)?.split_once(':')?;
    let own = percent::decode(own).filter(|own| !own.is_empty())?;
    Some((OriginId::parse(origin)?, ItemId(own)))
}

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
    encoded(PREFIX.to_owned(), id)
}

/// Reverses [`to_uri`]; `None` if the id does not have our prefix.
pub(crate) fn from_uri(uri: &str) -> Option<String> {
    percent::decode(uri.strip_prefix(PREFIX)?)
}

/// The id percent-encoded after a prefix.
fn encoded(mut prefix: String, id: &str) -> String {
    for part in percent::encode(id) {
        // Readers compare ids byte by byte, and these have always been in lower case.
        match part.starts_with('%') {
            true => prefix.push_str(&part.to_ascii_lowercase()),
            false => prefix.push_str(part),
        }
    }
    prefix
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> ItemId {
        ItemId(text.into())
    }

    #[test]
    fn an_id_of_one_feed_is_published_with_that_feed() {
        let (one, other) = (OriginId(1), OriginId(u128::MAX));
        let published_one = published(&id("1"), one);
        assert_eq!(published_one.0, "urn:pergola:item:00000000000000000000000000000001:1");
        assert_ne!(published_one, published(&id("1"), other));
        for text in ["1", "Ünï cöde", "post:7", "a/b?c#d", "%31", "urn", " "] {
            let there = published(&id(text), other);
            assert_eq!(original(&there), Some((other, id(text))), "{there}");
            assert_eq!(to_uri(&there.0), there.0, "it is a URI");
            assert_eq!(published(&there, one), there, "once and for all");
        }
    }

    #[test]
    fn an_id_that_is_a_uri_stays_as_it_is() {
        for text in [
            "https://example.org/1",
            "http://example.org/?p=1",
            "tag:example.org,2026:1",
            "urn:uuid:1225c695-cfb8-4ebb-aaaa-80da344efa6a",
            "urn:pergola:digest:00000000000000000000000000000001",
            "yt:video:dQw4w9WgXcQ",
            "oai:arXiv.org:2401.00001v1",
        ] {
            assert_eq!(published(&id(text), OriginId(1)).0, text);
        }
    }

    #[test]
    fn what_only_looks_like_one_of_our_ids_is_an_id_like_any_other() {
        for text in ["", "1", "00:1", "0000000000000000000000000000000g:1"] {
            assert_eq!(original(&id(&format!("{ORIGIN_PREFIX}{text}"))), None, "{text}");
        }
        let nothing = format!("{ORIGIN_PREFIX}{}:", OriginId(1));
        assert_eq!(original(&id(&nothing)), None);
        assert_eq!(original(&id("urn:pergola:id:1")), None);
    }
}
