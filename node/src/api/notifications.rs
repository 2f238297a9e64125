//! Who is sent the new entries of a feed.

use std::sync::Arc;

use axum::Json as Answer;
use axum::extract::{Path, State};
use http::StatusCode;
use pergola_api::notification::{AddNotification, NotificationList, NotificationStatus};
use pergola_store::archive::FeedId;

use super::request::{Json, Named};
use super::work::to_the_end;
use crate::node::Node;
use crate::publish::Refusal;

/// The feed and the id of a notification.
pub(super) type Which = Path<(String, String)>;

pub(super) async fn list(
    State(node): State<Arc<Node>>,
    Named(name): Named,
) -> Result<Answer<NotificationList>, Refusal> {
    let notifications = node.notifier.list(feed(&node, &name)?);
    Ok(Answer(NotificationList { notifications }))
}

pub(super) async fn add(
    State(node): State<Arc<Node>>,
    Named(name): Named,
    Json(request): Json<AddNotification>,
) -> Result<(StatusCode, Answer<NotificationStatus>), Refusal> {
    let feed = feed(&node, &name)?;
    let added = to_the_end(async move { Ok(node.notifier.add(feed, request).await?) }).await?;
    Ok((StatusCode::CREATED, Answer(added)))
}

pub(super) async fn remove(
    State(node): State<Arc<Node>>,
    Path((name, id)): Which,
) -> Result<StatusCode, Refusal> {
    let feed = feed(&node, &name)?;
    to_the_end(async move { Ok(node.notifier.remove(feed, &id).await?) }).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn resume(
    State(node): State<Arc<Node>>,
    Path((name, id)): Which,
) -> Result<Answer<NotificationStatus>, Refusal> {
    let feed = feed(&node, &name)?;
    to_the_end(async move { Ok(Answer(node.notifier.resume(feed, &id).await?)) }).await
}

pub(super) async fn test(
    State(node): State<Arc<Node>>,
    Path((name, id)): Which,
) -> Result<Answer<NotificationStatus>, Refusal> {
    let feed = feed(&node, &name)?;
    to_the_end(async move { Ok(Answer(node.notifier.test(feed, &id).await?)) }).await
}

fn feed(node: &Node, name: &str) -> Result<FeedId, Refusal> {
    Ok(node.feed(name).ok_or_else(|| node.unknown(name))?.id)
}
