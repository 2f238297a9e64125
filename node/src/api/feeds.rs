//! Feeds: list, show, create, change, drop, explain, restrict to readers.

use std::sync::Arc;

use axum::Json as Answer;
use axum::extract::State;
use http::StatusCode;
use pergola_api::feed::{
    AppliedList, ExplainRequest, Explained, FeedDetail, FeedList, FeedReaders, QueryRequest,
};

use super::request::{Json, Named};
use super::work::{blocking, to_the_end};
use crate::node::Node;
use crate::publish::Refusal;
use crate::select::FeedCard;
use pergola_port::access::Caller;

/// The name of the text in messages about queries.
const ORIGIN: &str = "query";

pub(super) async fn list(
    State(node): State<Arc<Node>>,
    caller: Caller,
) -> Result<Answer<FeedList>, Refusal> {
    blocking(node.blocking(), move || {
        let feeds = node.feeds_for(&caller);
        let feeds: Result<_, _> =
            feeds.iter().map(|card| node.feed_status(card, &caller)).collect();
        Ok(Answer(FeedList { feeds: feeds? }))
    })
    .await
}

pub(super) async fn run(
    State(node): State<Arc<Node>>,
    Json(request): Json<QueryRequest>,
) -> Result<Answer<AppliedList>, Refusal> {
    let QueryRequest { query, force } = request;
    to_the_end(async move { Ok(Answer(node.try_script(&query, ORIGIN, force).await?)) }).await
}

pub(super) async fn show(
    State(node): State<Arc<Node>>,
    caller: Caller,
    Named(name): Named,
) -> Result<Answer<FeedDetail>, Refusal> {
    blocking(node.blocking(), move || {
        let card = card(&node, &caller, &name)?;
        Ok(Answer(node.feed_detail(&card, &caller)?))
    })
    .await
}

pub(super) async fn remove(
    State(node): State<Arc<Node>>,
    Named(name): Named,
) -> Result<StatusCode, Refusal> {
    to_the_end(async move { Ok(node.drop_feed(&name).await?) }).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn explain(
    State(node): State<Arc<Node>>,
    caller: Caller,
    Named(name): Named,
) -> Result<Answer<Explained>, Refusal> {
    blocking(node.blocking(), move || {
        let card = card(&node, &caller, &name)?;
        Ok(Answer(node.explain_text(&format!("EXPLAIN {}", card.statement), ORIGIN, true)?))
    })
    .await
}

pub(super) async fn explain_query(
    State(node): State<Arc<Node>>,
    Json(ExplainRequest { query, trial }): Json<ExplainRequest>,
) -> Result<Answer<Explained>, Refusal> {
    blocking(node.blocking(), move || Ok(Answer(node.explain_text(&query, ORIGIN, trial)?))).await
}

pub(super) async fn readers(
    State(node): State<Arc<Node>>,
    caller: Caller,
    Named(name): Named,
) -> Result<Answer<FeedReaders>, Refusal> {
    let card = card(&node, &caller, &name)?;
    let readers = node.readers_of(card.id);
    Ok(Answer(FeedReaders { readers }))
}

pub(super) async fn set_readers(
    State(node): State<Arc<Node>>,
    caller: Caller,
    Named(name): Named,
    Json(request): Json<FeedReaders>,
) -> Result<Answer<FeedReaders>, Refusal> {
    let (changed, of) = (Arc::clone(&node), name.clone());
    to_the_end(async move { Ok(changed.set_readers(&of, request.readers).await?) }).await?;
    readers(State(node), caller, Named(name)).await
}

/// The feed of this name, if the caller may read it.
pub(super) fn card(node: &Node, caller: &Caller, name: &str) -> Result<FeedCard, Refusal> {
    node.feed_for(caller, name).map_err(|error| match caller {
        Caller::Stranger { wrong: true, .. } => Refusal::unknown_token(),
        _ => error.into(),
    })
}
