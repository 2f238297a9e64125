//! Routes of the API that whoever stands before the node answers, after the node has checked who calls.

use axum::Router;
use axum::extract::Request;
use axum::response::{IntoResponse as _, Response};
use http::Extensions;
use tower::ServiceExt as _;

/// Answers these routes. Attached to every request that passes it.
#[derive(Debug, Clone)]
pub struct Annex(pub Router);

pub(super) async fn pass(request: Request) -> Response {
    let Some(Annex(router)) = request.extensions().get::<Annex>().cloned() else {
        return super::no_such_route().await.into_response();
    };
    // Without what the outer route has noted of the path, which the inner one notes again.
    let (mut parts, body) = request.into_parts();
    parts.extensions = Extensions::new();
    router.oneshot(Request::from_parts(parts, body)).await.into_response()
}
