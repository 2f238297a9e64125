//! Why an app gets no answer, and the short answers in plain text.

use axum::response::{IntoResponse, Response};
use http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use pergola_api::ClientError;
use pergola_node::node::{Mistake, PeopleError, SourceError};
use pergola_reader_api::login;
use pergola_reader_api::request::BadRequest;
use pergola_store::archive::ArchiveError;

/// Says that the token of a change is not the right one. Apps then ask for another.
const BAD_TOKEN: HeaderName = HeaderName::from_static("x-reader-google-bad-token");

/// Why an app gets no answer.
#[derive(Debug)]
pub(super) enum Refused {
    /// It has not logged in, or not with the right password.
    Unknown { at_login: bool },
    /// The token of a change is not the one that it was given.
    BadToken,
    /// Too many wrong passwords.
    TooEarly { seconds: f64 },
    /// It asks for what cannot be.
    Bad(String),
    /// It may not do this.
    Forbidden(String),
    /// The node could not do it.
    Failed,
}

impl Refused {
    /// Something that the log must say.
    pub(super) fn failed(error: impl std::fmt::Display) -> Self {
        tracing::error!(%error, "a reader app could not be answered");
        Self::Failed
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let mut headers = HeaderMap::new();
        let (status, text) = match self {
            Self::Unknown { at_login } => {
                let scheme = HeaderValue::from_static("GoogleLogin realm=\"reader\"");
                headers.insert(WWW_AUTHENTICATE, scheme);
                let text = if at_login { login::WRONG } else { login::UNAUTHORIZED };
                (StatusCode::UNAUTHORIZED, text.to_owned())
            }
            Self::BadToken => {
                headers.insert(BAD_TOKEN, HeaderValue::from_static("true"));
                (StatusCode::UNAUTHORIZED, login::UNAUTHORIZED.to_owned())
            }
            Self::TooEarly { seconds } => {
                let wait = seconds.ceil().max(1.0) as u64;
                headers.insert(RETRY_AFTER, wait.into());
                let text = format!("too many wrong passwords: try again in {wait} seconds\n");
                (StatusCode::TOO_MANY_REQUESTS, text)
            }
            Self::Bad(detail) => (StatusCode::BAD_REQUEST, format!("{detail}\n")),
            Self::Forbidden(detail) => (StatusCode::FORBIDDEN, format!("{detail}\n")),
            Self::Failed => {
                let text = "the node could not do this now; its log says why\n".to_owned();
                (StatusCode::SERVICE_UNAVAILABLE, text)
            }
        };
        (status, headers, text).into_response()
    }
}

impl From<BadRequest> for Refused {
    fn from(error: BadRequest) -> Self {
        Self::Bad(error.to_string())
    }
}

impl From<ArchiveError> for Refused {
    fn from(error: ArchiveError) -> Self {
        Self::failed(error)
    }
}

impl From<SourceError> for Refused {
    fn from(error: SourceError) -> Self {
        match error {
            SourceError::Archive(_) | SourceError::NotCommitted(_) => Self::failed(error),
            other => Self::Bad(other.to_string()),
        }
    }
}

impl From<PeopleError> for Refused {
    fn from(error: PeopleError) -> Self {
        match error {
            PeopleError::Mistake(Mistake::Archive(error)) => error.into(),
            PeopleError::Mistake(mistake) => Self::Bad(mistake.to_string()),
            PeopleError::WrongPassword => Self::Unknown { at_login: true },
            PeopleError::TooEarly(early) => Self::TooEarly { seconds: early.seconds },
            PeopleError::Source(error) => error.into(),
            other => Self::failed(other),
        }
    }
}

impl From<ClientError> for Refused {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Refused(problem) => {
                let hint = problem.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
                Self::Bad(format!("{}{hint}", problem.detail))
            }
            other => Self::failed(other),
        }
    }
}

/// A change was made. Apps compare the text.
pub(super) fn ok() -> &'static str {
    "OK"
}

/// The address of the API itself, as somebody tries it in a browser.
pub(super) async fn alive() -> &'static str {
    "OK: this is the address for reader apps. Enter it in an app that speaks the Google Reader API.\n"
}
