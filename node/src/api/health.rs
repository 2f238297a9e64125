//! How the node is doing, for whoever watches over it.

use std::sync::Arc;

use axum::Json as Answer;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::CONTENT_TYPE;
use serde::Serialize;
use utoipa::ToSchema;

use super::work::blocking;
use crate::node::Node;
use crate::publish::Problem;

/// What Prometheus reads.
const METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Whether the node does its work.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Readiness {
    /// Whether it does.
    ready: bool,
    /// If not, why.
    reasons: Vec<String>,
}

/// The process answers.
#[utoipa::path(get, path = "/healthz", responses((status = 200, body = String)))]
pub(super) async fn alive() -> &'static str {
    "ok\n"
}

/// The store takes what is given to it, and the crawler runs.
#[utoipa::path(get, path = "/readyz",
    responses((status = 200, body = Readiness), (status = 503, body = Readiness)))]
pub(super) async fn ready(State(node): State<Arc<Node>>) -> Result<Response, Problem> {
    let reasons = blocking(move || Ok(node.why_not_ready())).await?;
    let status = match reasons.is_empty() {
        true => StatusCode::OK,
        false => StatusCode::SERVICE_UNAVAILABLE,
    };
    let readiness = Readiness { ready: reasons.is_empty(), reasons };
    Ok((status, Answer(readiness)).into_response())
}

/// What is counted and measured, for Prometheus.
#[utoipa::path(get, path = "/metrics",
    responses((status = 200, body = String, content_type = "application/openmetrics-text")))]
pub(super) async fn metrics(State(node): State<Arc<Node>>) -> Result<Response, Problem> {
    let text = blocking(move || Ok(node.metrics_text())).await?;
    Ok(([(CONTENT_TYPE, METRICS)], text).into_response())
}
