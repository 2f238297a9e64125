//! The standard health service, `grpc.health.v1`: whether the node does its work, as `/readyz` says it.
//!
//! The node as a whole (the empty name) and the service for other nodes stand or fall together.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use pergola_proto::v1::syndication_server;
use tokio_util::sync::CancellationToken;
use tonic::codegen::tokio_stream::Stream;
use tonic::{Request, Response, Status};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_server;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

use crate::node::Node;

/// How often a watched status is checked again.
const CHECK_EVERY: Duration = Duration::from_secs(1);

/// Answers health checks for a node.
#[derive(Clone)]
pub(super) struct Health {
    node: Arc<Node>,
    stop: CancellationToken,
}

impl Health {
    pub(super) fn new(node: Arc<Node>, stop: CancellationToken) -> Self {
        Self { node, stop }
    }

    /// How a service stands; nothing if this node has none of that name.
    async fn status_of(&self, service: &str) -> Option<ServingStatus> {
        if !(service.is_empty() || service == syndication_server::SERVICE_NAME) {
            return None;
        }
        let node = Arc::clone(&self.node);
        let reasons = self.node.blocking().run(move || node.why_not_ready()).await;
        match reasons {
            Ok(reasons) if reasons.is_empty() => Some(ServingStatus::Serving),
            _ => Some(ServingStatus::NotServing),
        }
    }
}

#[tonic::async_trait]
impl health_server::Health for Health {
    async fn check(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<HealthCheckResponse>, Status> {
        let service = request.into_inner().service;
        match self.status_of(&service).await {
            Some(status) => Ok(Response::new(answer(status))),
            None => Err(Status::not_found(format!("this node has no service {service:?}"))),
        }
    }

    type WatchStream = Changes;

    async fn watch(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<Changes>, Status> {
        let service = request.into_inner().service;
        let watcher = Watcher { health: self.clone(), service, told: None };
        Ok(Response::new(Changes { next: Some(Box::pin(watcher.next())) }))
    }
}

fn answer(status: ServingStatus) -> HealthCheckResponse {
    HealthCheckResponse { status: status.into() }
}

/// The status now and after every change, until the node stops.
pub(super) struct Changes {
    next: Option<Pin<Box<dyn Future<Output = Option<Told>> + Send>>>,
}

type Told = (ServingStatus, Watcher);

impl Stream for Changes {
    type Item = Result<HealthCheckResponse, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(next) = &mut self.next else { return Poll::Ready(None) };
        let told = ready!(next.as_mut().poll(context));
        let Some((status, watcher)) = told else {
            self.next = None;
            return Poll::Ready(None);
        };
        self.next = Some(Box::pin(watcher.next()));
        Poll::Ready(Some(Ok(answer(status))))
    }
}

struct Watcher {
    health: Health,
    service: String,
    told: Option<ServingStatus>,
}

impl Watcher {
    async fn next(mut self) -> Option<Told> {
        if self.health.stop.is_cancelled() {
            return None;
        }
        loop {
            let status = self.health.status_of(&self.service).await;
            let status = status.unwrap_or(ServingStatus::ServiceUnknown);
            if self.told != Some(status) {
                self.told = Some(status);
                return Some((status, self));
            }
            tokio::select! {
                biased;
                () = self.health.stop.cancelled() => {
                    return Some((ServingStatus::NotServing, self));
                }
                () = tokio::time::sleep(CHECK_EVERY) => {}
            }
        }
    }
}
