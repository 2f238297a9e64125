//! Pages as answers, and what went wrong as a page.

use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY};
use http::{HeaderValue, StatusCode};
use pergola_api::{ClientError, Code, Problem};
use pergola_node::node::{Mistake, PeopleError};
use pergola_node::publish::respond;
use pergola_outside::surroundings::Panicked;
use pergola_pages::frame::LIVE_POLICY;
use pergola_pages::{Markup, public};
use pergola_store::archive::ArchiveError;

/// A page for those who read and manage.
pub(crate) fn page(markup: &Markup) -> Response {
    page_with(StatusCode::OK, markup)
}

/// … that says what was wrong.
pub(crate) fn page_with(status: StatusCode, markup: &Markup) -> Response {
    let mut response = respond(status, markup);
    let policy = HeaderValue::from_static(LIVE_POLICY);
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    // Without a referrer, browsers hide where a form comes from, and it would be refused.
    let referrer = HeaderValue::from_static("same-origin");
    response.headers_mut().insert(REFERRER_POLICY, referrer);
    response
}

/// Why a page cannot be shown or a change not be made.
#[derive(Debug)]
pub(crate) struct Failure(Box<Problem>);

impl Failure {
    pub(crate) fn new(code: Code, detail: impl Into<String>) -> Self {
        Self(Box::new(Problem::new(code, detail)))
    }

    /// What went wrong, to be told within a page or to a program.
    pub(crate) fn problem(&self) -> &Problem {
        &self.0
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Refused(problem) => Self(problem),
            other => {
                tracing::error!(error = %other, "a page could not call the API");
                Self::new(Code::Unavailable, "the node could not answer; its log says why")
            }
        }
    }
}

impl From<PeopleError> for Failure {
    fn from(error: PeopleError) -> Self {
        let detail = error.to_string();
        match error {
            PeopleError::Mistake(Mistake::Archive(error)) | PeopleError::Archive(error) => {
                error.into()
            }
            PeopleError::Mistake(Mistake::Unreadable(_) | Mistake::NotFollowed(_)) => {
                Self::new(Code::UnknownSource, detail)
            }
            PeopleError::Mistake(_) => Self::new(Code::BadUser, detail),
            PeopleError::WrongPassword => Self::new(Code::NotAllowed, detail),
            PeopleError::TooEarly(_) => Self::new(Code::TooManyRequests, detail),
            PeopleError::NoRandomness
            | PeopleError::Ended(_)
            | PeopleError::Source(_)
            | PeopleError::NotCommitted(_) => own_fault(&detail),
        }
    }
}

impl From<ArchiveError> for Failure {
    fn from(error: ArchiveError) -> Self {
        own_fault(&error.to_string())
    }
}

impl From<Panicked> for Failure {
    fn from(error: Panicked) -> Self {
        own_fault(&error.to_string())
    }
}

fn own_fault(detail: &str) -> Failure {
    tracing::error!(detail, "a page could not be made");
    Failure::new(Code::Unavailable, "the node could not answer; its log says why")
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        respond(self.0.code.status(), &public::problem::page(&self.0))
    }
}
