//! What a request says, read strictly.

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{HeaderMap, StatusCode};
use pergola_api::Code;
use serde::de::DeserializeOwned;

use crate::publish::Refusal;

/// A JSON body.
pub(super) struct Json<T>(pub(super) T);

/// The parameters after `?`.
pub(super) struct Parameters<T>(pub(super) T);

/// The name or number in the path.
pub(super) struct Named(pub(super) String);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        if !is_json(request.headers()) {
            let refusal = Refusal::new(Code::NotJson, "the body must be JSON");
            return Err(refusal.hint("send `Content-Type: application/json`"));
        }
        let bytes = Bytes::from_request(request, state).await.map_err(unread)?;
        json(&bytes).map(Self)
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Parameters<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        match Query::try_from_uri(&parts.uri) {
            Ok(Query(parameters)) => Ok(Self(parameters)),
            Err(rejection) => Err(bad_request(rejection.body_text())),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Named {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        match Path::from_request_parts(parts, state).await {
            Ok(Path(name)) => Ok(Self(name)),
            Err(rejection) => Err(bad_request(rejection.body_text())),
        }
    }
}

/// Whether the headers declare a JSON body.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json")
}

/// Parses a JSON body.
pub(super) fn json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refusal> {
    serde_json::from_slice(bytes)
        .map_err(|error| bad_request(format!("the body is wrong: {error}")))
}

/// Why the body could not be read.
pub(super) fn unread(rejection: BytesRejection) -> Refusal {
    match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            Refusal::new(Code::TooLarge, "the body is larger than this route accepts")
                .hint("send less at once: at most 1 MiB, or 16 MiB for an OPML list")
        }
        _ => bad_request(rejection.body_text()),
    }
}

/// A part of the request makes no sense.
pub(super) fn bad_request(detail: impl Into<String>) -> Refusal {
    Refusal::new(Code::BadRequest, detail)
}
