//! Search by what sources and feeds are about, here and at peers, and sources that a feed might read.

use std::sync::Arc;

use axum::Json as Answer;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::asked::{Asking, Named, bad_request};
use super::feeds::card;
use super::work::blocking;
use crate::access::Caller;
use crate::node::{Found, Kind, Node};
use crate::peer::{Heard, Silent};
use crate::publish::Problem;

/// Results, unless another number is asked for, and at most.
pub(super) const USUAL: usize = 20;
const MOST: usize = 200;
/// Bytes of a text that is searched for.
pub(super) const LONGEST: usize = 1_000;

/// What is searched for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(super) struct AskedSearch {
    /// Words, as a person types them; at most 1000 bytes.
    q: String,
    /// Results at most; 20 unless said, 200 at most.
    limit: Option<usize>,
    /// Whether peers that this node reads from are asked as well, eight at most; for the operator only.
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
    /// Sources, feeds, and feeds of peers; nothing twice.
    found: Vec<FoundOne>,
    /// Whom else was asked; only if peers were.
    #[serde(skip_serializing_if = "Option::is_none")]
    peers: Option<AskedPeers>,
}

/// Peers that were asked.
#[derive(Debug, Serialize, ToSchema)]
struct AskedPeers {
    /// How many.
    asked: usize,
    /// How many there are besides.
    left_out: usize,
    /// Those that have not answered: what they have is missing above.
    silent: Vec<SilentPeer>,
}

/// A peer that has not answered.
#[derive(Debug, Serialize, ToSchema)]
struct SilentPeer {
    /// Its name.
    node: String,
    /// Where it is.
    url: String,
    /// Why, in words.
    why: String,
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
    let text = asked.q.trim();
    if text.is_empty() || text.len() > LONGEST {
        let problem = bad_request("`q` must be some words, at most 1000 bytes of them");
        return Err(problem.hint("for example /api/v1/search?q=iceland+volcano"));
    }
    let limit = asked.limit.unwrap_or(USUAL).clamp(1, MOST);
    let (found, heard) = everywhere(node, caller, text, limit, asked.peers).await?;
    let found = found.into_iter().map(FoundOne::from).collect();
    Ok(Answer(FoundList { found, peers: heard.map(AskedPeers::from) }))
}

/// What there is about a text, here and, if the caller may ask them, at peers.
pub(super) async fn everywhere(
    node: Arc<Node>,
    caller: Caller,
    text: &str,
    limit: usize,
    peers: bool,
) -> Result<(Vec<Found>, Option<Heard>), Problem> {
    // Others are asked on the operator's behalf only: a stranger could turn one question into eight.
    let heard = match peers && caller.is_operator() {
        true => Some(node.crawler.tools.peers.search(text, limit as u32, node.clock.now()).await),
        false => None,
    };
    let text = text.to_owned();
    blocking(move || {
        let here = node.search(&caller, &text, limit)?;
        let found = match &heard {
            Some(heard) => node.with_peers(here, heard, limit),
            None => here,
        };
        Ok((found, heard))
    })
    .await
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
        let found = node.suggestions(&caller, card.id, limit)?;
        let found = found.into_iter().map(FoundOne::from).collect();
        Ok(Answer(FoundList { found, peers: None }))
    })
    .await
}

impl From<Found> for FoundOne {
    fn from(Found { kind, name, url, source, node, score, terms }: Found) -> Self {
        let kind = match kind {
            Kind::Source => "source",
            Kind::Feed => "feed",
            Kind::Peer => "peer",
        };
        Self { kind, name, url, source: source.map(|id| id.0), node, score, terms }
    }
}

impl From<Heard> for AskedPeers {
    fn from(Heard { asked, left_out, silent, .. }: Heard) -> Self {
        let silent =
            silent.into_iter().map(|Silent { node, url, why }| SilentPeer { node, url, why });
        Self { asked, left_out, silent: silent.collect() }
    }
}
