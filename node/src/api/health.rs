//! Whether the node is alive and works, and its metrics.

use std::sync::Arc;

use axum::Json as Answer;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::CONTENT_TYPE;
use pergola_api::operation::Readiness;

use super::work::blocking;
use crate::node::Node;
use crate::publish::Refusal;

/// The media type that Prometheus reads.
const METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

pub(super) async fn alive() -> &'static str {
    "ok\n"
}

pub(super) async fn ready(State(node): State<Arc<Node>>) -> Result<Response, Refusal> {
    let blocking_of = node.blocking();
    let told = move || Ok((node.why_not_ready(), node.degraded()));
    let (reasons, degraded) = blocking(blocking_of, told).await?;
    let status = match reasons.is_empty() {
        true => StatusCode::OK,
        false => StatusCode::SERVICE_UNAVAILABLE,
    };
    let readiness = Readiness { ready: reasons.is_empty(), reasons, degraded };
    Ok((status, Answer(readiness)).into_response())
}

pub(super) async fn metrics(State(node): State<Arc<Node>>) -> Result<Response, Refusal> {
    let text = blocking(node.blocking(), move || Ok(node.metrics_text())).await?;
    Ok(([(CONTENT_TYPE, METRICS)], text).into_response())
}
