//! What a request's headers ask for: a fresh copy or none, gzip or plain.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::http::HeaderMap;
use axum::http::header::{ACCEPT_ENCODING, IF_MODIFIED_SINCE, IF_NONE_MATCH};

/// The last second that HTTP can write.
const LAST_SECOND: f64 = 253_402_300_799.0;

/// Whether the copy that the client holds is still good. `tag` is the entity tag without quotes; the
/// tags of the encodings differ by a suffix, and any of them proves that the copy is current.
pub(super) fn copy_is_fresh(headers: &HeaderMap, tag: &str, modified: f64) -> bool {
    // A tag decides alone: dates have whole seconds only.
    if headers.contains_key(IF_NONE_MATCH) {
        let tags = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        return tags.flat_map(|list| list.split(',')).map(str::trim).any(|given| {
            let given = given.strip_prefix("W/").unwrap_or(given).trim_matches('"');
            given == "*" || given == tag || given.strip_suffix("-gzip") == Some(tag)
        });
    }
    let since = headers.get(IF_MODIFIED_SINCE).and_then(|value| value.to_str().ok());
    let since = since.and_then(|text| httpdate::parse_http_date(text).ok());
    since.is_some_and(|since| http_time(modified) <= since)
}

/// Whether the client takes gzip.
pub(super) fn accepts_gzip(headers: &HeaderMap) -> bool {
    let lists = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let mut any = None;
    for entry in lists.flat_map(|list| list.split(',')) {
        let mut parts = entry.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default().to_ascii_lowercase();
        let quality = parts.find_map(|part| part.strip_prefix("q=")).map_or(Ok(1.0), str::parse);
        let wanted = quality.is_ok_and(|quality: f64| quality > 0.0);
        match name.as_str() {
            "gzip" | "x-gzip" => return wanted,
            "*" => any = Some(wanted),
            _ => {}
        }
    }
    any.unwrap_or(false)
}

/// An instant as HTTP writes it.
pub(super) fn http_date(instant: f64) -> String {
    httpdate::fmt_http_date(http_time(instant))
}

fn http_time(instant: f64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(instant.clamp(0.0, LAST_SECOND) as u64)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderName;

    use super::*;

    fn headers(name: HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, value.parse().unwrap())])
    }

    #[test]
    fn gzip_is_sent_to_those_who_take_it() {
        let takes = |list| accepts_gzip(&headers(ACCEPT_ENCODING, list));
        assert!(takes("gzip") && takes("br, gzip;q=0.5") && takes("*") && takes("GZIP; q=1"));
        assert!(!takes("br") && !takes("gzip;q=0, *") && !takes("identity") && !takes("*;q=0"));
        assert!(!accepts_gzip(&HeaderMap::new()) && !takes("gzip;q=much"));
    }

    #[test]
    fn a_tag_decides_before_a_date_does() {
        let fresh = |value| copy_is_fresh(&headers(IF_NONE_MATCH, value), "a1", 50.0);
        assert!(fresh("\"a1\"") && fresh("W/\"a1\"") && fresh("\"x\", \"a1-gzip\"") && fresh("*"));
        assert!(!fresh("\"a2\"") && !fresh(""));
        let mut both = headers(IF_NONE_MATCH, "\"a2\"");
        both.insert(IF_MODIFIED_SINCE, http_date(1e9).parse().unwrap());
        assert!(!copy_is_fresh(&both, "a1", 50.0));
    }

    #[test]
    fn a_date_is_compared_by_the_second() {
        let fresh =
            |since: &str| copy_is_fresh(&headers(IF_MODIFIED_SINCE, since), "a1", 1e9 + 0.7);
        assert!(fresh(&http_date(1e9)) && fresh(&http_date(1e9 + 60.0)));
        assert!(!fresh(&http_date(1e9 - 1.0)) && !fresh("yesterday"));
    }

    #[test]
    fn no_instant_is_too_strange_for_a_date() {
        for instant in [f64::NAN, f64::INFINITY, -5.0, 1e300] {
            assert!(http_date(instant).ends_with("GMT"));
        }
    }
}
