//! What a request says, read strictly; what is wrong with it is told as a problem.

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{HeaderMap, StatusCode};
use serde::de::DeserializeOwned;

use crate::publish::Problem;

/// A body in JSON.
pub(super) struct Json<T>(pub(super) T);

/// The part of the address after `?`.
pub(super) struct Asking<T>(pub(super) T);

/// The name or number in the address.
pub(super) struct Named(pub(super) String);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        if !is_json(request.headers()) {
            let detail = "the body must be JSON";
            let problem = Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not JSON", detail);
            return Err(problem.hint("send `Content-Type: application/json`"));
        }
        let bytes = Bytes::from_request(request, state).await.map_err(unread)?;
        json(&bytes).map(Self)
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Asking<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        match Query::try_from_uri(&parts.uri) {
            Ok(Query(asked)) => Ok(Self(asked)),
            Err(rejection) => Err(bad_request(rejection.body_text())),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Named {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        match Path::from_request_parts(parts, state).await {
            Ok(Path(name)) => Ok(Self(name)),
            Err(rejection) => Err(bad_request(rejection.body_text())),
        }
    }
}

/// Whether the body says that it is JSON.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json")
}

/// A body in JSON.
pub(super) fn json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(bytes)
        .map_err(|error| bad_request(format!("the body is wrong: {error}")))
}

/// Why a body could not be had.
pub(super) fn unread(rejection: BytesRejection) -> Problem {
    match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            let detail = "the body is larger than this route takes";
            Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too large", detail)
                .hint("1 MiB is taken, a list of sources may have 16 MiB; send less at once")
        }
        _ => bad_request(rejection.body_text()),
    }
}

/// Something in the request makes no sense.
pub(super) fn bad_request(detail: impl Into<Box<str>>) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, "bad request", detail)
}
