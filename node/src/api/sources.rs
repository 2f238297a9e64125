//! Sources: list, add, show, remove, refresh now.

mod wire;

use std::sync::Arc;

use axum::Json as Answer;
use axum::extract::State;
use http::StatusCode;
use pergola_feed::identity::Policy;
use pergola_manners::courtesy::{FailureKind, Outcome};
use pergola_store::archive::SourceId;

use super::asked::{Asking, Json, Named, bad_request};
use super::work::{blocking, to_the_end};
use crate::crawl::driver::Report;
use crate::node::{Node, SourceError, SourceStatus};
use crate::publish::Problem;
use wire::{
    AddedSource, AskedSource, RecentRefresh, RefreshReport, Refreshed, SourceDetail, SourcePage,
    Which,
};

/// Sources told at once.
const PAGE: usize = 500;
/// … at most.
const LARGEST_PAGE: usize = 5_000;
/// Addresses that are compared with one that does not exist.
const COMPARED: usize = 2_000;
/// The sources, in pages.
#[utoipa::path(get, path = "/api/v1/sources", params(Which), security(("token" = [])),
    responses((status = 200, body = SourcePage), (status = 400, body = Problem)))]
pub(super) async fn list(
    State(node): State<Arc<Node>>,
    Asking(which): Asking<Which>,
) -> Result<Answer<SourcePage>, Problem> {
    let limit = which.limit.unwrap_or(PAGE);
    if !(1..=LARGEST_PAGE).contains(&limit) {
        return Err(bad_request(format!("`limit` must be from 1 to {LARGEST_PAGE}")));
    }
    let search = which.search.map(|text| text.to_lowercase());
    let wanted = move |source: &SourceStatus| {
        let found = |text: &str| {
            search.as_ref().is_none_or(|search| text.to_lowercase().contains(search.as_str()))
        };
        which.standing.is_none_or(|standing| standing == source.standing)
            && (found(&source.url) || found(source.title.as_deref().unwrap_or_default()))
    };
    let after = which.after.map(SourceId);
    let mut sources =
        blocking(node.blocking(), move || Ok(node.source_page(after, limit + 1, wanted)?)).await?;
    let more = sources.len() > limit;
    sources.truncate(limit);
    let next = sources.last().filter(|_| more).map(|last| last.id);
    Ok(Answer(SourcePage { sources, next }))
}

/// Adds a source.
#[utoipa::path(post, path = "/api/v1/sources", request_body = AskedSource, security(("token" = [])),
    responses((status = 201, body = AddedSource), (status = 200, body = AddedSource),
        (status = 400, body = Problem), (status = 422, body = Problem)))]
pub(super) async fn add(
    State(node): State<Arc<Node>>,
    Json(asked): Json<AskedSource>,
) -> Result<(StatusCode, Answer<AddedSource>), Problem> {
    let refresh = asked.refresh;
    let new = asked.checked()?;
    to_the_end(async move {
        let added = node.add_sources(vec![new]).await?;
        let Some(&id) = added.new.first() else {
            let known = added.known.first().copied().unwrap_or(SourceId(0));
            let (source, _) = node.source(known)?;
            return Ok((StatusCode::OK, Answer(AddedSource { source, report: None })));
        };
        let report = if refresh { Some(refresh_new(&node, id).await?) } else { None };
        let (source, _) = node.source(id)?;
        Ok((StatusCode::CREATED, Answer(AddedSource { source, report })))
    })
    .await
}

/// How one source stands.
#[utoipa::path(get, path = "/api/v1/sources/{id}", security(("token" = [])),
    params(("id" = String, Path, description = "its number, or its address percent-encoded")),
    responses((status = 200, body = SourceDetail), (status = 404, body = Problem)))]
pub(super) async fn show(
    State(node): State<Arc<Node>>,
    Named(named): Named,
) -> Result<Answer<SourceDetail>, Problem> {
    blocking(node.blocking(), move || {
        let id = find(&node, &named)?;
        let (source, state) = node.source(id)?;
        let formerly = node.former_addresses(id)?;
        let identity = node.identity_policy(id)?;
        Ok(Answer(SourceDetail {
            source,
            recent: state.recent.iter().map(RecentRefresh::from).collect(),
            formerly,
            identity: match identity {
                Policy::Id => "id",
                Policy::Link => "link",
                Policy::Digest => "digest",
            },
            push: node.push_status(id),
        }))
    })
    .await
}

/// Removes a source that no feed reads.
#[utoipa::path(delete, path = "/api/v1/sources/{id}", security(("token" = [])),
    params(("id" = String, Path, description = "its number, or its address percent-encoded")),
    responses((status = 204), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub(super) async fn remove(
    State(node): State<Arc<Node>>,
    Named(named): Named,
) -> Result<StatusCode, Problem> {
    let id = found(&node, named).await?;
    to_the_end(async move { Ok(node.remove_source(id).await?) }).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Refreshes of a source now, if it may be asked.
#[utoipa::path(post, path = "/api/v1/sources/{id}/refresh", security(("token" = [])),
    params(("id" = String, Path, description = "its number, or its address percent-encoded")),
    responses((status = 200, body = Refreshed), (status = 404, body = Problem),
        (status = 429, body = Problem)))]
pub(super) async fn refresh(
    State(node): State<Arc<Node>>,
    Named(named): Named,
) -> Result<Answer<Refreshed>, Problem> {
    let id = found(&node, named).await?;
    let refresh = async move { Ok(node.refresh_now(id, node.is_running()).await?) };
    let report = to_the_end(refresh).await?.into();
    Ok(Answer(Refreshed { report }))
}

/// Refreshes of a source that was just added; if it fails for good the source goes again.
async fn refresh_new(node: &Node, id: SourceId) -> Result<RefreshReport, Problem> {
    let refused = match first_refresh(node, id).await {
        Ok((outcome, report)) if !is_hopeless(outcome) => return Ok(report),
        Ok((_, report)) => unusable(node, id, report)?,
        Err(error) => error.into(),
    };
    match node.remove_source(id).await {
        // A feed was made meanwhile that reads it: then it stays, for the feed.
        Ok(()) | Err(SourceError::StillRead { .. } | SourceError::Unknown(_)) => Err(refused),
        Err(error) => Err(error.into()),
    }
}

async fn first_refresh(node: &Node, id: SourceId) -> Result<(Outcome, RefreshReport), SourceError> {
    match node.refresh_now(id, node.is_running()).await {
        Ok(report) => Ok((report.outcome, report.into())),
        // The crawler was faster, and has refreshed already.
        Err(early @ SourceError::TooEarly { .. }) => {
            let (_, state) = node.source(id)?;
            let Some(refresh) = state.recent.back() else { return Err(early) };
            let (source, new_items) = (id, refresh.new_items);
            let (trouble, next_at) = (state.trouble.clone(), state.next_at);
            let report = Report { source, outcome: refresh.outcome, new_items, trouble, next_at };
            Ok((refresh.outcome, report.into()))
        }
        Err(error) => Err(error),
    }
}

fn unusable(node: &Node, id: SourceId, report: RefreshReport) -> Result<Problem, Problem> {
    let (source, _) = node.source(id)?;
    let moved = !node.former_addresses(id)?.is_empty();
    let why = report.trouble.unwrap_or_else(|| report.outcome.to_owned());
    let detail = format!("{} cannot be read: {why}; it was not added", source.url);
    let problem = Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "not a usable source", detail);
    // The page led to a feed, and that was of no use.
    let feeds = if moved { vec![source.url] } else { Vec::new() };
    Ok(Problem { feeds, ..problem }.hint(
        "check the address; to add it all the same, and have it refreshed later, send \
         \"refresh\": false",
    ))
}

/// Whether another refresh would most likely end the same way.
fn is_hopeless(outcome: Outcome) -> bool {
    match outcome {
        Outcome::Changed | Outcome::Unchanged | Outcome::Delta | Outcome::Paused => false,
        Outcome::Failed(FailureKind::Timeout | FailureKind::ServerError) => false,
        Outcome::Gone | Outcome::Failed(_) => true,
    }
}

async fn found(node: &Arc<Node>, named: String) -> Result<SourceId, Problem> {
    let node = Arc::clone(node);
    blocking(node.blocking(), move || find(&node, &named)).await
}

/// The source that somebody means; if there is none, perhaps they meant another.
fn find(node: &Node, named: &str) -> Result<SourceId, Problem> {
    let unknown = match node.find_source(named) {
        Ok(id) => return Ok(id),
        Err(error @ SourceError::Unknown(_)) => error,
        Err(error) => return Err(error.into()),
    };
    let near = |url: &str| strsim::normalized_levenshtein(url, named);
    let urls = node.first_addresses(COMPARED)?;
    let nearest = urls
        .into_iter()
        .filter(|url| url.len() < 300 && named.len() < 300)
        .max_by(|a, b| near(a).total_cmp(&near(b)));
    let problem = Problem::from(unknown);
    Err(match nearest.filter(|url| near(url) > 0.7) {
        Some(url) => problem.hint(format!("did you mean {url} ?")),
        None => problem.hint("GET /api/v1/sources lists those there are"),
    })
}
