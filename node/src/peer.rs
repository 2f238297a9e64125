//! What this node answers to other nodes, over gRPC on the port that serves everything else.
//!
//! A `cursor` says how far a reader has come, so that nothing is lost however seldom it asks.
//! `serve` answers, after `caller` has let the call through; `health` says whether the node does its work.
//!
//! Never: an entry passed over without being counted; an answer beyond the limit of its bytes; a stream
//! that outlives the node or waits for a reader with memory that grows.

mod caller;
pub mod cursor;
mod health;
mod serve;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use http::StatusCode;
use http::header::CONTENT_TYPE;
pub use pergola_manners::ledger::Limits;
use pergola_proto::v1::syndication_server::SyndicationServer;
use tokio_util::sync::CancellationToken;
use tonic::Status;
use tonic::server::NamedService;
use tonic_health::pb::health_server::HealthServer;

use crate::node::Node;
use caller::Callers;
use health::Health;
use pergola_peers::wire::MESSAGE_BYTES;
use serve::{Syndicate, fetch};

/// Bytes of a question.
const QUESTION_BYTES: usize = 64 << 10;

/// The services for other nodes and for whoever watches over this one. Streams end when `stop` is cancelled.
pub fn router(node: Arc<Node>, limits: Limits, stop: CancellationToken) -> Router {
    let callers = Callers::new(Arc::clone(&node), limits);
    let health = HealthServer::new(Health::new(Arc::clone(&node), stop.clone()));
    let syndicate = Syndicate::new(node, stop);
    let fetching = any(fetch::fetch).with_state(syndicate.clone());
    let syndication = SyndicationServer::new(syndicate)
        .max_decoding_message_size(QUESTION_BYTES)
        .max_encoding_message_size(MESSAGE_BYTES);
    let reflection = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(pergola_proto::FILE_DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        .build_v1()
        .expect("the compiled contracts are well-formed");
    Router::new()
        .route(fetch::PATH, fetching)
        .route_service(&methods_of(&syndication), syndication)
        .route_service(&methods_of(&health), health)
        .route_service(&methods_of(&reflection), reflection)
        .layer(from_fn_with_state(callers, caller::check))
        .fallback(unknown)
}

/// Every method of a service.
fn methods_of<S: NamedService>(_: &S) -> String {
    format!("/{}/{{*method}}", S::NAME)
}

/// A call of a service that this node does not have is told so as gRPC does it.
async fn unknown(request: Request) -> Response {
    let kind = request.headers().get(CONTENT_TYPE);
    match kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/grpc")) {
        true => Status::unimplemented("this node has no such service").into_http(),
        false => StatusCode::NOT_FOUND.into_response(),
    }
}
