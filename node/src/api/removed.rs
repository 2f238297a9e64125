//! What was removed: list and restore.

use std::sync::Arc;

use axum::Json as Answer;
use axum::extract::State;
use pergola_api::Instant;
use pergola_api::feed::FeedStatus;
use pergola_api::source::{RemovedFeed, RemovedList, RemovedSource, SourceStatus};
use pergola_feed::address::{masked, masked_in};

use super::request::Named;
use super::work::{blocking, to_the_end};
use crate::node::{Node, RESTORABLE};
use crate::publish::Refusal;
use pergola_port::access::Caller;

pub(super) async fn list(State(node): State<Arc<Node>>) -> Result<Answer<RemovedList>, Refusal> {
    blocking(node.blocking(), move || {
        let sources = node.removed_sources()?.into_iter().map(|(id, removed)| RemovedSource {
            id: id.0,
            url: masked(&removed.what.url).into_owned(),
            title: removed.what.title,
            removed_at: Instant::from_unix(removed.at),
            restorable_until: Instant::from_unix(removed.at + RESTORABLE),
        });
        let feeds = node.removed_feeds()?.into_iter().map(|(_, removed)| RemovedFeed {
            name: removed.what.name,
            query: masked_in(&removed.what.statement).into_owned(),
            removed_at: Instant::from_unix(removed.at),
            restorable_until: Instant::from_unix(removed.at + RESTORABLE),
        });
        Ok(Answer(RemovedList { sources: sources.collect(), feeds: feeds.collect() }))
    })
    .await
}

pub(super) async fn restore_source(
    State(node): State<Arc<Node>>,
    Named(named): Named,
) -> Result<Answer<SourceStatus>, Refusal> {
    to_the_end(async move {
        let id = node.find_removed(&named)?;
        node.restore_source(id).await?;
        Ok(Answer(node.source(id)?.0))
    })
    .await
}

pub(super) async fn restore_feed(
    State(node): State<Arc<Node>>,
    Named(name): Named,
) -> Result<Answer<FeedStatus>, Refusal> {
    to_the_end(async move {
        node.restore_feed(&name).await?;
        let card = node.feed(&name).ok_or_else(|| node.unknown(&name))?;
        Ok(Answer(node.feed_status(&card, &Caller::Operator)?))
    })
    .await
}
