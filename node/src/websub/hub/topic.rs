//! Which feed a topic means.
//!
//! A topic is the address of a feed in any of its forms, at the node's public address or at the one that the
//! request itself came to: a reader on the same machine may know the node by another name.

use pergola_store::archive::FeedId;
use url::Url;

use crate::publish::{Form, Shelf};

/// The feed that a topic means, in the form that is sent.
///
/// # Errors
/// Why nobody can subscribe to it, in words for the subscriber.
pub(super) fn feed_of(
    shelf: &Shelf,
    topic: &str,
    asked_at: Option<&str>,
) -> Result<(FeedId, Form), &'static str> {
    let unknown = "this node publishes no feed under that address";
    let path = path_here(topic, &shelf.imprint().public_url, asked_at).ok_or(unknown)?;
    shelf.feed_at(&path).ok_or(unknown)
}

/// The path below the node's own address, if the topic is there.
fn path_here(topic: &str, public: &Url, asked_at: Option<&str>) -> Option<String> {
    let url = Url::parse(topic).ok()?;
    if url.query().is_some() || url.fragment().is_some() || !url.username().is_empty() {
        return None;
    }
    let base = public.path().trim_end_matches('/');
    if url.origin() == public.origin()
        && let Some(path) = url.path().strip_prefix(base)
    {
        return Some(path.to_owned());
    }
    // At the host of the request, with or without the default port.
    let host = url.host_str()?;
    let port = url.port_or_known_default()?;
    let authority = url.port().map_or(host.to_owned(), |port| format!("{host}:{port}"));
    let asked = asked_at?.to_ascii_lowercase();
    (asked == authority || asked == format!("{host}:{port}")).then(|| url.path().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(topic: &str, public: &str, asked: Option<&str>) -> Option<String> {
        path_here(topic, &Url::parse(public).unwrap(), asked)
    }

    #[test]
    fn a_topic_is_found_by_the_public_address_and_by_that_of_the_request() {
        let public = "https://node.example/mesh/";
        let atom = Some("/feeds/News.atom".to_owned());
        assert_eq!(path("https://node.example/mesh/feeds/News.atom", public, None), atom);
        assert_eq!(path("https://NODE.example:443/mesh/feeds/News.atom", public, None), atom);
        assert_eq!(
            path("http://127.0.0.1:8080/feeds/News.atom", public, Some("127.0.0.1:8080")),
            atom
        );
        assert_eq!(path("http://node/feeds/News.atom", public, Some("Node:80")), atom);
        assert_eq!(path("http://node:80/feeds/News.atom", public, Some("node")), atom);
    }

    #[test]
    fn other_addresses_are_not_ours() {
        let public = "https://node.example/mesh/";
        for topic in [
            "https://node.example/feeds/News.atom",
            "http://node.example/mesh/feeds/News.atom",
            "https://other.example/mesh/feeds/News.atom",
            "https://node.example/mesh/feeds/News.atom?x",
            "https://me@node.example/mesh/feeds/News.atom",
        ] {
            assert_eq!(path(topic, public, Some("10.0.0.1")), None, "{topic}");
        }
    }
}
