//! `/search`: the page for people, with the results of `/api/v1/search`.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;

use super::feeds::card;
use super::request::Parameters;
use super::search::{LONGEST, USUAL, everywhere, result};
use super::work::blocking;
use crate::node::Node;
use crate::publish::Refusal;
use crate::publish::respond;
use pergola_api::search::SearchResults;
use pergola_pages::public::search::{self, Offer, Wanted};
use pergola_port::access::Caller;

/// What was typed into the form, or stands in a link.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SearchForm {
    q: String,
    /// A feed: find others like it.
    like: String,
    peers: bool,
}

pub(super) async fn page(
    State(node): State<Arc<Node>>,
    caller: Caller,
    form: Result<Parameters<SearchForm>, Refusal>,
    headers: HeaderMap,
) -> Response {
    let form = match form {
        Ok(Parameters(form)) => form,
        Err(refusal) => return refusal.answer(&headers),
    };
    let offer = Offer { peers: caller.is_operator(), asked: form.peers };
    let text = form.q.trim();
    let wanted = match (text, form.like.as_str()) {
        ("", "") => Wanted::Nothing,
        ("", like) => Wanted::Like(like.to_owned()),
        (text, _) if text.len() > LONGEST => Wanted::TooMuch { most: LONGEST },
        (text, _) => Wanted::Text(text.to_owned()),
    };
    match results(&node, caller, &wanted, form.peers).await {
        Ok(SearchResults { found, peers }) => {
            let name = &node.imprint().name;
            let page = search::page(name, &wanted, &offer, &found, peers.as_ref());
            let is_bad = matches!(wanted, Wanted::TooMuch { .. });
            respond(if is_bad { StatusCode::BAD_REQUEST } else { StatusCode::OK }, &page)
        }
        Err(refusal) => refusal.answer(&headers),
    }
}

async fn results(
    node: &Arc<Node>,
    caller: Caller,
    wanted: &Wanted,
    peers: bool,
) -> Result<SearchResults, Refusal> {
    let node = Arc::clone(node);
    match wanted {
        Wanted::Nothing | Wanted::TooMuch { .. } => Ok(SearchResults::default()),
        Wanted::Text(text) => everywhere(node, caller, text, USUAL, peers).await,
        Wanted::Like(feed) => {
            let feed = feed.clone();
            blocking(node.blocking(), move || {
                let card = card(&node, &caller, &feed)?;
                let found = node.alike(&caller, card.id, USUAL)?.into_iter().map(result).collect();
                Ok(SearchResults { found, peers: None })
            })
            .await
        }
    }
}
