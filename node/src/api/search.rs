//! Search by what sources and feeds are about, here and at peers, and sources that a feed might read.

use std::sync::Arc;

use axum::Json as Answer;
use axum::extract::State;
use pergola_api::search::{
    FoundKind, SearchRequest, SearchResult, SearchResults, SearchedPeers, SilentPeer,
    SuggestRequest,
};

use super::feeds::card;
use super::request::{Named, Parameters, bad_request};
use super::work::blocking;
use crate::node::Node;
use crate::publish::Refusal;
use crate::select::{Found, Kind};
use pergola_peers::registry::{Heard, Silent};
use pergola_port::access::Caller;

/// Results by default, and at most.
pub(super) const USUAL: usize = 20;
const MOST: usize = 200;
/// Bytes of the text.
pub(super) const LONGEST: usize = 1_000;

pub(super) async fn search(
    State(node): State<Arc<Node>>,
    caller: Caller,
    Parameters(request): Parameters<SearchRequest>,
) -> Result<Answer<SearchResults>, Refusal> {
    let text = request.q.trim();
    if text.is_empty() || text.len() > LONGEST {
        let refusal = bad_request("nothing to search for: `q` must hold words, up to 1000 bytes");
        return Err(refusal.hint("for example /api/v1/search?q=iceland+volcano"));
    }
    let limit = request.limit.unwrap_or(USUAL).clamp(1, MOST);
    Ok(Answer(everywhere(node, caller, text, limit, request.peers).await?))
}

/// What is found here and, if the caller may ask them, at peers.
pub(super) async fn everywhere(
    node: Arc<Node>,
    caller: Caller,
    text: &str,
    limit: usize,
    peers: bool,
) -> Result<SearchResults, Refusal> {
    // Only the operator may ask peers: a stranger could turn one request into eight.
    let heard = match peers && caller.is_operator() {
        true => Some(node.search_peers(text, limit as u32).await),
        false => None,
    };
    let text = text.to_owned();
    blocking(node.blocking(), move || {
        let here = node.search(&caller, &text, limit)?;
        let found = match &heard {
            Some(heard) => node.with_peers(here, heard, limit),
            None => here,
        };
        let found = found.into_iter().map(result).collect();
        Ok(SearchResults { found, peers: heard.map(searched) })
    })
    .await
}

pub(super) async fn suggestions(
    State(node): State<Arc<Node>>,
    caller: Caller,
    Named(name): Named,
    Parameters(request): Parameters<SuggestRequest>,
) -> Result<Answer<SearchResults>, Refusal> {
    let limit = request.limit.unwrap_or(USUAL).clamp(1, MOST);
    blocking(node.blocking(), move || {
        let card = card(&node, &caller, &name)?;
        let found = node.suggestions(&caller, card.id, limit)?;
        let found = found.into_iter().map(result).collect();
        Ok(Answer(SearchResults { found, peers: None }))
    })
    .await
}

pub(super) fn result(Found { kind, name, url, source, node, score, terms }: Found) -> SearchResult {
    let kind = match kind {
        Kind::Source => FoundKind::Source,
        Kind::Feed => FoundKind::Feed,
        Kind::Peer => FoundKind::Peer,
    };
    SearchResult { kind, name, url, source: source.map(|id| id.0), node, score, terms }
}

fn searched(Heard { asked, left_out, silent, .. }: Heard) -> SearchedPeers {
    let silent = silent.into_iter().map(|Silent { node, url, why }| SilentPeer { node, url, why });
    SearchedPeers { asked, left_out, silent: silent.collect() }
}
