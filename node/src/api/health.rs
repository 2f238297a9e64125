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
    let reasons = blocking(move || Ok(reasons(&node))).await?;
    let status = match reasons.is_empty() {
        true => StatusCode::OK,
        false => StatusCode::SERVICE_UNAVAILABLE,
    };
    let readiness = Readiness { ready: reasons.is_empty(), reasons };
    Ok((status, Answer(readiness)).into_response())
}

pub(super) async fn metrics(State(node): State<Arc<Node>>) -> Result<Response, Refusal> {
    let text = blocking(move || Ok(node.metrics_text())).await?;
    Ok(([(CONTENT_TYPE, METRICS)], text).into_response())
}

fn reasons(node: &Node) -> Vec<String> {
    let mut reasons = Vec::new();
    if !node.is_running() {
        reasons.push("the node is not running: nothing is crawled".to_owned());
    }
    if let Err(error) = node.archive.node() {
        reasons.push(format!("the store cannot be read: {error}"));
    }
    if let Some(trouble) = node.store_trouble() {
        reasons.push(format!("the store refused the last commit: {trouble}"));
    }
    reasons
}
