//! What can be asked of a running node.

use std::sync::Arc;

use axum::Router;

use crate::node::Node;

/// The routes of the API.
pub fn router(node: Arc<Node>) -> Router {
    let _ = node;
    Router::new()
}
