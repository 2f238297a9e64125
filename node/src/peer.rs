//! What nodes say to each other, over gRPC on the port that serves everything else.
//!
//! Messages are made and read in `wire` and go no further: the rest of the node knows items, not
//! messages. A `cursor` says how far a reader has come, so that nothing is lost however seldom it asks.
//! `serve` answers, after `caller` has let the call through; `health` says whether the node does its work.
//!
//! Never: an entry passed over without being counted; an answer beyond the limit of its bytes; a stream
//! that outlives the node or waits for a reader with memory that grows.

mod caller;
pub mod channel;
pub mod cursor;
mod health;
mod peers;
pub mod pull;
mod search;
mod serve;
pub mod watch;
pub mod wire;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::CONTENT_TYPE;
use pergola_proto::v1::syndication_server::SyndicationServer;
use tokio_util::sync::CancellationToken;
use tonic::Status;
use tonic::server::NamedService;
use tonic_health::pb::health_server::HealthServer;

use crate::node::Node;
use caller::Callers;
pub use caller::Limits;
use health::Health;
pub use peers::{LoadError, Peers};
pub use search::{Foreign, Heard, Silent};
use serve::Syndicate;

/// Bytes of one answer, as most clients accept them without being told.
pub const ANSWER_BYTES: usize = 4 << 20;
/// Bytes of one entry: a larger one goes without its texts. An entry beyond [`ANSWER_BYTES`] goes alone.
pub const ENTRY_BYTES: usize = 16 << 20;
/// Bytes of a message that whoever fetches must be ready to take: the largest entry and what is around it.
pub const MESSAGE_BYTES: usize = ENTRY_BYTES + (1 << 20);
/// Bytes of a question.
const QUESTION_BYTES: usize = 64 << 10;

/// The services for other nodes and for whoever watches over this one. Streams end when `stop` is cancelled.
pub fn router(node: Arc<Node>, limits: Limits, stop: CancellationToken) -> Router {
    let callers = Callers::new(Arc::clone(&node), limits);
    let health = HealthServer::new(Health::new(Arc::clone(&node), stop.clone()));
    let syndication = SyndicationServer::new(Syndicate::new(node, stop))
        .max_decoding_message_size(QUESTION_BYTES)
        .max_encoding_message_size(MESSAGE_BYTES);
    let reflection = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(pergola_proto::FILE_DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        .build_v1()
        .expect("the compiled contracts are well-formed");
    Router::new()
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
