//! From a call to a request of the API, and from its answer back.

use std::net::SocketAddr;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::response::Response;
use http::header::{CONTENT_TYPE, HOST};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tonic::{Code, Request, Status};
use tower::ServiceExt;

use crate::peer::caller::Addressed;

/// Bytes of an answer that is not sent in pieces.
const ANSWER_BYTES: usize = 64 << 20;

/// By what the API decides who may ask.
pub(super) struct Door {
    headers: HeaderMap,
    caller: Option<ConnectInfo<SocketAddr>>,
}

impl Door {
    /// Takes a call apart.
    pub(super) fn of<M>(request: Request<M>) -> (Self, M) {
        let (metadata, extensions, message) = request.into_parts();
        let mut headers = metadata.into_headers();
        for transport in
            ["content-type", "content-length", "te", "grpc-encoding", "accept-encoding"]
        {
            headers.remove(HeaderName::from_static(transport));
        }
        let addressed = extensions.get::<Addressed>().and_then(|Addressed(name)| name.as_ref());
        let addressed = addressed.and_then(|name| HeaderValue::try_from(name.as_str()).ok());
        if let Some(addressed) = addressed {
            headers.entry(HOST).or_insert(addressed);
        }
        let caller = extensions.get::<ConnectInfo<SocketAddr>>().copied();
        (Self { headers, caller }, message)
    }

    /// Asks the API; what it refuses is a status.
    pub(super) async fn answer(
        self,
        api: &Router,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<Response, Status> {
        let body = body.filter(|body| !body.is_null());
        let content = body.as_ref().map_or_else(Body::empty, |body| Body::from(body.to_string()));
        let mut request = axum::extract::Request::new(content);
        *request.method_mut() = method;
        *request.uri_mut() = path.parse().map_err(|_| Status::invalid_argument("an odd name"))?;
        *request.headers_mut() = self.headers;
        if body.is_some() {
            let json = HeaderValue::from_static("application/json");
            request.headers_mut().insert(CONTENT_TYPE, json);
        }
        if let Some(caller) = self.caller {
            request.extensions_mut().insert(caller);
        }
        let answer = match api.clone().oneshot(request).await {
            Ok(answer) => answer,
            Err(never) => match never {},
        };
        if answer.status().is_success() { Ok(answer) } else { Err(refusal(answer).await) }
    }

    /// Asks the API and takes its answer as a whole.
    pub(super) async fn text(
        self,
        api: &Router,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<String, Status> {
        let answer = self.answer(api, method, path, body).await?;
        let bytes = to_bytes(answer.into_body(), ANSWER_BYTES).await;
        let bytes = bytes.map_err(|error| Status::internal(error.to_string()))?;
        String::from_utf8(bytes.into()).map_err(|error| Status::internal(error.to_string()))
    }
}

/// An answer of the API as a message.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<T, Status> {
    serde_json::from_str(text).map_err(|error| {
        tracing::error!(%error, "an answer of the API does not fit its message");
        Status::internal("the answer does not fit its message; please report it")
    })
}

/// What is read of a problem.
#[derive(Deserialize)]
struct Problem {
    detail: String,
    hint: Option<String>,
}

async fn refusal(answer: Response) -> Status {
    let code = match answer.status() {
        StatusCode::UNAUTHORIZED => Code::Unauthenticated,
        StatusCode::FORBIDDEN => Code::PermissionDenied,
        StatusCode::NOT_FOUND => Code::NotFound,
        StatusCode::CONFLICT => Code::FailedPrecondition,
        StatusCode::PAYLOAD_TOO_LARGE
        | StatusCode::TOO_MANY_REQUESTS
        | StatusCode::INSUFFICIENT_STORAGE => Code::ResourceExhausted,
        StatusCode::SERVICE_UNAVAILABLE => Code::Unavailable,
        other if other.is_client_error() => Code::InvalidArgument,
        _ => Code::Internal,
    };
    let body = to_bytes(answer.into_body(), ANSWER_BYTES).await.unwrap_or_default();
    let message = match serde_json::from_slice(&body) {
        Ok(Problem { detail, hint: Some(hint) }) => format!("{detail}; {hint}"),
        Ok(Problem { detail, hint: None }) => detail,
        Err(_) => String::from_utf8_lossy(&body).into_owned(),
    };
    Status::new(code, message)
}

/// A name as one part of a path.
pub(super) fn segment(name: &str) -> String {
    url::form_urlencoded::byte_serialize(name.as_bytes()).collect::<String>().replace('+', "%20")
}

/// A path with what is asked, as far as it is.
pub(super) fn address<const N: usize>(path: &str, asked: [(&str, Option<String>); N]) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in asked {
        if let Some(value) = value {
            query.append_pair(name, &value);
        }
    }
    match query.finish() {
        query if query.is_empty() => path.to_owned(),
        query => format!("{path}?{query}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_questions_survive_whatever_letters_they_have() {
        assert_eq!(segment("http://a.example/?b=c d"), "http%3A%2F%2Fa.example%2F%3Fb%3Dc%20d");
        let asked = [("search", Some("a&b=c".to_owned())), ("after", None)];
        assert_eq!(address("/x", asked), "/x?search=a%26b%3Dc");
        assert_eq!(address("/x", [("after", None)]), "/x");
    }
}
