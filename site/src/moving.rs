//! Imports from other readers, and exports of everything that a user owns: by the page, and by the API.

mod bring;
mod marks;
mod take;

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::multipart::{Multipart, MultipartError, MultipartRejection};
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use http::header::CONTENT_TYPE;
use pergola_accounts::UserId;
use pergola_accounts::name::OPERATOR;
use pergola_api::{Code, Problem, problem};
use pergola_node::api::Annex;
use pergola_node::node::{Mistake, Node, PeopleError};
use pergola_pages::inside::import as pages;

use crate::answer::{Failure, page, page_with};
use crate::door::{IMPORT, UPLOAD};
use crate::read::export::file;
use crate::site::Site;
use crate::visitor::Reader;

const ZIP: &str = "application/zip";

/// The routes of these pages.
pub(crate) fn routes() -> Router<Site> {
    let import = get(form).post(import).layer(DefaultBodyLimit::max(UPLOAD));
    Router::new()
        .route(IMPORT, import)
        .route("/settings/account/export/everything.zip", get(export))
}

/// The REST API of a node, with the routes that its site answers.
pub fn api(node: Arc<Node>) -> Router {
    pergola_node::api::router(Arc::clone(&node)).layer(annex(node))
}

/// The routes of the API that the site answers for the node, which has checked who calls.
pub(crate) fn annex(node: Arc<Node>) -> Extension<Annex> {
    let import = post(import_for).layer(DefaultBodyLimit::max(UPLOAD));
    let routes = Router::new()
        .route("/api/v1/users/{user}/export", get(export_for))
        .route("/api/v1/users/{user}/import", import);
    Extension(Annex(routes.with_state(node)))
}

async fn form(reader: Reader) -> Response {
    page(&pages::page(reader.visitor.viewer(), None, None))
}

async fn import(
    State(site): State<Site>,
    reader: Reader,
    sent: Result<Multipart, MultipartRejection>,
) -> Response {
    let read = match sent {
        Ok(sent) => uploaded(sent).await,
        Err(rejection) => Err(bad(rejection.body_text())),
    };
    let viewer = reader.visitor.viewer();
    let done = match read {
        Ok(bytes) => bring::bring(Arc::clone(&site.node), reader.user, bytes).await,
        Err(failure) => Err(failure),
    };
    match done {
        Ok(report) => page(&pages::page(viewer, Some(&report), None)),
        Err(failure) => {
            let problem = failure.problem();
            page_with(problem.code.status(), &pages::page(viewer, None, Some(problem)))
        }
    }
}

/// The file that was sent.
async fn uploaded(mut sent: Multipart) -> Result<Bytes, Failure> {
    let broken = |error: MultipartError| bad(error.body_text());
    while let Some(field) = sent.next_field().await.map_err(broken)? {
        if field.name() == Some("file") {
            let bytes = field.bytes().await.map_err(broken)?;
            if !bytes.is_empty() {
                return Ok(bytes);
            }
        }
    }
    Err(bad("choose a file first: the one that came is empty"))
}

fn bad(detail: impl Into<String>) -> Failure {
    Failure::new(Code::NotAnExport, detail)
}

async fn export(State(site): State<Site>, reader: Reader) -> Result<Response, Failure> {
    let bytes = site.ask(move |node| take::take(node, reader.user)).await?;
    Ok(file(ZIP, "pergola.zip", bytes))
}

async fn export_for(
    State(node): State<Arc<Node>>,
    Path(name): Path<String>,
) -> Result<Response, Told> {
    let user = user(&node, &name).await?;
    let own = Arc::clone(&node);
    let taken = node.blocking().run(move || take::take(&own, user)).await;
    let bytes = taken.map_err(PeopleError::from).flatten().map_err(Failure::from)?;
    Ok(file(ZIP, "pergola.zip", bytes))
}

async fn import_for(
    State(node): State<Arc<Node>>,
    Path(name): Path<String>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Told> {
    let user = user(&node, &name).await?;
    let body = body.map_err(|rejection| {
        let detail = format!("{}; {} MiB are allowed", rejection.body_text(), UPLOAD >> 20);
        Failure::new(Code::TooLarge, detail)
    })?;
    Ok(Json(bring::bring(node, user, body).await?).into_response())
}

/// The user of this name. The built-in user has one while nobody else does.
async fn user(node: &Node, name: &str) -> Result<UserId, Failure> {
    if name == OPERATOR && node.users()?.is_empty() {
        return Ok(node.operator_user().await?);
    }
    let found = node.find_user(name)?.map(|user| user.id);
    let name = name.chars().take(100).collect();
    let unknown = || Failure::new(Code::UnknownUser, Mistake::UnknownUser(name).to_string());
    found.ok_or_else(unknown)
}

/// What went wrong, told to a program.
struct Told(Failure);

impl From<Failure> for Told {
    fn from(failure: Failure) -> Self {
        Self(failure)
    }
}

impl IntoResponse for Told {
    fn into_response(self) -> Response {
        let problem: &Problem = self.0.problem();
        let headers = [(CONTENT_TYPE, problem::MEDIA_TYPE)];
        (problem.code.status(), headers, Json(problem).into_response().into_body()).into_response()
    }
}
