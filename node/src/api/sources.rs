//! Sources: list, add, show, change, remove, refresh now.

use std::sync::Arc;

use axum::Json as Answer;
use axum::extract::State;
use http::StatusCode;
use pergola_api::next::RefreshRequest;
use pergola_api::source::{
    AddSourceRequest, AddedSource, ChangeSourceRequest, FolderList, FolderSize, GivenCredentials,
    PageSelectors, RecentRefresh, RefreshReport, Refreshed, SourceDetail, SourceFilter, SourcePage,
    SourceStanding, SourceStatus,
};
use pergola_api::{Code, Instant};
use pergola_feed::address::masked;
use pergola_feed::html::Selectors;
use pergola_feed::identity::Policy;
use pergola_feed::opml::{folder_name, is_inside};
use pergola_manners::Cooperation;
use pergola_manners::courtesy::{FailureKind, Outcome};
use pergola_manners::secret::Secret;
use pergola_manners::source::Proof;
use pergola_manners::why::Asking;
use pergola_query::nearest;
use pergola_store::archive::{PastRefresh, SourceCard, SourceId, SourceKind};

use super::address::meant;
use super::request::{Json, Named, Parameters, bad_request};
use super::work::{blocking, to_the_end};
use crate::crawl::driver::Report;
use crate::node::{
    NewSource, Node, SourceEdit, SourceError, normal_folders, rhythm, standing, wishes,
};
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
    if let Some(ids) = &filter.ids {
        let ids = numbers(ids)?;
        return blocking(node.blocking(), move || Ok(Answer(named(&node, &ids)))).await;
    }
    let sorted = filter.sort.is_some() || filter.offset.is_some();
    if sorted && filter.after.is_some() {
        return Err(bad_request("`after` goes with no `sort` and no `offset`"));
    }
    let (after, window) = (filter.after.map(SourceId), (filter.offset.unwrap_or(0), limit));
    let order = (filter.sort.unwrap_or_default(), filter.descending);
    let wish = Wish::of(filter);
    if sorted {
        let wanted = move |card: &SourceCard| {
            wish.fits(standing(card.standing), &card.url, card.title.as_deref(), &card.folders)
        };
        return blocking(node.blocking(), move || {
            let (total, sources) = node.sorted_sources(wanted, order, window)?;
            Ok(Answer(SourcePage { sources, next: None, total: Some(total) }))
        })
        .await;
    }
    let wanted = move |source: &SourceStatus| {
        wish.fits(source.standing, &source.url, source.title.as_deref(), &source.folders)
    };
    let mut sources =
        blocking(node.blocking(), move || Ok(node.source_page(after, limit + 1, wanted)?)).await?;
    let more = sources.len() > limit;
    sources.truncate(limit);
    let next = sources.last().filter(|_| more).map(|last| last.id);
    Ok(Answer(SourcePage { sources, next, total: None }))
}

/// Which sources somebody wants to see.
struct Wish {
    standing: Option<SourceStanding>,
    search: Option<String>,
    folder: Option<String>,
}

impl Wish {
    fn of(filter: SourceFilter) -> Self {
        Self {
            standing: filter.standing,
            search: filter.search.map(|text| text.trim().to_lowercase()),
            folder: filter.folder.and_then(|name| folder_name([name])),
        }
    }

    fn fits(
        &self,
        standing: SourceStanding,
        url: &str,
        title: Option<&str>,
        folders: &[String],
    ) -> bool {
        let found = |text: &str| {
            self.search.as_ref().is_none_or(|search| text.to_lowercase().contains(search.as_str()))
        };
        let inside = |outer: &String| folders.iter().any(|folder| is_inside(folder, outer));
        self.standing.is_none_or(|wanted| wanted == standing)
            && self.folder.as_ref().is_none_or(inside)
            && (found(url) || found(title.unwrap_or_default()))
    }
}

/// Numbers of sources, separated by commas.
fn numbers(text: &str) -> Result<Vec<SourceId>, Refusal> {
    let ids: Result<Vec<u32>, _> = text.split(',').map(|id| id.trim().parse()).collect();
    match ids {
        Ok(ids) if ids.len() <= PAGE => Ok(ids.into_iter().map(SourceId).collect()),
        _ => Err(bad_request(format!("`ids` must be at most {PAGE} numbers, separated by commas"))),
    }
}

/// Those of some sources that are there.
fn named(node: &Node, ids: &[SourceId]) -> SourcePage {
    let there = ids.iter().filter_map(|id| node.source(*id).ok());
    SourcePage { sources: there.map(|(source, _)| source).collect(), ..SourcePage::default() }
}

pub(super) async fn folders(State(node): State<Arc<Node>>) -> Answer<FolderList> {
    let sizes = node.folder_sizes().into_iter();
    let folders = sizes.map(|(name, sources)| FolderSize { name, sources }).collect();
    Answer(FolderList { folders })
}

pub(super) async fn add(
    State(node): State<Arc<Node>>,
    Json(request): Json<AddSourceRequest>,
) -> Result<(StatusCode, Answer<AddedSource>), Refusal> {
    let refresh = request.refresh;
    let addresses = meant(&request.url).into_iter();
    let source = |url| new_source(AddSourceRequest { url, ..request.clone() });
    let mut meant: Vec<NewSource> = addresses.map(source).collect::<Result<_, _>>()?;
    // Of several addresses that may be meant, one that is known is.
    meant.sort_by_key(|new| node.at(new.url.as_str()).is_none());
    let is_sure = meant.len() == 1;
    to_the_end(async move {
        let mut why = String::new();
        let mut left = meant.into_iter();
        while let Some(new) = left.next() {
            let taken = format!("{} was taken{why}", masked(new.url.as_str()));
            match add_one(&node, new, refresh, left.len() > 0).await? {
                Attempt::Added(status, mut added) => {
                    added.note = (!is_sure).then_some(taken);
                    return Ok((status, Answer(*added)));
                }
                Attempt::Unreachable(trouble) => {
                    // What to do about it does not matter any more.
                    let trouble = trouble.split(';').next().unwrap_or_default();
                    why = format!(", because https failed: {trouble}");
                }
            }
        }
        Err(bad_request("`url` must be an address"))
    })
    .await
}

/// What became of one of the addresses that may be meant.
enum Attempt {
    Added(StatusCode, Box<AddedSource>),
    /// Nobody can be reached there, and another address is left.
    Unreachable(String),
}

async fn add_one(
    node: &Node,
    new: NewSource,
    refresh: bool,
    another_is_left: bool,
) -> Result<Attempt, Refusal> {
    let url = new.url.to_string();
    let added = node.add_sources(vec![new]).await?;
    let Some(&id) = added.new.first() else {
        return known(node, added.known.first().copied().unwrap_or(SourceId(0)));
    };
    let mut report = None;
    if refresh {
        let first = first_refresh(node, id).await;
        if let Ok((outcome, told)) = &first
            && another_is_left
            && is_unreachable(*outcome)
        {
            node.take_back_source(id).await?;
            return Ok(Attempt::Unreachable(told.trouble.clone().unwrap_or_default()));
        }
        report = Some(keep_if_usable(node, id, first).await?);
    }
    // Its page, or a redirect, may have led to a source that was there.
    node.merge_arrivals().await?;
    match node.source(id) {
        Ok((source, _)) => {
            let added = AddedSource { source, report, note: None, known: false };
            Ok(Attempt::Added(StatusCode::CREATED, Box::new(added)))
        }
        Err(SourceError::Unknown(_)) => known(node, node.find_source(&url)?),
        Err(error) => Err(error.into()),
    }
}

/// A source that was there.
fn known(node: &Node, id: SourceId) -> Result<Attempt, Refusal> {
    let (source, _) = node.source(id)?;
    let added = AddedSource { source, report: None, note: None, known: true };
    Ok(Attempt::Added(StatusCode::OK, Box::new(added)))
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
        let (next, now) = (node.next_refresh(id)?, node.clock.now());
        Ok(Answer(SourceDetail {
            source,
            rhythm: rhythm(&state.schedule, next.at.map(Instant::unix), now),
            wishes: wishes(&state.courtesy, now),
            read_by: node.reading_feeds(id),
            page: node.selectors(id)?.map(page_selectors),
            home: state.home.as_deref().map(|home| masked(home).into_owned()),
            next,
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
    let ChangeSourceRequest { private, credentials, folders, title, importance, paused } = request;
    let title = title.map(|title| title.filter(|title| !title.trim().is_empty()));
    title.iter().flatten().try_for_each(|title| short(title))?;
    importance.map_or(Ok(()), importance_fits)?;
    let proof = credentials.map(|given| given.map(proof).transpose()).transpose()?;
    let folders = folders.map(named_folders).transpose()?;
    let id = found(&node, named).await?;
    to_the_end(async move {
        let halted = paused;
        node.edit_source(id, SourceEdit { title, importance, halted, private, proof }).await?;
        if let Some(folders) = folders {
            node.set_folders(id, folders).await?;
        }
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
    Parameters(RefreshRequest { force }): Parameters<RefreshRequest>,
) -> Result<Answer<Refreshed>, Refusal> {
    let id = found(&node, named).await?;
    let asking = if force { Asking::Anyway } else { Asking::Politely };
    let running = node.is_running();
    let refresh = async move { Ok(node.refresh_by_hand(id, asking, running).await?) };
    let report = report(to_the_end(refresh).await?);
    Ok(Answer(Refreshed { report }))
}

/// If the first refresh of a source failed for good, the source is removed again.
async fn keep_if_usable(
    node: &Node,
    id: SourceId,
    first: Result<(Outcome, RefreshReport), SourceError>,
) -> Result<RefreshReport, Refusal> {
    let refusal = match first {
        Ok((outcome, report)) if !is_hopeless(outcome) => return Ok(report),
        Ok((_, report)) => unusable(node, id, report)?,
        Err(error) => error.into(),
    };
    match node.take_back_source(id).await {
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

/// Whether no answer came, so that another port or protocol may be worth a try.
fn is_unreachable(outcome: Outcome) -> bool {
    use FailureKind::{Connect, Protocol, Timeout, Tls};
    matches!(outcome, Outcome::Failed(Connect | Tls | Timeout | Protocol))
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
    let AddSourceRequest { url, title, importance, list, page, cooperate, only_new, .. } = request;
    let folders = named_folders(request.folders)?;
    let (private, proof) = (request.private, request.credentials.map(proof).transpose()?);
    let cooperate = cooperate.map(Cooperation::of).transpose();
    let cooperate = cooperate.map_err(|error| bad_request(format!("`cooperate`: {error}")))?;
    importance.map_or(Ok(()), importance_fits)?;
    short(&url)?;
    title.as_ref().map_or(Ok(()), |title| short(title))?;
    let kind = match (page, list) {
        (Some(_), true) => return Err(bad_request("a source is a `list` or a `page`, not both")),
        (Some(page), false) => SourceKind::Page(selectors(page)?),
        (None, true) => SourceKind::List,
        (None, false) => SourceKind::Feed,
    };
    let new = NewSource::feed(&url)?.shown(proof);
    Ok(NewSource { title, kind, importance, cooperate, folders, only_new, private, ..new })
}

fn importance_fits(importance: f32) -> Result<(), Refusal> {
    match importance > 0.0 && importance <= 1_000.0 {
        true => Ok(()),
        false => Err(bad_request("`importance` must be above 0, up to 1000")),
    }
}

/// The folders that somebody named, in their normal form.
fn named_folders(given: Vec<String>) -> Result<Vec<String>, Refusal> {
    given.iter().try_for_each(|name| short(name))?;
    match given.iter().find(|name| folder_name([name]).is_none()) {
        Some(name) => Err(bad_request(format!("{name:?} is no name of a folder"))),
        None => Ok(normal_folders(given)),
    }
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

/// Selectors as the API tells them.
fn page_selectors(page: Selectors) -> PageSelectors {
    let Selectors { item, title, link, date, content } = page;
    PageSelectors { item, title, link, date, content }
}

pub(super) fn selectors(page: PageSelectors) -> Result<Selectors, Refusal> {
    let PageSelectors { item, title, link, date, content } = page;
    if item.trim().is_empty() {
        return Err(bad_request("`page.item` must be a CSS selector"));
    }
    for text in [&title, &link, &date, &content].into_iter().flatten().chain([&item]) {
        short(text)?;
    }
    Ok(Selectors { item, title, link, date, content })
}

pub(super) fn short(text: &str) -> Result<(), Refusal> {
    if text.len() <= TEXT_BYTES {
        return Ok(());
    }
    let what = "a URL, title, folder, selector, password or header";
    Err(bad_request(format!("{what} has at most {TEXT_BYTES} bytes")))
}

fn report(report: Report) -> RefreshReport {
    RefreshReport {
        outcome: report.outcome.name().to_owned(),
        failure: failure(report.outcome),
        new_items: report.new_items,
        trouble: report.trouble,
        next_refresh: report.next_at.is_finite().then(|| Instant::from_unix(report.next_at)),
    }
}

fn recent(refresh: &PastRefresh) -> RecentRefresh {
    let PastRefresh { at, outcome, new_items, bytes } = *refresh;
    let (name, failure) = (outcome.name().to_owned(), failure(outcome));
    let at = Instant::from_unix(at);
    RecentRefresh { at, outcome: name, failure, new_items, bytes }
}

fn failure(outcome: Outcome) -> Option<String> {
    match outcome {
        Outcome::Failed(kind) => Some(kind.name().to_owned()),
        _ => None,
    }
}
