//! Feeds: list, show, make, change, drop, explain.

use std::sync::Arc;

use axum::Json as Answer;
use axum::extract::State;
use http::StatusCode;
use pergola_query::Explanation;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::asked::{Json, Named};
use super::work::{blocking, to_the_end};
use crate::access::Caller;
use crate::node::{Applied, FeedStatus, Node, Upstream};
use crate::publish::Problem;
use crate::select::FeedCard;

/// Sources told of one feed.
const READS: usize = 1_000;
/// The name of the text in messages about queries.
const ORIGIN: &str = "query";

/// Statements of the query language.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AskedQuery {
    /// `CREATE FEED …; ALTER FEED …; DROP FEED …; EXPLAIN …`
    query: String,
}

/// Every feed.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct FeedList {
    /// By name.
    feeds: Vec<FeedStatus>,
}

/// A feed, closely.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct FeedDetail {
    /// How it stands.
    #[serde(flatten)]
    status: FeedStatus,
    /// The sources that it reads, directly or through other feeds; the first thousand.
    reads: Vec<ReadSource>,
}

/// A source that a feed reads.
#[derive(Debug, Serialize, ToSchema)]
struct ReadSource {
    /// Its number.
    source: u32,
    /// Where it is.
    url: String,
    /// The share of its items that the feed keeps, as far as is known.
    share: f64,
    /// What an item is worth to the feed.
    weight: f64,
}

/// What statements have done, in their order.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AppliedList {
    /// One for each statement.
    applied: Vec<Did>,
}

/// What a statement has done.
#[derive(Debug, Serialize, ToSchema)]
#[serde(tag = "did", rename_all = "kebab-case")]
pub(super) enum Did {
    /// A feed was created.
    Created {
        /// Its name.
        name: String,
        /// Items it begins with.
        items: usize,
        /// Sources added for it.
        sources: usize,
    },
    /// A feed was changed.
    Changed {
        /// Its name.
        name: String,
        /// Items that it gained at once.
        items: usize,
    },
    /// A feed was renamed.
    Renamed {
        /// Its name before.
        from: String,
        /// Its name now.
        name: String,
    },
    /// A feed was dropped.
    Dropped {
        /// Its name.
        name: String,
    },
    /// Nothing was changed.
    Explained(Explained),
}

/// What a feed reads, keeps and costs.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Explained {
    /// Its name.
    name: String,
    /// In words.
    text: String,
    /// Sources it needs refreshed.
    sources: usize,
    /// Different phrases to look for.
    phrases: usize,
    /// Regular expressions.
    regexes: usize,
    /// Sources every item of which must be evaluated.
    every_item: usize,
}

/// Every feed.
#[utoipa::path(get, path = "/api/v1/feeds", responses((status = 200, body = FeedList)))]
pub(super) async fn list(
    State(node): State<Arc<Node>>,
    caller: Caller,
) -> Result<Answer<FeedList>, Problem> {
    blocking(node.blocking(), move || {
        let feeds = node.feeds_for(&caller);
        let feeds: Result<_, _> = feeds.iter().map(|card| node.feed_status(card)).collect();
        Ok(Answer(FeedList { feeds: feeds? }))
    })
    .await
}

/// Runs statements; all are checked before the first is carried out.
#[utoipa::path(post, path = "/api/v1/feeds", request_body = AskedQuery, security(("token" = [])),
    responses((status = 200, body = AppliedList), (status = 400, body = Problem),
        (status = 409, body = Problem)))]
pub(super) async fn run(
    State(node): State<Arc<Node>>,
    Json(asked): Json<AskedQuery>,
) -> Result<Answer<AppliedList>, Problem> {
    let run = async move { Ok(node.run_script(&asked.query, ORIGIN).await?) };
    let applied = to_the_end(run).await?;
    Ok(Answer(AppliedList { applied: applied.into_iter().map(Did::from).collect() }))
}

/// How one feed stands.
#[utoipa::path(get, path = "/api/v1/feeds/{name}", params(("name" = String, Path)),
    responses((status = 200, body = FeedDetail), (status = 404, body = Problem)))]
pub(super) async fn show(
    State(node): State<Arc<Node>>,
    caller: Caller,
    Named(name): Named,
) -> Result<Answer<FeedDetail>, Problem> {
    blocking(node.blocking(), move || {
        let card = card(&node, &caller, &name)?;
        let status = node.feed_status(&card)?;
        let weight = card.body.options.weight.unwrap_or(1.0);
        let upstreams = node.upstreams(card.id, READS)?.into_iter();
        let reads = upstreams.map(|Upstream { id, url, share, .. }| ReadSource {
            source: id.0,
            url,
            share,
            weight,
        });
        let reads = reads.collect();
        Ok(Answer(FeedDetail { status, reads }))
    })
    .await
}

/// Drops a feed that no other reads.
#[utoipa::path(delete, path = "/api/v1/feeds/{name}", params(("name" = String, Path)),
    security(("token" = [])),
    responses((status = 204), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub(super) async fn remove(
    State(node): State<Arc<Node>>,
    Named(name): Named,
) -> Result<StatusCode, Problem> {
    to_the_end(async move { Ok(node.drop_feed(&name).await?) }).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What a feed reads, keeps and costs.
#[utoipa::path(get, path = "/api/v1/feeds/{name}/explain", params(("name" = String, Path)),
    security(("token" = [])),
    responses((status = 200, body = Explained), (status = 404, body = Problem)))]
pub(super) async fn explain(
    State(node): State<Arc<Node>>,
    caller: Caller,
    Named(name): Named,
) -> Result<Answer<Explained>, Problem> {
    blocking(node.blocking(), move || {
        let card = card(&node, &caller, &name)?;
        let explained = node.explain_text(&format!("EXPLAIN {}", card.statement), ORIGIN);
        Ok(Answer(Explained::from(&explained?)))
    })
    .await
}

/// What a feed would read, keep and cost.
#[utoipa::path(post, path = "/api/v1/explain", request_body = AskedQuery, security(("token" = [])),
    responses((status = 200, body = Explained), (status = 400, body = Problem),
        (status = 409, body = Problem)))]
pub(super) async fn explain_query(
    State(node): State<Arc<Node>>,
    Json(asked): Json<AskedQuery>,
) -> Result<Answer<Explained>, Problem> {
    blocking(node.blocking(), move || {
        Ok(Answer(Explained::from(&node.explain_text(&asked.query, ORIGIN)?)))
    })
    .await
}

/// Who may read a feed.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Readers {
    /// The names of readers; null if anybody may read it, empty if nobody but the operator.
    #[schema(required)]
    readers: Option<Vec<String>>,
}

/// Who may read a feed.
#[utoipa::path(get, path = "/api/v1/feeds/{name}/readers", params(("name" = String, Path)),
    security(("token" = [])),
    responses((status = 200, body = Readers), (status = 404, body = Problem)))]
pub(super) async fn readers(
    State(node): State<Arc<Node>>,
    caller: Caller,
    Named(name): Named,
) -> Result<Answer<Readers>, Problem> {
    let card = card(&node, &caller, &name)?;
    let readers = node.readers_of(card.id);
    Ok(Answer(Readers { readers }))
}

/// Closes a feed to all but these readers, or opens it to anybody.
#[utoipa::path(put, path = "/api/v1/feeds/{name}/readers", params(("name" = String, Path)),
    request_body = Readers, security(("token" = [])),
    responses((status = 200, body = Readers), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
pub(super) async fn set_readers(
    State(node): State<Arc<Node>>,
    caller: Caller,
    Named(name): Named,
    Json(asked): Json<Readers>,
) -> Result<Answer<Readers>, Problem> {
    let (changed, of) = (Arc::clone(&node), name.clone());
    to_the_end(async move { Ok(changed.set_readers(&of, asked.readers).await?) }).await?;
    readers(State(node), caller, Named(name)).await
}

/// The feed of this name, if it exists for a caller.
pub(super) fn card(node: &Node, caller: &Caller, name: &str) -> Result<FeedCard, Problem> {
    node.feed_for(caller, name).map_err(|error| match caller {
        Caller::Stranger { wrong: true, .. } => Problem::unknown_token(),
        _ => error.into(),
    })
}

impl From<Applied> for Did {
    fn from(applied: Applied) -> Self {
        match applied {
            Applied::Created { name, items, sources } => Self::Created { name, items, sources },
            Applied::Changed { name, items } => Self::Changed { name, items },
            Applied::Renamed { from, to } => Self::Renamed { from, name: to },
            Applied::Dropped { name } => Self::Dropped { name },
            Applied::Explained(explained) => Self::Explained(Explained::from(&*explained)),
        }
    }
}

impl From<&Explanation> for Explained {
    fn from(explanation: &Explanation) -> Self {
        let cost = explanation.cost;
        Self {
            name: explanation.feed.clone(),
            text: explanation.to_string(),
            sources: cost.sources,
            phrases: cost.phrases,
            regexes: cost.regexes,
            every_item: cost.every_item,
        }
    }
}
