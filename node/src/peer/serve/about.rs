//! What can be said of a node and its feeds.

use std::collections::HashMap;

use pergola_manners::hints::Hints;
use pergola_proto::v1;
use pergola_store::archive::{ArchiveError, FeedId};

use super::changed_at;
use crate::node::{Node, Outlook, Upstream};
use crate::publish::{Form, Imprint, Listing};
use crate::select::Channel;
use pergola_outside::locks::Mutex;
use pergola_peers::wire::hints_to_wire;

/// Sources told of one feed.
const UPSTREAMS: usize = 1_000;
/// Terms told of what a feed is about.
const LEARNT: usize = 40;
/// Sources and feeds among which a search picks the feeds that the caller may read.
const SEARCHED: usize = 500;
/// Seconds for which an estimate is good enough: it is made of many sources and moves slowly.
const ESTIMATE_AGE: f64 = 30.0;
/// Feeds of which estimates are remembered; beyond, all are forgotten and made again.
const REMEMBERED: usize = 20_000;

/// The node that answers.
pub(super) fn node_info(imprint: &Imprint) -> v1::NodeInfo {
    v1::NodeInfo {
        id: imprint.node.0.clone(),
        name: imprint.name.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        public_url: imprint.public_url.to_string(),
    }
}

/// A feed in a few words.
pub(super) fn feed_info(imprint: &Imprint, feed: &Listing) -> v1::FeedInfo {
    v1::FeedInfo {
        name: feed.name.clone(),
        url: imprint.address(&feed.name, Form::Page),
        window: u32::try_from(feed.window).unwrap_or(u32::MAX),
        published: feed.tally.next,
        changed_at_ms: changed_at(&feed.tally),
    }
}

/// A feed in full. Blocks.
pub(super) fn description(
    node: &Node,
    feed: &Listing,
    outlook: Outlook,
    operator: bool,
) -> Result<v1::DescribeResponse, ArchiveError> {
    let card = node.feed(&feed.name);
    let keywords = card.map(|card| pergola_query::profile(&card.body).into_iter().collect());
    let imprint = node.imprint();
    Ok(v1::DescribeResponse {
        node: Some(node_info(imprint)),
        feed: Some(feed_info(imprint, feed)),
        query: feed.statement.clone(),
        profile: keywords.map(|keywords| profile(node, feed.id, keywords)),
        hints: Some(hints_to_wire(hints(node, feed.id, outlook))),
        upstreams: if operator { upstreams(node, feed.id)? } else { Vec::new() },
    })
}

/// What a feed asks for, and what it is about.
fn profile(node: &Node, feed: FeedId, keywords: Vec<String>) -> v1::Profile {
    let about = node.about(Channel::Feed(feed), LEARNT);
    let (learnt, cohesion) = about.unwrap_or_default();
    let cohesion = (cohesion > 0.0).then_some(cohesion);
    v1::Profile { keywords, learnt: terms_to_wire(learnt), cohesion }
}

fn terms_to_wire(terms: Vec<(String, f64)>) -> Vec<v1::Term> {
    terms.into_iter().map(|(text, weight)| v1::Term { text, weight }).collect()
}

/// The feeds that a text is most about, among those that `shown` lets through.
pub(super) fn found(
    node: &Node,
    text: &str,
    limit: usize,
    shown: impl Fn(FeedId) -> bool,
) -> v1::SearchResponse {
    let imprint = node.imprint();
    let names: HashMap<FeedId, Listing> = node
        .listings()
        .into_iter()
        .filter(|feed| shown(feed.id))
        .map(|feed| (feed.id, feed))
        .collect();
    let feeds = node.most_about(text, SEARCHED).into_iter().filter_map(|about| {
        let Channel::Feed(id) = about.channel else { return None };
        let feed = Some(feed_info(imprint, names.get(&id)?));
        Some(v1::FoundFeed { feed, score: about.score, terms: terms_to_wire(about.terms) })
    });
    v1::SearchResponse { node: Some(node_info(imprint)), found: feeds.take(limit).collect() }
}

fn upstreams(node: &Node, feed: FeedId) -> Result<Vec<v1::Upstream>, ArchiveError> {
    let told = |upstream: Upstream| {
        let Upstream { url, title, share, items_per_day, link, .. } = upstream;
        let (peer, feed) = link.map(|link| (link.node, link.feed)).unwrap_or_default();
        v1::Upstream {
            title: title.unwrap_or_default(),
            url,
            node: peer.map(|peer| peer.id).unwrap_or_default(),
            feed,
            selectivity: share,
            items_per_day,
        }
    };
    let upstreams = node.upstreams(feed, UPSTREAMS)?.into_iter();
    Ok(upstreams.filter(|upstream| !upstream.private).map(told).collect())
}

fn hints(node: &Node, feed: FeedId, outlook: Outlook) -> Hints {
    Hints {
        items_per_day: Some(outlook.items_per_day),
        completeness: outlook.completeness,
        freshness: outlook.freshness,
        planned: node.planned_refreshes(feed),
        now: node.clock.now(),
    }
}

/// What was estimated lately of feeds, for all who ask.
#[derive(Default)]
pub(super) struct Estimates {
    known: Mutex<HashMap<FeedId, (f64, Outlook)>>,
}

impl Estimates {
    /// How busy and how good a feed is. Blocks.
    pub(super) fn of(&self, node: &Node, feed: FeedId) -> Result<Outlook, ArchiveError> {
        let now = node.clock.now();
        let known = self.known.lock().get(&feed).copied();
        if let Some((at, outlook)) = known
            && now - at < ESTIMATE_AGE
        {
            return Ok(outlook);
        }
        let outlook = node.outlook(feed)?;
        let mut known = self.known.lock();
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(feed, (now, outlook));
        Ok(outlook)
    }

    /// When a feed may have news. Blocks.
    pub(super) fn hints(&self, node: &Node, feed: FeedId) -> Result<Hints, ArchiveError> {
        Ok(hints(node, feed, self.of(node, feed)?))
    }
}
