//! Searching by subject: sources and feeds of this node, and feeds of its peers, each listed once.

use std::collections::{HashMap, HashSet};

use pergola_feed::address::masked;
use pergola_store::archive::{ArchiveError, FeedId, SourceId};

use super::Node;
use crate::publish::Form;
use crate::select::{About, Channel, FeedCard, Found, Kind};
use pergola_peers::registry::{Foreign, Heard};
use pergola_port::access::Caller;

/// Results of which those are picked that the caller may see.
const SEARCHED: usize = 800;

impl Node {
    /// What of this node a text is most about, as far as the caller may know it, best first. Blocks.
    pub fn search(
        &self,
        caller: &Caller,
        text: &str,
        limit: usize,
    ) -> Result<Vec<Found>, ArchiveError> {
        let found = self.desk.profiles.search(text, SEARCHED);
        self.told(caller, found, limit, |_| true)
    }

    /// What peers have found, added to what was found here.
    pub fn with_peers(&self, here: Vec<Found>, heard: &Heard, limit: usize) -> Vec<Found> {
        let own = &self.shelf.imprint().node.0;
        joined(here, &heard.found, own, &self.crawler.tools.peers.subscriptions(), limit)
    }

    /// The sources most like a feed that it does not read, as far as the caller may know them. Blocks.
    pub fn suggestions(
        &self,
        caller: &Caller,
        feed: FeedId,
        limit: usize,
    ) -> Result<Vec<Found>, ArchiveError> {
        self.like(caller, feed, limit, |channel| matches!(channel, Channel::Source(_)))
    }

    /// The sources that a feed does not read, and the other feeds, that are most like it, as far as the caller
    /// may know them. Blocks.
    pub fn alike(
        &self,
        caller: &Caller,
        feed: FeedId,
        limit: usize,
    ) -> Result<Vec<Found>, ArchiveError> {
        self.like(caller, feed, limit, |channel| channel != Channel::Feed(feed))
    }

    fn like(
        &self,
        caller: &Caller,
        feed: FeedId,
        limit: usize,
        wanted: impl Fn(Channel) -> bool,
    ) -> Result<Vec<Found>, ArchiveError> {
        let reads: HashSet<SourceId> = self.desk.sources_of(feed).into_iter().collect();
        let most = limit.saturating_add(reads.len()).saturating_add(self.desk.count());
        let similar = self.desk.profiles.similar(feed, most);
        let is_read = |channel| matches!(channel, Channel::Source(id) if reads.contains(&id));
        self.told(caller, similar, limit, |channel| wanted(channel) && !is_read(channel))
    }

    /// Names and addresses of those that the caller may know, at most so many; without those that have gone
    /// meanwhile.
    fn told(
        &self,
        caller: &Caller,
        found: Vec<About>,
        limit: usize,
        wanted: impl Fn(Channel) -> bool,
    ) -> Result<Vec<Found>, ArchiveError> {
        let feeds: HashMap<FeedId, FeedCard> =
            self.feeds_for(caller).into_iter().map(|card| (card.id, card)).collect();
        let shown = |channel| match channel {
            Channel::Source(_) => caller.is_operator(),
            Channel::Feed(id) => feeds.contains_key(&id),
        };
        let shown = found.into_iter().filter(|about| wanted(about.channel) && shown(about.channel));
        let told = shown.take(limit).map(|about| self.found(&feeds, about));
        Ok(told.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    fn found(
        &self,
        feeds: &HashMap<FeedId, FeedCard>,
        about: About,
    ) -> Result<Option<Found>, ArchiveError> {
        let terms = about.terms.into_iter().map(|(text, _)| text).collect();
        let score = about.score;
        Ok(match about.channel {
            Channel::Feed(id) => feeds.get(&id).map(|card| Found {
                kind: Kind::Feed,
                name: card.name.clone(),
                url: self.shelf.imprint().address(&card.name, Form::Page),
                source: None,
                node: None,
                score,
                terms,
            }),
            Channel::Source(id) => match self.archive.source(id)? {
                // Who searches may show the result to others.
                Some(record) if !record.private => {
                    let title = self.archive.state_alone(id)?.and_then(|state| state.title);
                    let link =
                        self.crawler.tools.peers.link(id).filter(|link| link.url == record.url);
                    Some(Found {
                        kind: Kind::Source,
                        url: masked(&record.url).into_owned(),
                        name: record
                            .title
                            .or(title)
                            .unwrap_or_else(|| masked(&record.url).into_owned()),
                        source: Some(id),
                        node: link.and_then(|link| link.node).map(|node| node.name),
                        score,
                        terms,
                    })
                }
                _ => None,
            },
        })
    }
}

/// What was found here and at peers, best first. A peer's feed that is a source here is told as that source; one
/// that two ways lead to is told once; this node is no peer of its own.
fn joined(
    mut here: Vec<Found>,
    foreign: &[Foreign],
    own: &str,
    subscriptions: &HashMap<(String, String), SourceId>,
    limit: usize,
) -> Vec<Found> {
    let mut seen = HashSet::new();
    for feed in foreign.iter().filter(|feed| feed.node.id != own) {
        let by_node = (!feed.node.id.is_empty()).then(|| (feed.node.id.clone(), feed.name.clone()));
        let known = by_node.as_ref().is_some_and(|key| !seen.insert(key.clone()));
        if !seen.insert((String::new(), feed.url.clone())) || known {
            continue;
        }
        let source = by_node.and_then(|key| subscriptions.get(&key).copied());
        let read = here.iter_mut().find(|found| source.is_some() && found.source == source);
        match read {
            Some(read) => read.score = read.score.max(feed.score),
            None => here.push(Found {
                kind: Kind::Peer,
                name: feed.name.clone(),
                url: feed.url.clone(),
                source,
                node: Some(feed.node.name.clone()),
                score: feed.score,
                terms: feed.terms.clone(),
            }),
        }
    }
    here.sort_by(|a, b| b.score.total_cmp(&a.score));
    here.truncate(limit);
    here
}

#[cfg(test)]
mod tests {
    use pergola_manners::link::PeerNode;

    use super::*;

    fn here(name: &str, source: Option<u32>, score: f64) -> Found {
        let kind = if source.is_some() { Kind::Source } else { Kind::Feed };
        let url = format!("http://here.example/{name}");
        let (name, source) = (name.to_owned(), source.map(SourceId));
        Found { kind, name, url, source, node: None, score, terms: Vec::new() }
    }

    fn there(id: &str, name: &str, host: &str, score: f64) -> Foreign {
        let node = PeerNode { id: id.to_owned(), name: format!("node {id}") };
        let url = format!("http://{host}/feeds/{name}");
        Foreign { node, name: name.to_owned(), url, score, terms: Vec::new() }
    }

    fn told(found: &[Found]) -> Vec<(Kind, &str, Option<u32>, f64)> {
        found
            .iter()
            .map(|one| (one.kind, &*one.name, one.source.map(|id| id.0), one.score))
            .collect()
    }

    #[test]
    fn nothing_is_told_twice() {
        let subscriptions = HashMap::from([
            (("a".to_owned(), "Lava".to_owned()), SourceId(3)),
            (("a".to_owned(), "Ash".to_owned()), SourceId(4)),
        ]);
        let foreign = [
            there("a", "Lava", "a.example", 0.9),     // the third source
            there("a", "Ash", "a.example", 0.7),      // a source that was not found here
            there("a", "Ash", "192.0.2.1", 0.7),      // the same node by another way
            there("me", "Mine", "here.example", 1.0), // this node
            there("", "Dust", "old.example", 0.2),    // a node that does not say who it is
            there("", "Dust", "old.example", 0.2),
        ];
        let own = vec![here("Lava of a", Some(3), 0.4), here("Mine", None, 0.8)];
        let found = joined(own.clone(), &foreign, "me", &subscriptions, 10);
        assert_eq!(
            told(&found),
            [
                (Kind::Source, "Lava of a", Some(3), 0.9),
                (Kind::Feed, "Mine", None, 0.8),
                (Kind::Peer, "Ash", Some(4), 0.7),
                (Kind::Peer, "Dust", None, 0.2),
            ]
        );
        assert_eq!(joined(own, &foreign, "me", &subscriptions, 1).len(), 1);
    }
}
