//! What all sources and feeds are about, in the form that topology-gen wires a mesh from: keywords that were
//! learnt from what was published, not declared.

use std::collections::HashSet;
use std::sync::Arc;

use axum::Json as Answer;
use axum::extract::State;
use pergola_refresh::{DAY, PublicationModel};
use pergola_store::archive::SourceKind;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::asked::Asking;
use super::work::blocking;
use crate::node::Node;
use crate::publish::Problem;
use crate::select::Channel;

/// Words of each, unless another number is asked for, and at most.
const USUAL: usize = 12;
const MOST: usize = 100;

/// Bytes of a name, without the number that may follow.
const LONGEST_NAME: usize = 80;
/// What a node is called that was given no name.
const UNNAMED: &str = "pergola";

/// How much is told.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(super) struct AskedWords {
    /// Words of each source and feed at most; 12 unless said, 100 at most.
    words: Option<usize>,
}

/// Sources and feeds by what they are about.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct LearntMesh {
    /// Sources of which something was learnt.
    sources: Vec<LearntSource>,
    /// Feeds of which something was learnt, or whose query names words.
    feeds: Vec<LearntFeed>,
}

#[derive(Debug, Serialize, ToSchema)]
struct LearntSource {
    /// Its title, made of letters, digits and hyphens, and unlike all other names.
    name: String,
    /// Where it is.
    url: String,
    /// Its heaviest words, heaviest first.
    keywords: Vec<String>,
    /// Items a day, as far as is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    items_per_day: Option<f64>,
    /// If it is a feed of another node, what that is called across nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
struct LearntFeed {
    /// Its name, made of letters, digits, hyphens and underscores.
    name: String,
    /// What it is called across nodes: the id of this one, and its name.
    channel: String,
    /// The name of this node, made likewise; with a part of its id if nobody has given it one.
    node: String,
    /// Its heaviest words, heaviest first; while it has published nothing, those its query asks for.
    keywords: Vec<String>,
}

/// What all sources and feeds are about, as topology-gen reads it.
#[utoipa::path(get, path = "/api/v1/profiles", params(AskedWords), security(("token" = [])),
    responses((status = 200, body = LearntMesh)))]
pub(super) async fn mesh(
    State(node): State<Arc<Node>>,
    Asking(asked): Asking<AskedWords>,
) -> Result<Answer<LearntMesh>, Problem> {
    let most = asked.words.unwrap_or(USUAL).clamp(1, MOST);
    blocking(move || {
        let mut names = HashSet::new();
        // Feeds first, because they have the names that people know.
        let feeds = feeds(&node, most, &mut names);
        let mut sources = Vec::new();
        for (id, record) in node.archive.sources()? {
            let keywords = words(&node, Channel::Source(id), most);
            if record.kind == SourceKind::List || keywords.is_empty() {
                continue;
            }
            let title = node.archive.state_alone(id)?.and_then(|state| state.title);
            let title = record.title.or(title).unwrap_or_else(|| record.url.clone());
            let name = unlike(&mut names, plain(&title, "source"), id.0);
            let known = node.crawler.roster().schedule(id);
            let items_per_day = known.map(|known| known.model.mean_rate() * DAY);
            let link = node.crawler.tools.peers.link(id).filter(|link| link.url == record.url);
            let channel = link.and_then(|link| Some(channel(&link.node?.id, &link.feed)));
            sources.push(LearntSource { name, url: record.url, keywords, items_per_day, channel });
        }
        Ok(Answer(LearntMesh { sources, feeds }))
    })
    .await
}

fn feeds(node: &Node, most: usize, names: &mut HashSet<String>) -> Vec<LearntFeed> {
    let imprint = node.shelf.imprint();
    let host = match imprint.name.as_str() {
        UNNAMED => plain(&format!("{UNNAMED}-{:.8}", imprint.node.0), UNNAMED),
        name => plain(name, UNNAMED),
    };
    let mut feeds = Vec::new();
    for card in node.desk.feeds() {
        let mut keywords = words(node, Channel::Feed(card.id), most);
        if keywords.is_empty() {
            keywords = pergola_query::profile(&card.body).into_iter().collect();
        }
        if !keywords.is_empty() {
            let name = unlike(names, plain(&card.name, "feed"), card.id.0);
            let channel = channel(&imprint.node.0, &card.name);
            feeds.push(LearntFeed { name, channel, node: host.clone(), keywords });
        }
    }
    feeds
}

/// What a feed is called across nodes.
fn channel(node: &str, feed: &str) -> String {
    format!("{node}/{feed}")
}

/// What is left of a name where only letters, digits, hyphens and underscores can be; `instead` if nothing is.
fn plain(name: &str, instead: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let parts = name.split(|c| !is_plain(c)).filter(|part| !part.is_empty());
    let mut plain = parts.collect::<Vec<_>>().join("-");
    plain.truncate(LONGEST_NAME);
    if plain.is_empty() { instead.to_owned() } else { plain }
}

/// The name, or one with a number that nothing else has.
fn unlike(names: &mut HashSet<String>, name: String, number: u32) -> String {
    let mut unlike = name.clone();
    while !names.insert(unlike.clone()) {
        unlike = format!("{unlike}-{number}");
    }
    unlike
}

/// The heaviest words; pairs of them are no keywords.
fn words(node: &Node, channel: Channel, most: usize) -> Vec<String> {
    let terms = node.desk.profiles.about(channel, 4 * most).unwrap_or_default().0.into_iter();
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
