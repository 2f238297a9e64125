//! Asking a peer which of its feeds a text is about.
//!
//! What it says is a stranger's: bounded here, made harmless where it is shown, and believed only as far as
//! an order of results goes.

use std::time::Duration;

use pergola_proto::v1;
use pergola_proto::v1::syndication_client::SyndicationClient;
use url::Url;

use super::channel::Line;

/// Time for a peer to answer.
const PATIENCE: Duration = Duration::from_secs(3);
/// Bytes of any text that are taken.
const LONGEST: usize = 512;
/// Terms of a feed that are taken.
const TERMS: usize = 12;

/// A feed of another node.
#[derive(Debug, Clone, PartialEq)]
pub struct Foreign {
    /// The node, by its name for people.
    pub node: String,
    /// The feed's name there.
    pub name: String,
    /// Its address.
    pub url: String,
    /// How much it is about what was asked for, by the peer's own reckoning, from 0 to 1.
    pub score: f64,
    /// What it is about.
    pub terms: Vec<String>,
}

/// Asks a peer; nothing if it does not answer in time, or not that.
pub(super) async fn search(channel: Line, url: Url, text: String, limit: u32) -> Vec<Foreign> {
    let mut client = SyndicationClient::new(channel);
    let asked = client.search(v1::SearchRequest { text, limit });
    match tokio::time::timeout(PATIENCE, asked).await {
        Ok(Ok(answer)) => from_wire(answer.into_inner(), &url, limit as usize),
        Ok(Err(status)) => {
            tracing::debug!(peer = %url, %status, "a peer did not search");
            Vec::new()
        }
        Err(_) => {
            tracing::debug!(peer = %url, "a peer did not search in time");
            Vec::new()
        }
    }
}

fn from_wire(answer: v1::SearchResponse, peer: &Url, limit: usize) -> Vec<Foreign> {
    let node = answer.node.map(|node| node.name).filter(|name| !name.is_empty());
    let node = bounded(node.unwrap_or_else(|| peer.host_str().unwrap_or_default().to_owned()));
    let foreign = |found: v1::FoundFeed| {
        let feed = found.feed?;
        let url =
            Url::parse(&feed.url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        let terms = found.terms.into_iter().take(TERMS).map(|term| bounded(term.text)).collect();
        let score = if found.score.is_finite() { found.score.clamp(0.0, 1.0) } else { 0.0 };
        Some(Foreign {
            node: node.clone(),
            name: bounded(feed.name),
            url: url.into(),
            score,
            terms,
        })
    };
    answer.found.into_iter().take(limit).filter_map(foreign).collect()
}

fn bounded(mut text: String) -> String {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_peer_says_is_bounded_and_checked() {
        let feed = |url: &str, score: f64| v1::FoundFeed {
            feed: Some(v1::FeedInfo {
                name: "é".repeat(1000),
                url: url.to_owned(),
                ..v1::FeedInfo::default()
            }),
            score,
            terms: vec![v1::Term { text: "x".into(), weight: 1.0 }; 100],
        };
        let found = vec![
            feed("https://peer.example/feeds/a", f64::NAN),
            feed("javascript:alert(1)", 1.0),
            feed("https://peer.example/feeds/b", 7.0),
            feed("https://peer.example/feeds/c", 0.5),
        ];
        let answer = v1::SearchResponse { node: None, found };
        let peer = Url::parse("https://peer.example/feeds/x").unwrap();
        let taken = from_wire(answer, &peer, 3);
        let scores: Vec<f64> = taken.iter().map(|found| found.score).collect();
        assert_eq!(scores, [0.0, 1.0]);
        assert_eq!((taken[0].name.len(), taken[0].terms.len()), (512, 12));
        assert_eq!(taken[0].node, "peer.example");
    }
}
