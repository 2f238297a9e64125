//! Finds out what a feed reads from its statement and from what its node crawls.

use std::collections::BTreeSet;

use pergola_query::syntax::{FeedBody, SourceRef, Statement};
use url::Url;

use super::seen::Read;

/// Something that a node crawls, as the node tells it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Upstream {
    pub(super) url: String,
    /// The id of the node that publishes it. Empty if it is no feed of a node.
    pub(super) node: String,
    /// The name of the feed at that node.
    pub(super) feed: String,
    /// The name that the crawling node gives it.
    pub(super) title: String,
}

/// What a feed reads directly. An OPML list or a folder stands for everything that its node crawls for it.
pub(super) fn reads(statement: &str, upstreams: &[Upstream]) -> Vec<Read> {
    let known = |url: &str| upstreams.iter().find(|upstream| upstream.url == url);
    let everything = || upstreams.iter().map(|upstream| crawled(&upstream.url, Some(upstream)));
    let Some(body) = body(statement) else { return everything().collect() };
    let mut found = BTreeSet::new();
    for clause in body.sources {
        match clause.source.value {
            SourceRef::Url(url) => _ = found.insert(crawled(&url, known(&url))),
            SourceRef::Feed(name) => _ = found.insert(Read::Own(name)),
            SourceRef::Peer { node, feed } => {
                let url = format!("{}/feeds/{feed}.atom", node.trim_end_matches('/'));
                let node = known(&url).map(|told| told.node.clone()).filter(|id| !id.is_empty());
                found.insert(Read::Peer { url, node, feed, certain: true });
            }
            SourceRef::Opml(_) | SourceRef::Folder(_) => found.extend(everything()),
        }
    }
    found.into_iter().collect()
}

fn body(statement: &str) -> Option<FeedBody> {
    let script = pergola_query::parse(statement).ok()?;
    match script.statements.into_iter().next()?.value {
        Statement::Create(feed) => Some(feed.body),
        _ => None,
    }
}

/// What is at a URL, given what the node tells about it.
fn crawled(url: &str, told: Option<&Upstream>) -> Read {
    if let Some(Upstream { node, feed, .. }) = told.filter(|told| !told.node.is_empty()) {
        let (node, feed) = (Some(node.clone()), feed.clone());
        return Read::Peer { url: url.to_owned(), node, feed, certain: true };
    }
    match feed_at(url) {
        Some(feed) => Read::Peer { url: url.to_owned(), node: None, feed, certain: false },
        None => {
            let title = told.map(|told| told.title.clone()).filter(|title| !title.is_empty());
            Read::Source { url: url.to_owned(), title }
        }
    }
}

/// The name of the feed at a URL, if the URL has the form that nodes use.
fn feed_at(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let name = url.path().rsplit_once("/feeds/")?.1;
    let name =
        [".atom", ".rss", ".json"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    (!name.is_empty() && !name.contains('/') && url.query().is_none()).then(|| name.to_owned())
}

/// The address of the node that publishes at this URL: the part before `/feeds/`.
pub(super) fn origin(url: &str) -> Option<String> {
    let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let origin = url.origin().ascii_serialization();
    let path = url.path().rsplit_once("/feeds/").map_or(url.path(), |(before, _)| before);
    Some(format!("{origin}{}", path.trim_end_matches('/')))
}
