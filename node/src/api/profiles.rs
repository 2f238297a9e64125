//! What all sources and feeds are about, in the file format of topology-gen: keywords that the node learnt
//! from what was published.

use std::collections::HashSet;
use std::sync::Arc;

use axum::Json as Answer;
use axum::extract::State;
use pergola_api::mesh::{MeshFeed, MeshFile, MeshSource, ProfilesRequest};

use super::request::Parameters;
use super::work::blocking;
use crate::node::{Node, Upstream};
use crate::publish::Refusal;
use crate::select::Channel;

/// Words of each source and feed by default, and at most.
const USUAL: usize = 12;
const MOST: usize = 100;

/// Bytes of a name, without the number that may follow.
const LONGEST_NAME: usize = 80;
/// The name of a node that was given none.
const UNNAMED: &str = "pergola";

pub(super) async fn mesh(
    State(node): State<Arc<Node>>,
    Parameters(request): Parameters<ProfilesRequest>,
) -> Result<Answer<MeshFile>, Refusal> {
    let most = request.words.unwrap_or(USUAL).clamp(1, MOST);
    blocking(node.blocking(), move || {
        let mut names = HashSet::new();
        // Feeds first: they get the names that people know.
        let feeds = feeds(&node, most, &mut names);
        let mut sources = Vec::new();
        for upstream in node.all_upstreams()? {
            let Upstream { id, url, private, title, items_per_day, link, .. } = upstream;
            let keywords = words(&node, Channel::Source(id), most);
            if keywords.is_empty() || private {
                continue;
            }
            let title = title.unwrap_or_else(|| url.clone());
            let name = unlike(&mut names, plain(&title, "source"), id.0);
            let channel = link.and_then(|link| Some(channel(&link.node?.id, &link.feed)));
            let url = Some(url);
            sources.push(MeshSource { name, url, keywords, items_per_day, channel });
        }
        Ok(Answer(MeshFile { sources, feeds, ..MeshFile::default() }))
    })
    .await
}

fn feeds(node: &Node, most: usize, names: &mut HashSet<String>) -> Vec<MeshFeed> {
    let imprint = node.imprint();
    let host = match imprint.name.as_str() {
        UNNAMED => plain(&format!("{UNNAMED}-{:.8}", imprint.node.0), UNNAMED),
        name => plain(name, UNNAMED),
    };
    let mut feeds = Vec::new();
    for card in node.feeds() {
        let mut keywords = words(node, Channel::Feed(card.id), most);
        if keywords.is_empty() {
            keywords = pergola_query::profile(&card.body).into_iter().collect();
        }
        if !keywords.is_empty() {
            let name = unlike(names, plain(&card.name, "feed"), card.id.0);
            let channel = Some(channel(&imprint.node.0, &card.name));
            let node = Some(host.clone());
            feeds.push(MeshFeed { name, channel, node, keywords, query: None });
        }
    }
    feeds
}

/// What identifies a feed across nodes.
fn channel(node: &str, feed: &str) -> String {
    format!("{node}/{feed}")
}

/// The name with nothing but letters, digits, hyphens and underscores; `instead` if nothing is left.
fn plain(name: &str, instead: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let parts = name.split(|c| !is_plain(c)).filter(|part| !part.is_empty());
    let mut plain = parts.collect::<Vec<_>>().join("-");
    plain.truncate(LONGEST_NAME);
    if plain.is_empty() { instead.to_owned() } else { plain }
}

/// The name, with a number added if it is taken.
fn unlike(names: &mut HashSet<String>, name: String, number: u32) -> String {
    let mut unlike = name.clone();
    while !names.insert(unlike.clone()) {
        unlike = format!("{unlike}-{number}");
    }
    unlike
}

/// The most typical words; pairs of words are not keywords.
fn words(node: &Node, channel: Channel, most: usize) -> Vec<String> {
    let terms = node.about(channel, 4 * most).unwrap_or_default().0.into_iter();
    terms.map(|(text, _)| text).filter(|text| !text.contains(' ')).take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_a_mesh_file_takes_and_none_is_there_twice() {
        for (name, expected) in [
            ("Volcano News", "Volcano-News"),
            ("https://blog.example.org/feed.xml", "https-blog-example-org-feed-xml"),
            ("  «Ash» & lava  ", "Ash-lava"),
            ("Вулканы", "source"),
            ("", "source"),
        ] {
            assert_eq!(plain(name, "source"), expected);
        }
        assert_eq!(plain(&"long ".repeat(50), "source").len(), 80);
        let mut names = HashSet::new();
        let mut made = |name: &str, number| unlike(&mut names, name.to_owned(), number);
        assert_eq!(
            [made("News", 1), made("News", 2), made("News-2", 2)],
            ["News", "News-2", "News-2-2"]
        );
    }
}
