//! Search by what sources and feeds are about, here and at peers, and sources that a feed might read.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use axum::Json as Answer;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::asked::{Asking, Named, bad_request};
use super::feeds::card;
use super::work::blocking;
use crate::access::Caller;
use crate::archive::{ArchiveError, FeedId, SourceId};
use crate::node::Node;
use crate::peer::Foreign;
use crate::publish::{Form, Problem};
use crate::select::{About, Channel, FeedCard};

/// Results, unless another number is asked for, and at most.
const USUAL: usize = 20;
const MOST: usize = 200;
/// Bytes of a text that is searched for.
const LONGEST: usize = 1_000;
/// Peers asked for one search.
const PEERS: usize = 8;

/// What is searched for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(super) struct AskedSearch {
    /// Words, as a person types them; at most 1000 bytes.
    q: String,
    /// Results at most; 20 unless said, 200 at most.
    limit: Option<usize>,
    /// Whether peers that this node reads from are asked as well; for the operator only.
    #[serde(default)]
    peers: bool,
}

/// How many suggestions are asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(super) struct AskedNumber {
    /// Results at most; 20 unless said, 200 at most.
    limit: Option<usize>,
}

/// What was found, best first.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct FoundList {
    /// Sources, feeds, and feeds of peers.
    found: Vec<FoundOne>,
}

/// A source or a feed that was found.
#[derive(Debug, Serialize, ToSchema)]
struct FoundOne {
    /// `source`, `feed`, or `peer` for a feed of another node.
    kind: &'static str,
    /// Its name or title.
    name: String,
    /// Where it is.
    url: String,
    /// The number of a source.
    source: Option<u32>,
    /// The node that publishes it, if it is another one.
    node: Option<String>,
    /// How much it is about what was asked for, from 0 to 1.
    score: f64,
    /// What it is about by its last items, heaviest first.
    terms: Vec<String>,
}

/// Finds sources and feeds by what they are about. Callers who do not run the node find the feeds that they
/// may read.
#[utoipa::path(get, path = "/api/v1/search", params(AskedSearch),
    responses((status = 200, body = FoundList), (status = 400, body = Problem)))]
pub(super) async fn search(
    State(node): State<Arc<Node>>,
    caller: Caller,
    Asking(asked): Asking<AskedSearch>,
) -> Result<Answer<FoundList>, Problem> {
    let text = asked.q.trim().to_owned();
    if text.is_empty() || text.len() > LONGEST {
        let problem = bad_request("`q` must be some words, at most 1000 bytes of them");
        return Err(problem.hint("for example /api/v1/search?q=iceland+volcano"));
    }
    let limit = asked.limit.unwrap_or(USUAL).clamp(1, MOST);
    // Others are asked on the operator's behalf only: a stranger could turn one question into eight.
    let foreign = match asked.peers && caller.is_operator() {
        true => {
            let now = node.clock.now();
            node.crawler.peers.search(&text, limit as u32, PEERS, now).await
        }
        false => Vec::new(),
    };
    let mut found = blocking(move || {
        let feeds = by_id(node.feeds_for(&caller));
        // Some of the best may not be for this caller.
        let best = node.desk.profiles.search(&text, 4 * MOST).into_iter();
        let shown = best.filter(|about| match about.channel {
            Channel::Source(_) => caller.is_operator(),
            Channel::Feed(id) => feeds.contains_key(&id),
        });
        Ok(shown
            .take(limit)
            .map(|about| one(&node, &feeds, about))
            .collect::<Result<Vec<_>, _>>()?)
    })
    .await?
    .into_iter()
    .flatten()
    .chain(foreign.into_iter().map(FoundOne::from))
    .collect::<Vec<FoundOne>>();
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    found.truncate(limit);
    Ok(Answer(FoundList { found }))
}

/// Sources that are about what a feed is about and that it does not read.
#[utoipa::path(get, path = "/api/v1/feeds/{name}/suggestions", params(("name" = String, Path), AskedNumber),
    security(("token" = [])),
    responses((status = 200, body = FoundList), (status = 404, body = Problem)))]
pub(super) async fn suggestions(
    State(node): State<Arc<Node>>,
    caller: Caller,
    Named(name): Named,
    Asking(asked): Asking<AskedNumber>,
) -> Result<Answer<FoundList>, Problem> {
    let limit = asked.limit.unwrap_or(USUAL).clamp(1, MOST);
    blocking(move || {
        let card = card(&node, &caller, &name)?;
        let reads: HashSet<SourceId> = node.desk.sources_of(card.id).into_iter().collect();
        let wanted = limit.saturating_add(reads.len()).saturating_add(node.desk.count());
        let similar = node.desk.profiles.similar(card.id, wanted).into_iter();
        let others = similar.filter(
            |about| matches!(about.channel, Channel::Source(source) if !reads.contains(&source)),
        );
        let found = others.take(limit).map(|about| one(&node, &HashMap::new(), about));
        let found = found.collect::<Result<Vec<_>, _>>()?;
        Ok(Answer(FoundList { found: found.into_iter().flatten().collect() }))
    })
    .await
}

fn by_id(cards: Vec<FeedCard>) -> HashMap<FeedId, FeedCard> {
    cards.into_iter().map(|card| (card.id, card)).collect()
}

/// What was found with its name and address; nothing if it has gone meanwhile.
fn one(
    node: &Node,
    feeds: &HashMap<FeedId, FeedCard>,
    about: About,
) -> Result<Option<FoundOne>, ArchiveError> {
    let terms = about.terms.into_iter().map(|(text, _)| text).collect();
    let found = |kind, name, url, source| FoundOne {
        kind,
        name,
        url,
        source,
        node: None,
        score: about.score,
        terms,
    };
    Ok(match about.channel {
        Channel::Feed(id) => feeds.get(&id).map(|card| {
            let url = node.shelf.imprint().address(&card.name, Form::Page);
            found("feed", card.name.clone(), url, None)
        }),
        Channel::Source(id) => match node.archive.source(id)? {
            Some(record) => {
                let title = node.archive.state_alone(id)?.and_then(|state| state.title);
                let name = record.title.or(title).unwrap_or_else(|| record.url.clone());
                Some(found("source", name, record.url, Some(id.0)))
            }
            None => None,
        },
    })
}

impl From<Foreign> for FoundOne {
    fn from(Foreign { node, name, url, score, terms }: Foreign) -> Self {
        Self { kind: "peer", name, url, source: None, node: Some(node), score, terms }
    }
}
