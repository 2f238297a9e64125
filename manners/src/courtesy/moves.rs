//! Permanent redirects: when a source's new address is adopted.

use url::Url;

use super::{Hop, Moved, Step};

/// What the redirects of a good answer say; returns the address that may now be believed.
pub(super) fn adopt<'a>(
    remembered: &mut Option<Moved>,
    asked: &Url,
    hops: &'a [Hop],
    step: Step<'_>,
) -> Option<&'a Url> {
    let before = remembered.take();
    match moved(asked, hops) {
        Move::Stayed => None,
        Move::Encrypted(to) => Some(to),
        Move::Elsewhere(to) => {
            let same = before.filter(|moved| moved.to == to.as_str());
            let since = same.map_or(step.now, |moved| moved.since);
            if step.now - since >= step.rules.adopt_after {
                return Some(to);
            }
            *remembered = Some(Moved { to: to.as_str().to_owned(), since });
            None
        }
    }
}

/// Where a chain of redirects says that the source is now.
#[derive(Debug, PartialEq, Eq)]
enum Move<'a> {
    Stayed,
    /// The same place, encrypted: adopted at once.
    Encrypted(&'a Url),
    /// Another place: adopted when it has been said for long enough.
    Elsewhere(&'a Url),
}

/// Follows the permanent redirects at the start of the chain; the first temporary one ends it.
fn moved<'a>(asked: &Url, hops: &'a [Hop]) -> Move<'a> {
    let mut permanent = hops.iter().take_while(|hop| matches!(hop.status, 301 | 308));
    let Some(first) = permanent.next() else {
        return Move::Stayed;
    };
    if encrypts(asked, &first.to) {
        return Move::Encrypted(&first.to);
    }
    let last = permanent.last().unwrap_or(first);
    // Never from an encrypted address to a plain one, or in a circle.
    if &last.to == asked || (asked.scheme() == "https" && last.to.scheme() != "https") {
        return Move::Stayed;
    }
    Move::Elsewhere(&last.to)
}

/// From http to https: same host, path and query, both on their default ports.
fn encrypts(from: &Url, to: &Url) -> bool {
    from.scheme() == "http"
        && to.scheme() == "https"
        && from.host() == to.host()
        && from.port().is_none()
        && to.port().is_none()
        && from.path() == to.path()
        && from.query() == to.query()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn hops(chain: &[(u16, &str)]) -> Vec<Hop> {
        chain.iter().map(|(status, to)| Hop { status: *status, to: url(to) }).collect()
    }

    #[test]
    fn only_permanent_redirects_from_the_start_count() {
        let asked = url("https://a.example/feed");
        let b = url("https://b.example/feed");
        let permanent_then_temporary =
            hops(&[(301, "https://b.example/feed"), (302, "https://c.example/feed")]);
        assert_eq!(moved(&asked, &permanent_then_temporary), Move::Elsewhere(&b));
        for status in [302, 303, 307] {
            let temporary =
                hops(&[(status, "https://b.example/feed"), (301, "https://c.example/")]);
            assert_eq!(moved(&asked, &temporary), Move::Stayed, "{status}");
        }
    }

    #[test]
    fn encryption_is_the_same_host_path_and_query() {
        let asked = url("http://a.example/feed?x=1");
        let same = hops(&[(301, "https://a.example/feed?x=1")]);
        assert!(matches!(moved(&asked, &same), Move::Encrypted(_)));
        for other in
            ["https://www.a.example/feed?x=1", "https://a.example/?x=1", "https://a.example/feed"]
        {
            assert!(matches!(moved(&asked, &hops(&[(308, other)])), Move::Elsewhere(_)), "{other}");
        }
    }

    #[test]
    fn nobody_is_moved_to_a_plain_address() {
        let asked = url("https://a.example/feed");
        assert_eq!(moved(&asked, &hops(&[(301, "http://b.example/feed")])), Move::Stayed);
    }
}
