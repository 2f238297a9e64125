//! Asking a peer which of its feeds a text is about.
//!
//! What it says is a stranger's: bounded here, made harmless where it is shown, and believed only as far as
//! an order of results goes.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use pergola_feed::address::Shown;
use pergola_manners::link::{Link, PeerNode};
use pergola_proto::v1;
use pergola_proto::v1::syndication_client::SyndicationClient;
use pergola_store::archive::SourceId;
use tonic::{Code, Status};
use url::Url;

use super::Peers;
use super::channel::{Line, NoConnection};

/// Time for a peer to answer.
const PATIENCE: Duration = Duration::from_secs(3);
/// Peers asked at a time.
const PEERS: usize = 8;
/// Bytes of any text that are taken.
const LONGEST: usize = 512;
/// Terms of a feed that are taken.
const TERMS: usize = 12;

/// A feed of another node.
#[derive(Debug, Clone, PartialEq)]
pub struct Foreign {
    /// The node; its id is empty if it did not say it.
    pub node: PeerNode,
    /// The feed's name there.
    pub name: String,
    /// Its address.
    pub url: String,
    /// How much it is about what was asked for, by the peer's own reckoning, from 0 to 1.
    pub score: f64,
    /// What it is about.
    pub terms: Vec<String>,
}

/// What peers have said to a question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Heard {
    /// Feeds that they found.
    pub found: Vec<Foreign>,
    /// Peers that were to be asked.
    pub asked: usize,
    /// Peers that there are besides, too many for one question.
    pub left_out: usize,
    /// Those of the asked that have not answered.
    pub silent: Vec<Silent>,
}

/// A peer that has not answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Silent {
    /// Its name, or its host until it has told its name.
    pub node: String,
    /// Where it is.
    pub url: String,
    /// Why, in words.
    pub why: String,
}

/// A peer that could be asked.
struct Neighbour {
    url: Url,
    name: String,
    /// Why it is not asked for the time being.
    setback: Option<String>,
}

impl Peers {
    /// Asks the peers that are read from, at most eight of them and all at once, which of their feeds a text
    /// is about. Who does not answer in time is passed over, and named.
    /// Calls carry the token of their host: `named` says whether a source was named there.
    pub async fn search(
        &self,
        text: &str,
        limit: u32,
        now: f64,
        named: impl Fn(SourceId, &str) -> bool,
    ) -> Heard {
        if !self.enabled {
            return Heard::default();
        }
        let mut links = self.all();
        links.retain(|(id, link)| named(*id, &link.url));
        let mut neighbours = neighbours(links, now);
        let left_out = neighbours.len().saturating_sub(PEERS);
        neighbours.truncate(PEERS);
        let mut heard = Heard { asked: neighbours.len(), left_out, ..Heard::default() };
        let mut asking = Vec::new();
        for neighbour in neighbours {
            let line = match &neighbour.setback {
                Some(why) => Err(why.clone()),
                None => self.channels.to(&neighbour.url, now).map_err(|error| error.to_string()),
            };
            let (url, text) = (neighbour.url.clone(), text.to_owned());
            let answer = async move { search(line?, url, text, limit).await };
            asking.push((neighbour, tokio::spawn(answer)));
        }
        for (Neighbour { url, name, .. }, answer) in asking {
            match answer.await.unwrap_or_else(|error| Err(error.to_string())) {
                Ok(found) => heard.found.extend(found),
                Err(why) => {
                    tracing::debug!(peer = %Shown(url.as_str()), why, "a peer did not search");
                    let url = url.origin().ascii_serialization();
                    heard.silent.push(Silent { node: name, url, why });
                }
            }
        }
        heard
    }

    /// The sources that are feeds of peers, by the peer's id and the feed's name.
    pub fn subscriptions(&self) -> HashMap<(String, String), SourceId> {
        let named = |(id, link): (SourceId, Link)| Some(((link.node?.id, link.feed), id));
        // Of two sources that are the same feed, the older one.
        self.all().into_iter().rev().filter_map(named).collect()
    }
}

/// The peers behind some sources, one address each, in order.
fn neighbours(links: Vec<(SourceId, Link)>, now: f64) -> Vec<Neighbour> {
    let mut all: BTreeMap<String, Neighbour> = BTreeMap::new();
    for (_, link) in links {
        let Ok(url) = Url::parse(&link.url) else { continue };
        let usable = link.is_usable(&link.url, now);
        let name = link.node.map(|node| node.name).filter(|name| !name.is_empty());
        let name = bounded(name.unwrap_or_else(|| host(&url)));
        let setback = link.setback.filter(|_| !usable).map(|setback| setback.why);
        let known = all.entry(url.origin().ascii_serialization());
        let known = known.or_insert(Neighbour { url, name, setback });
        // One way to it that works is enough.
        if usable {
            known.setback = None;
        }
    }
    all.into_values().collect()
}

/// Asks a peer; if it does not answer in time, or not that, says why.
async fn search(line: Line, url: Url, text: String, limit: u32) -> Result<Vec<Foreign>, String> {
    let mut client = SyndicationClient::new(line);
    let asked = client.search(v1::SearchRequest { text, limit });
    match tokio::time::timeout(PATIENCE, asked).await {
        Ok(Ok(answer)) => Ok(from_wire(answer.into_inner(), &url, limit as usize)),
        Ok(Err(status)) => Err(bounded(reason(&status))),
        Err(_) => Err(format!("no answer within {} s", PATIENCE.as_secs())),
    }
}

fn reason(status: &Status) -> String {
    match (NoConnection::in_chain(status), status.code()) {
        (Some(none), _) => none.to_string(),
        (None, Code::Unimplemented) => "it cannot search; it may be of an older version".to_owned(),
        (None, code) => format!("{code:?}: {}", status.message()),
    }
}

fn host(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}

fn from_wire(answer: v1::SearchResponse, peer: &Url, limit: usize) -> Vec<Foreign> {
    let v1::NodeInfo { id, name, .. } = answer.node.unwrap_or_default();
    let name = if name.is_empty() { host(peer) } else { name };
    let node = PeerNode { id: bounded(id), name: bounded(name) };
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
        assert_eq!(taken[0].node.name, "peer.example");
    }

    #[test]
    fn a_peer_is_asked_once_and_by_any_way_that_works() {
        let link = |url: &str, name: Option<&str>, fails: bool| {
            let mut link = Link::new(url, "F".into());
            link.node = name.map(|name| PeerNode { id: name.to_owned(), name: name.to_owned() });
            if fails {
                link.refused(pergola_manners::link::Refusal::firm("reset"), 0.0, 0.0);
            }
            link
        };
        let links = [
            link("http://b.example/feeds/F", Some("Bee"), true),
            link("http://a.example/feeds/F", Some("Ann"), true),
            link("http://a.example/feeds/G", Some("Ann"), false),
            link("http://c.example:81/feeds/F", None, false),
        ];
        let links = (1..).map(SourceId).zip(links).collect();
        let told: Vec<_> = neighbours(links, 1.0)
            .into_iter()
            .map(|peer| (peer.name, peer.setback.unwrap_or_default()))
            .collect();
        let expected = [("Ann", ""), ("Bee", "reset"), ("c.example", "")];
        assert_eq!(told, expected.map(|(name, why)| (name.to_owned(), why.to_owned())));
    }
}
