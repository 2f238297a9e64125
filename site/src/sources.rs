//! Sources: the list, one source, adding and changing them.

mod add;
mod import;
mod one;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Query, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use http::StatusCode;
use http::header::LOCATION;
use pergola_api::source::{SourceFilter, SourceSort, SourceStanding};
use pergola_api::{ClientError, Problem};
use pergola_pages::inside::sources::list::{self, List, PER_PAGE, Wanted};
use serde::Deserialize;

use crate::answer::{Failure, page};
use crate::site::Site;
use crate::visitor::Manager;

/// Bytes of a list that is imported, with what surrounds it.
const LIST_BYTES: usize = 17 << 20;

/// The routes of these pages.
pub(crate) fn routes() -> Router<Site> {
    let import = get(import::form).post(import::import).layer(DefaultBodyLimit::max(LIST_BYTES));
    Router::new()
        .route("/sources", get(show))
        .route("/sources/new", get(add::form).post(add::add))
        .route("/sources/preview", post(add::preview))
        .route("/sources/import", import)
        .route("/sources/removed", get(one::removed))
        .route("/sources/{id}", get(one::show))
        .route("/sources/{id}/edit", get(one::edit_form).post(one::edit))
        .route("/sources/{id}/pause", post(one::pause))
        .route("/sources/{id}/resume", post(one::resume))
        .route("/sources/{id}/refresh", post(one::refresh))
        .route("/sources/{id}/remove", get(one::removal).post(one::remove))
        .route("/sources/{id}/restore", post(one::restore))
}

/// What the address of the list says. What makes no sense is passed over: somebody may have typed it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    search: String,
    standing: String,
    folder: String,
    sort: String,
    descending: String,
    page: String,
    note: Option<String>,
}

async fn show(
    State(site): State<Site>,
    Manager(visitor): Manager,
    Query(said): Query<Said>,
) -> Result<Response, Failure> {
    let standing = STANDINGS.into_iter().find(|standing| standing.name() == said.standing);
    let sort = SourceSort::ALL.into_iter().find(|sort| sort.name() == said.sort);
    let descending = said.descending == "yes";
    let number = said.page.parse().unwrap_or(1).clamp(1, MOST_PAGES);
    let named = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let filter = SourceFilter {
        standing,
        search: named(&said.search),
        folder: named(&said.folder),
        sort: Some(sort.unwrap_or(SourceSort::Title)),
        descending,
        offset: Some((number - 1) * PER_PAGE),
        limit: Some(PER_PAGE),
        ..SourceFilter::default()
    };
    let sources = site.client.sources(&filter).await?;
    let folders = site.client.folders().await?.folders;
    let (search, folder) = (said.search.trim(), said.folder.trim());
    let wanted = Wanted { search, standing, folder, sort, descending, page: number };
    Ok(page(&list::page(&List {
        viewer: visitor.viewer(),
        wanted,
        page: &sources,
        folders: &folders,
        now: site.node.clock.now(),
        note: said.note.as_deref(),
    })))
}

const STANDINGS: [SourceStanding; 5] = [
    SourceStanding::New,
    SourceStanding::Well,
    SourceStanding::Paused,
    SourceStanding::Failing,
    SourceStanding::Ended,
];
/// No list is longer.
const MOST_PAGES: usize = 1_000_000;

/// Leads to another page after a form was sent.
fn go(to: &str) -> Response {
    (StatusCode::SEE_OTHER, [(LOCATION, to)]).into_response()
}

/// What the API refuses is told in the form; everything else is a page of its own.
fn refused(error: ClientError) -> Result<Box<Problem>, Failure> {
    match error {
        ClientError::Refused(problem) => Ok(problem),
        other => Err(other.into()),
    }
}

/// Names of folders as somebody typed them, separated by commas.
fn folders(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// A text that says something.
fn said(text: &str) -> Option<String> {
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}
