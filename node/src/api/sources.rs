//! Sources: list, add, show, change, remove, refresh now.

use std::sync::Arc;

use axum::Json as Answer;
use axum::extract::State;
use http::StatusCode;
use pergola_api::Code;
use pergola_api::source::{
    AddSourceRequest, AddedSource, ChangeSourceRequest, GivenCredentials, PageSelectors,
    RecentRefresh, RefreshReport, Refreshed, SourceDetail, SourceFilter, SourcePage, SourceStatus,
};
use pergola_feed::html::Selectors;
use pergola_feed::identity::Policy;
use pergola_manners::Cooperation;
use pergola_manners::courtesy::{FailureKind, Outcome};
use pergola_manners::secret::Secret;
use pergola_manners::source::Proof;
use pergola_query::nearest;
use pergola_store::archive::{PastRefresh, SourceId, SourceKind};

use super::request::{Json, Named, Parameters, bad_request};
use super::work::{blocking, to_the_end};
use crate::crawl::driver::Report;
use crate::node::{NewSource, Node, SourceEdit, SourceError};
use crate::publish::Refusal;

/// Sources that are listed by default, and at most.
const PAGE: usize = 500;
const LARGEST_PAGE: usize = 5_000;
/// Sources whose URLs are compared with one that does not exist.
const COMPARED: usize = 2_000;
/// Bytes of a URL, a title, a selector or a secret.
const TEXT_BYTES: usize = 4_096;

pub(super) async fn list(
    State(node): State<Arc<Node>>,
    Parameters(filter): Parameters<SourceFilter>,
) -> Result<Answer<SourcePage>, Refusal> {
    let limit = filter.limit.unwrap_or(PAGE);
    if !(1..=LARGEST_PAGE).contains(&limit) {
        return Err(bad_request(format!("`limit` must be from 1 to {LARGEST_PAGE}")));
    }
    let search = filter.search.map(|text| text.to_lowercase());
    let wanted = move |source: &SourceStatus| {
        let found = |text: &str| {
            search.as_ref().is_none_or(|search| text.to_lowercase().contains(search.as_str()))
        };
        filter.standing.is_none_or(|standing| standing == source.standing)
            && (found(&source.url) || found(source.title.as_deref().unwrap_or_default()))
    };
    let after = filter.after.map(SourceId);
    let mut sources =
        blocking(node.blocking(), move || Ok(node.source_page(after, limit + 1, wanted)?)).await?;
    let more = sources.len() > limit;
    sources.truncate(limit);
    let next = sources.last().filter(|_| more).map(|last| last.id);
    Ok(Answer(SourcePage { sources, next }))
}

pub(super) async fn add(
    State(node): State<Arc<Node>>,
    Json(request): Json<AddSourceRequest>,
) -> Result<(StatusCode, Answer<AddedSource>), Refusal> {
    let refresh = request.refresh;
    let new = new_source(request)?;
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

pub(super) async fn show(
    State(node): State<Arc<Node>>,
    Named(named): Named,
) -> Result<Answer<SourceDetail>, Refusal> {
    blocking(node.blocking(), move || {
        let id = find(&node, &named)?;
        let (source, state) = node.source(id)?;
        let formerly = node.former_addresses(id)?;
        let identity = node.identity_policy(id)?;
        let identity = match identity {
            Policy::Id => "id",
            Policy::Link => "link",
            Policy::Digest => "digest",
        };
        Ok(Answer(SourceDetail {
            source,
            recent: state.recent.iter().map(recent).collect(),
            formerly,
            identity: identity.to_owned(),
            push: node.push_status(id),
        }))
    })
    .await
}

pub(super) async fn change(
    State(node): State<Arc<Node>>,
    Named(named): Named,
    Json(request): Json<ChangeSourceRequest>,
) -> Result<Answer<SourceStatus>, Refusal> {
    let ChangeSourceRequest { private, credentials } = request;
    let proof = credentials.map(|given| given.map(proof).transpose()).transpose()?;
    let id = found(&node, named).await?;
    to_the_end(async move {
        node.edit_source(id, SourceEdit { private, proof }).await?;
        Ok(Answer(node.source(id)?.0))
    })
    .await
}

pub(super) async fn remove(
    State(node): State<Arc<Node>>,
    Named(named): Named,
) -> Result<StatusCode, Refusal> {
    let id = found(&node, named).await?;
    to_the_end(async move { Ok(node.remove_source(id).await?) }).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn refresh(
    State(node): State<Arc<Node>>,
    Named(named): Named,
) -> Result<Answer<Refreshed>, Refusal> {
    let id = found(&node, named).await?;
    let refresh = async move { Ok(node.refresh_now(id, node.is_running()).await?) };
    let report = report(to_the_end(refresh).await?);
    Ok(Answer(Refreshed { report }))
}

/// Refreshes a source that was just added. If the refresh fails for good, the source is removed again.
async fn refresh_new(node: &Node, id: SourceId) -> Result<RefreshReport, Refusal> {
    let refusal = match first_refresh(node, id).await {
        Ok((outcome, report)) if !is_hopeless(outcome) => return Ok(report),
        Ok((_, report)) => unusable(node, id, report)?,
        Err(error) => error.into(),
    };
    match node.remove_source(id).await {
        // If a feed was created meanwhile that reads it, it stays.
        Ok(()) | Err(SourceError::StillRead { .. } | SourceError::Unknown(_)) => Err(refusal),
        Err(error) => Err(error.into()),
    }
}

async fn first_refresh(node: &Node, id: SourceId) -> Result<(Outcome, RefreshReport), SourceError> {
    match node.refresh_now(id, node.is_running()).await {
        Ok(done) => Ok((done.outcome, report(done))),
        // The crawler was faster.
        Err(early @ SourceError::TooEarly { .. }) => {
            let (_, state) = node.source(id)?;
            let Some(refresh) = state.recent.back() else { return Err(early) };
            let (source, new_items) = (id, refresh.new_items);
            let (trouble, next_at) = (state.trouble.clone(), state.next_at);
            let done = Report { source, outcome: refresh.outcome, new_items, trouble, next_at };
            Ok((refresh.outcome, report(done)))
        }
        Err(error) => Err(error),
    }
}

fn unusable(node: &Node, id: SourceId, report: RefreshReport) -> Result<Refusal, Refusal> {
    let (source, _) = node.source(id)?;
    let moved = !node.former_addresses(id)?.is_empty();
    let why = report.trouble.unwrap_or(report.outcome);
    let detail = format!("{} cannot be read: {why}; it was not added", source.url);
    // The page led to a feed, and that feed was of no use.
    let feeds = if moved { vec![source.url] } else { Vec::new() };
    Ok(Refusal::new(Code::UnusableSource, detail)
        .feeds(feeds)
        .hint("check the URL; to add it anyway and refresh it later, send \"refresh\": false"))
}

/// Whether another refresh would most likely end the same way.
fn is_hopeless(outcome: Outcome) -> bool {
    match outcome {
        Outcome::Changed | Outcome::Unchanged | Outcome::Delta | Outcome::Paused => false,
        Outcome::Failed(FailureKind::Timeout | FailureKind::ServerError) => false,
        Outcome::Gone | Outcome::Failed(_) => true,
    }
}

async fn found(node: &Arc<Node>, named: String) -> Result<SourceId, Refusal> {
    let node = Arc::clone(node);
    blocking(node.blocking(), move || find(&node, &named)).await
}

/// The source with this number or URL. If there is none, the refusal names the most similar URL.
fn find(node: &Node, named: &str) -> Result<SourceId, Refusal> {
    let refusal = match node.find_source(named) {
        Ok(id) => return Ok(id),
        Err(error @ SourceError::Unknown(_)) => Refusal::from(error),
        Err(error) => return Err(error.into()),
    };
    Err(match nearest(named, node.first_addresses(COMPARED)?) {
        Some(url) => refusal.hint(format!("did you mean {url} ?")).nearest(url),
        None => refusal,
    })
}

/// The source that a request describes, if it makes sense.
fn new_source(request: AddSourceRequest) -> Result<NewSource, Refusal> {
    let AddSourceRequest { url, title, importance, list, page, cooperate, .. } = request;
    let (private, proof) = (request.private, request.credentials.map(proof).transpose()?);
    let cooperate = cooperate.map(Cooperation::of).transpose();
    let cooperate = cooperate.map_err(|error| bad_request(format!("`cooperate`: {error}")))?;
    let importance = importance.unwrap_or(1.0);
    if !(importance > 0.0 && importance <= 1_000.0) {
        return Err(bad_request("`importance` must be above 0, up to 1000"));
    }
    short(&url)?;
    title.as_ref().map_or(Ok(()), |title| short(title))?;
    let kind = match (page, list) {
        (Some(_), true) => return Err(bad_request("a source is a `list` or a `page`, not both")),
        (Some(page), false) => SourceKind::Page(selectors(page)?),
        (None, true) => SourceKind::List,
        (None, false) => SourceKind::Feed,
    };
    let new = NewSource::feed(&url)?.shown(proof);
    Ok(NewSource { title, kind, importance, cooperate, private, ..new })
}

/// What a source is to be shown, if it can be sent.
fn proof(given: GivenCredentials) -> Result<Proof, Refusal> {
    let (GivenCredentials::Password { user: a, password: b }
    | GivenCredentials::Header { header: a, value: b }) = &given;
    short(a).and(short(b))?;
    let proof = match given {
        GivenCredentials::Password { user, password } => {
            Proof::Password { user, password: Secret::new(password) }
        }
        GivenCredentials::Header { header, value } => {
            Proof::Header { name: header, value: Secret::new(value) }
        }
    };
    proof.checked().map_err(|error| bad_request(format!("`credentials`: {error}")))
}

fn selectors(page: PageSelectors) -> Result<Selectors, Refusal> {
    let PageSelectors { item, title, link, date, content } = page;
    if item.trim().is_empty() {
        return Err(bad_request("`page.item` must be a CSS selector"));
    }
    for text in [&title, &link, &date, &content].into_iter().flatten().chain([&item]) {
        short(text)?;
    }
    Ok(Selectors { item, title, link, date, content })
}

fn short(text: &str) -> Result<(), Refusal> {
    if text.len() <= TEXT_BYTES {
        return Ok(());
    }
    let what = "a URL, title, selector, password or header";
    Err(bad_request(format!("{what} has at most {TEXT_BYTES} bytes")))
}

fn report(report: Report) -> RefreshReport {
    RefreshReport {
        outcome: report.outcome.name().to_owned(),
        failure: failure(report.outcome),
        new_items: report.new_items,
        trouble: report.trouble,
        next_refresh: report.next_at.is_finite().then_some(report.next_at),
    }
}

fn recent(refresh: &PastRefresh) -> RecentRefresh {
    let PastRefresh { at, outcome, new_items, bytes } = *refresh;
    let (name, failure) = (outcome.name().to_owned(), failure(outcome));
    RecentRefresh { at, outcome: name, failure, new_items, bytes }
}

fn failure(outcome: Outcome) -> Option<String> {
    match outcome {
        Outcome::Failed(kind) => Some(kind.name().to_owned()),
        _ => None,
    }
}
