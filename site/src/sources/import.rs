//! Importing subscriptions.

use axum::extract::State;
use axum::extract::multipart::{Multipart, MultipartError, MultipartRejection};
use axum::response::Response;
use http::StatusCode;
use pergola_api::operation::ImportRequest;
use pergola_api::{Code, Problem};
use pergola_feed::opml::Opml;
use pergola_pages::inside::sources::import as pages;

use super::refused;
use crate::answer::{Failure, page, page_with};
use crate::site::Site;
use crate::visitor::Manager;

pub(super) async fn form(Manager(visitor): Manager) -> Response {
    page(&pages::page(visitor.viewer(), None, None))
}

pub(super) async fn import(
    State(site): State<Site>,
    Manager(visitor): Manager,
    sent: Result<Multipart, MultipartRejection>,
) -> Result<Response, Failure> {
    let read = match sent {
        Ok(sent) => read(sent).await,
        Err(rejection) => Err(problem(rejection.body_text())),
    };
    let imported = match read {
        Ok(list) => site.client.import_opml(&list).await.map_err(refused),
        Err(problem) => Err(Ok(problem)),
    };
    match imported {
        Ok(report) => Ok(page(&pages::page(visitor.viewer(), Some(&report), None))),
        Err(problem) => {
            let problem = problem?;
            let shown = pages::page(visitor.viewer(), None, Some(&problem));
            Ok(page_with(problem.code.status(), &shown))
        }
    }
}

/// The list that was sent.
async fn read(mut sent: Multipart) -> Result<ImportRequest, Box<Problem>> {
    let broken = |error: MultipartError| unreadable(&error);
    let mut list = ImportRequest { opml: String::new(), feed: None, only_new: false };
    while let Some(field) = sent.next_field().await.map_err(broken)? {
        match field.name().unwrap_or_default() {
            "file" => {
                let bytes = field.bytes().await.map_err(broken)?;
                list.opml = Opml::text(&bytes).into_owned();
            }
            "only_new" => list.only_new = field.text().await.map_err(broken)? == "yes",
            _ => {}
        }
    }
    match list.opml.trim().is_empty() {
        true => Err(problem("choose a file first: the one that came is empty")),
        false => Ok(list),
    }
}

/// Why an upload cannot be read.
fn unreadable(error: &MultipartError) -> Box<Problem> {
    if error.status() != StatusCode::PAYLOAD_TOO_LARGE {
        return problem(error.body_text());
    }
    let detail = "the file is too large: 16 MiB are allowed. Split the list into several files, and import one \
                  after the other";
    Box::new(Problem::new(Code::TooLarge, detail))
}

fn problem(detail: impl Into<String>) -> Box<Problem> {
    Box::new(Problem::new(Code::NotOpml, detail))
}
