//! On whose behalf a request is made, and what it may reach for that reason.
//!
//! Permission belongs to whoever was named by the operator: a source, or a list of sources. Its own host may be in
//! a private network that the configuration allows, and its own origin is shown the tokens and certificates that
//! the configuration gives for it. Whatever a document or an answer leads to (a redirect, an archive, a hub, the
//! feed of a page, a member of a list) gets neither, unless it is the same host or the same origin.
//!
//! Never: permission that comes back after a request has been led elsewhere.

use url::Url;

/// What a request may reach beyond what is public.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mandate {
    named: Vec<Url>,
}

impl Mandate {
    /// For something that nobody has named: only what is public.
    pub fn none() -> Self {
        Self::default()
    }

    /// For something at an address that was named.
    pub fn of(url: &Url) -> Self {
        Self { named: vec![url.clone()] }
    }

    /// For something that several have named.
    pub fn of_all(urls: impl IntoIterator<Item = Url>) -> Self {
        Self { named: urls.into_iter().collect() }
    }

    /// Whether the host of an address was named, so that it may be private.
    pub fn names_host(&self, url: &Url) -> bool {
        self.named.iter().any(|named| same_host(named, url))
    }

    /// Whether the origin of an address was named, so that it may be shown credentials. What was named with
    /// `http://` is also meant with `https://`.
    pub fn names_origin(&self, url: &Url) -> bool {
        self.named.iter().any(|named| same_origin(named, url) || is_encrypted(named, url))
    }

    /// What is left when a request is led to another address: all on the same host, and nothing elsewhere.
    pub fn after(self, to: &Url) -> Self {
        if self.names_host(to) { self } else { Self::none() }
    }
}

fn same_host(one: &Url, other: &Url) -> bool {
    fn name(url: &Url) -> Option<&str> {
        url.host_str().map(|host| host.trim_end_matches('.'))
    }
    name(one).is_some() && name(one) == name(other)
}

/// Of addresses with a host; others have an origin of their own.
fn same_origin(one: &Url, other: &Url) -> bool {
    one.has_host()
        && one.scheme() == other.scheme()
        && one.host_str() == other.host_str()
        && one.port_or_known_default() == other.port_or_known_default()
}

/// The same host over TLS, both on their usual ports.
fn is_encrypted(plain: &Url, url: &Url) -> bool {
    (plain.scheme(), url.scheme()) == ("http", "https")
        && plain.port().is_none()
        && url.port().is_none()
        && same_host(plain, url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn a_named_host_may_be_private_on_any_port_and_no_other_host() {
        let mandate = Mandate::of(&url("http://nas:8080/feed"));
        for same in ["http://nas:8080/", "https://NAS/", "http://nas.:9/x"] {
            assert!(mandate.names_host(&url(same)), "{same}");
        }
        for other in ["http://nas.example/", "http://10.0.0.7/", "http://localhost/"] {
            assert!(!mandate.names_host(&url(other)), "{other}");
        }
        assert!(!Mandate::none().names_host(&url("http://nas:8080/feed")));
    }

    #[test]
    fn credentials_are_for_exactly_the_named_origin_or_the_same_over_tls() {
        let plain = Mandate::of(&url("http://peer.example/feeds/A"));
        for same in
            ["http://peer.example/other", "https://peer.example/", "https://peer.example:443/"]
        {
            assert!(plain.names_origin(&url(same)), "{same}");
        }
        for other in
            ["https://peer.example:8443/", "http://peer.example:81/", "http://www.peer.example/"]
        {
            assert!(!plain.names_origin(&url(other)), "{other}");
        }
        let secure = Mandate::of(&url("https://peer.example/"));
        assert!(!secure.names_origin(&url("http://peer.example/")), "never back to plain HTTP");
        let odd = Mandate::of(&url("http://peer.example:8080/"));
        assert!(!odd.names_origin(&url("https://peer.example/")));
    }

    #[test]
    fn a_request_that_was_led_elsewhere_gets_nothing_back() {
        let home = url("https://peer.example/feeds/A");
        let mandate = Mandate::of(&home);
        assert_eq!(mandate.clone().after(&url("https://peer.example/feeds/B")), mandate);
        let led = mandate.after(&url("https://evil.example/"));
        assert_eq!(led.clone().after(&home), Mandate::none());
        assert!(!led.names_origin(&home));
    }
}
