//! Search for people: the same rules and answers as `/api/v1/search`, as a page.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;

use super::asked::Asking;
use super::feeds::card;
use super::search::{LONGEST, USUAL, everywhere};
use super::work::blocking;
use crate::access::Caller;
use crate::node::Node;
use crate::peers::Heard;
use crate::publish::Problem;
use crate::publish::pages;
use crate::publish::pages::search::{Offer, Wanted};
use crate::select::Found;

/// What somebody typed, or followed a link to.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct AskedPage {
    q: String,
    /// A feed whose like is sought.
    like: String,
    peers: bool,
}

/// What a page shows besides what was asked for.
type Results = (Vec<Found>, Option<Heard>);

/// `/search`
pub(super) async fn page(
    State(node): State<Arc<Node>>,
    caller: Caller,
    asked: Result<Asking<AskedPage>, Problem>,
    headers: HeaderMap,
) -> Response {
    let asked = match asked {
        Ok(Asking(asked)) => asked,
        Err(problem) => return problem.answer(&headers),
    };
    let offer = Offer { peers: caller.is_operator(), asked: asked.peers };
    let text = asked.q.trim();
    let wanted = match (text, asked.like.as_str()) {
        ("", "") => Wanted::Nothing,
        ("", like) => Wanted::Like(like.to_owned()),
        (text, _) if text.len() > LONGEST => Wanted::TooMuch { most: LONGEST },
        (text, _) => Wanted::Text(text.to_owned()),
    };
    match results(&node, caller, &wanted, asked.peers).await {
        Ok((found, heard)) => {
            let imprint = node.imprint();
            let page = pages::search::page(imprint, &wanted, &offer, &found, heard.as_ref());
            let is_bad = matches!(wanted, Wanted::TooMuch { .. });
            pages::respond(if is_bad { StatusCode::BAD_REQUEST } else { StatusCode::OK }, &page)
        }
        Err(problem) => problem.answer(&headers),
    }
}

async fn results(
    node: &Arc<Node>,
    caller: Caller,
    wanted: &Wanted,
    peers: bool,
) -> Result<Results, Problem> {
    let node = Arc::clone(node);
    match wanted {
        Wanted::Nothing | Wanted::TooMuch { .. } => Ok(Results::default()),
        Wanted::Text(text) => everywhere(node, caller, text, USUAL, peers).await,
        Wanted::Like(feed) => {
            let feed = feed.clone();
            blocking(node.blocking(), move || {
                let card = card(&node, &caller, &feed)?;
                Ok((node.alike(&caller, card.id, USUAL)?, None))
            })
            .await
        }
    }
}
