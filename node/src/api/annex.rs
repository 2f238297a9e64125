//! Routes of the API that whoever stands before the node answers, after the node has checked who calls.

use axum::Router;
use axum::extract::Request;
use axum::response::{IntoResponse as _, Response};
use tower::ServiceExt as _;

/// Answers these routes. Attached to every request that passes it.
#[derive(Debug, Clone)]
pub struct Annex(pub Router);

pub(super) async fn pass(request: Request) -> Response {
    match request.extensions().get::<Annex>().cloned() {
        Some(Annex(router)) => router.oneshot(request).await.into_response(),
        None => super::no_such_route().await.into_response(),
    }
}
